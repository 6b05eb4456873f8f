"""Loads what audits need into this process once, before it forks for the first of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


def _sum(data: Any, size: int, rng: np.random.Generator) -> Any:
    return sum(data) + rng.laplace(size=size)


@cache
def warm() -> None:
    """One small audit of a mechanism of our own: audits after it find kernels compiled and modules loaded."""
    from dpverify.api import audit

    audit(_sum, claim="PureDP(epsilon=1)", data=[0.0, 1.0], trials=500)
