"""Turns a shown value into steps: coordinates without noise are public, the others are noisy.

A coordinate counts as without noise when its noise-free value is not finite (noise does not change a NaN) or its noise
scale is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.transcript import Step, StepLaw

Float = NDArray[np.float64]
NOISE = "noise"
"""Placeholder of a noisy coordinate in the form of a value."""


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
