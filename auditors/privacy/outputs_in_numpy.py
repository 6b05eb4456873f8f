"""Kernels of `auditors.privacy.outputs` in numpy, the same to the bit, for audits too short to load numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float


def _finite(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all())


def _turn(values: Float, turned: Float) -> bool:
    turned[...] = values
    return _finite(values)
