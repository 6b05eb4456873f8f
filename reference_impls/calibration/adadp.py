"""ADADP, alone and followed by SGD: two noisy sums an iteration, on Poisson samples or on shuffled batches.

Poisson: as DP-SGD, with the public number of records in `rate`. Shuffled: no amplification is known here; a replaced
record is in one batch an epoch, so an epoch is one Gaussian of sensitivity 2 C.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost
from reference_impls.calibration.poisson_gradients import PoissonGradients


class AdadpFamily(PoissonGradients):
    """By the way of sampling."""

    then = "Theorem 2: the moments accountant with 32 moments, Poisson samples at |B| / N, add-remove"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """Shuffled batches move all together where a record is added."""
        if algorithm.sampling == "shuffled" and asked.relation != "replace":
            return "with shuffled batches no bound is known under add-remove; one is under replace"
        return super().refuses(algorithm, asked)

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With a rate that does not depend on the table."""
        if algorithm.sampling == "shuffled" or algorithm.rate is not None:
            return algorithm
        return replace(algorithm, rate=algorithm.sampling_rate(asked.rows))

    def sampling(self, algorithm: Any, asked: Asked) -> tuple[float, int]:
        """The rate and all batches of a run."""
        return algorithm.sampling_rate(asked.rows), algorithm.batch_count(asked.rows)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The exact pair, or a Gaussian an epoch."""
        if algorithm.sampling == "shuffled":
            return (algorithm.sound_composition(asked.rows),)
        return super().priced(algorithm, asked)

    def attained(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Of Poisson samples alone."""
        return () if algorithm.sampling == "shuffled" else self.priced(algorithm, asked)


def register(registry: Registry) -> None:
    """For both classes."""
    registry.calibrations.add("AdadpTraining", AdadpFamily())
