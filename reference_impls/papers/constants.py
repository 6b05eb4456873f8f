"""Numbers that a paper prints, as an arm beside measured ones."""

from __future__ import annotations

import numpy as np


def constant(*, x: float, rng: np.random.Generator, **values: float) -> dict[str, float]:
    """The values, at every place; nothing is drawn. `accuracy` is `value` where that is given."""
    del x, rng
    return {"accuracy" if name == "value" else name: float(each) for name, each in values.items()}
