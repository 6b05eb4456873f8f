"""What an observer sees at one place of a run, as steps: fixed coordinates are public, the others are noisy.

A coordinate whose noise-free value is not finite is a fixed one: no noise moves a NaN. So is one whose noise has the
scale 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.transcript import Step, StepLaw

Float = NDArray[np.float64]
NOISE = "noise"
"""What stands in the form of a value where a coordinate is noisy."""


def shown(
    name: str, where: str, call: int, *, law: StepLaw, clean: Float, scale: float, value: Float
) -> Iterator[Step]:
    """The steps of a vector with independent noise of one law and scale; all arrays of shape (k,)."""
    fixed = ~np.isfinite(clean) | (scale == 0.0)
    form: Any = (clean.size, NOISE)
    if fixed.any():
        form = tuple(number if still else NOISE for number, still in zip(value.tolist(), fixed.tolist(), strict=True))
    yield Step(kind="public", name=name, where=where, value=form)
    if not fixed.all():
        noisy = ~fixed
        yield Step(
            kind="noisy",
            name=name,
            where=where,
            call=call,
            law=law,
            clean=clean[noisy],
            scale=np.full(int(noisy.sum()), scale),
            value=value[noisy],
        )
