"""DP-SGD on shuffled batches: one Gaussian of sensitivity 2 C an epoch, for one replaced record.

A record is in one batch an epoch, and no amplification by shuffling is known here. Where a record is added, the batches
of an epoch move all together, and no bound is known.
"""

from __future__ import annotations

from typing import Any

from dpverify.core.composition import Composed
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import moments


class ShuffledFamily(Family):
    """The noise multiplier."""

    relations = ("replace",)
    then = "the moments accountant with 32 moments, as if batches were Poisson samples, add-remove"

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """A Gaussian an epoch."""
        return (algorithm.sound_composition(asked.rows),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """As Poisson samples."""
        return moments(algorithm.composition(asked.rows))


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpSgdShuffled", ShuffledFamily())
