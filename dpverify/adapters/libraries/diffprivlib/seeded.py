"""diffprivlib's randomness: a ``RandomState`` from the audit's generator, or the library's default.

A ``random_state`` that is seeded by a number just drawn from the audit's generator is recorded (`derived_generators`):
its normal and Laplace noise is traced, and other draws are coins whose place in the library is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Once = Callable[[Any, Any], Any]
"""``once(data, random_state)``: one release."""


def seeded(once: Once) -> Callable[[], Callable[..., Any]]:
    """A mechanism ``f(data, size, rng)`` whose numbers follow from `rng`."""

    def build() -> Callable[..., Any]:
        def releases(data: Any, size: int, rng: np.random.Generator) -> Any:
            state = np.random.RandomState(int(rng.integers(2**32)))
            made = [once(data, state) for _ in range(size)]
            return made if any(isinstance(each, str) for each in made) else _array(made)

        return releases

    return build


def _array(made: list[Any]) -> Any:
    """As numbers where they are (4 and 4.0 are one output), else as they are."""
    try:
        return np.array(made, dtype=np.float64)
    except (ValueError, TypeError):
        return made
