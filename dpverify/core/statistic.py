"""Capability of simulations whose mean is claimed to be bounded: draws of a number, and its lower limit."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from dpverify.core.subjects import Float


@runtime_checkable
class HasStatistic(Protocol):
    """Capability: one number of each independent run, whose mean a claim bounds."""

    @property
    def low(self) -> float:
        """No run's number is below this one, finite. There need be no largest."""
        ...

    @property
    def draws(self) -> int:
        """Runs worth making at effort 1: what takes about a second, fixed by the settings and not by clocks."""
        ...

    def statistic(self, size: int, *, rng: np.random.Generator) -> Float:
        """The numbers of `size` independent runs, float64, shape (size,), each finite and at least `low`."""
        ...
