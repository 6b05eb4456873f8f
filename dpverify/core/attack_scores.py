"""Capabilities of recorded attacks: scores of many trainings, or of one training with many canaries.

A subject that offers one of these need not be sampled again: scores may come from trainings that took a month.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Float


@runtime_checkable
class HasScores(Protocol):
    """Capability: scores of an attack on independent trainings on D, and on independent trainings on D'."""

    def scores(self, *, rng: np.random.Generator) -> tuple[Float, Float]:
        """(scores on D, scores on D'), of shapes (n,) and (m,); no NaN."""
        ...


@runtime_checkable
class HasCanaries(Protocol):
    """Capability: one training into which canaries were put by independent fair coins."""

    @property
    def canaries(self) -> int:
        """There are so many canaries, in or out."""
        ...

    @property
    def values(self) -> int:
        """Each canary had so many equally likely values: 2 for in and out."""
        ...

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """One training: scores, shape (m,) (higher: rather in) or (m, values), and each canary's value, 0 .. values - 1
        (1: in). NaN: the attack says nothing of this canary."""
        ...
