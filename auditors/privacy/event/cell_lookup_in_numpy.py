"""The kernels of `auditors.privacy.event.cell_lookup` in numpy, the same to the bit, for audits too short for numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float


def _number(values: Float, edges: Float, found: NDArray[np.int64]) -> None:
    found[:] = np.searchsorted(edges, values, side="right")


def _count(values: Float, edges: Float, found: NDArray[np.int64]) -> None:
    found += np.bincount(np.searchsorted(edges, values, side="right"), minlength=found.size)


def _add(values: Float, edges: Float, steps: Float, total: Float) -> None:
    total += steps[np.searchsorted(edges, values, side="right")]
