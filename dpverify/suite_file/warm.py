"""Loads what audits need into this process once, before it forks for them."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

_asked = count(1)


def _sum(data: Any, size: int, rng: np.random.Generator) -> Any:
    return sum(data) + rng.laplace(size=size)


def warm() -> None:
    """A small audit of a mechanism of our own, before an audit: modules are then loaded, and kernels compiled.

    A single audit may do without numba (`dpverify.core.lazy_njit`). Where there is a second one there are many, and
    each of their processes would load it: it is loaded here.
    """
    place = next(_asked)
    if place == 1:
        _audit(trials=500)
    elif place == 2:
        import numba  # noqa: F401 - kernels are compiled from now on

        _audit(trials=4_000)


def _audit(*, trials: int) -> None:
    from dpverify.audits.audit import audit

    audit(_sum, claim="PureDP(epsilon=1)", data=[0.0, 1.0], trials=trials)
