"""The kernel of `auditors.privacy.event.tables` in numpy, the same to the bit, for audits too short to load numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def _mix(key: NDArray[np.uint64], bits: NDArray[np.uint64]) -> None:
    word = (key ^ bits) + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    key[:] = word ^ (word >> np.uint64(31))
