"""Noisy sums over Poisson samples: DP-SGD, SGD-MA, DP-Adam, proximal DP-SGD, ADADP.

Added or removed: the Poisson-sampled Gaussian. Replaced: the exact pair with the record's vector on either side
(:mod:`dpverify.accounting.steps.poisson_gaussian`). What a step does with its noisy sum is post-processing. The
number of records is public, and stands in the fields that have a place for it: a divisor, a rate, `records`.

As accounted then: the moments accountant with 32 moments on Poisson samples, for a record added or removed, whatever
the relation and the batches (ADADP, Theorem 2; RSGD's baseline SGD-MA).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import (
    Asked,
    Cost,
    Family,
    both_sides_chi_square,
    limit_start,
    moved_chi_square,
)
from dpverify.utility.closed_forms import moments


class PoissonGradients(Family):
    """The noise multiplier, and what so many sampled sums cost."""

    then = "the moments accountant with 32 moments, Poisson samples, add-remove"

    @abstractmethod
    def sampling(self, algorithm: Any, asked: Asked) -> tuple[float, int]:
        """q, and the number of noisy sums."""

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """What is not clipped."""
        return unclipped(algorithm)

    def start(self, algorithm: Any, asked: Asked) -> float:
        """At the central limit."""
        q, count = self.sampling(algorithm, asked)
        square = both_sides_chi_square if asked.relation == "replace" else moved_chi_square
        return limit_start(lambda at: count * q * q * square(at), epsilon=asked.epsilon, delta=asked.delta)

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The exact pair of the relation."""
        q, count = self.sampling(algorithm, asked)
        kind = PoissonGaussianReplaceStep if asked.relation == "replace" else PoissonGaussianStep
        return (Composition.repeat(kind(q=q, sigma=algorithm.noise_multiplier), count),)

    def attained(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The same pair: a record whose clipped gradient is always the same vector of length C."""
        return self.priced(algorithm, asked)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """Thirty-two moments, add-remove."""
        q, count = self.sampling(algorithm, asked)
        return moments(Composition.repeat(PoissonGaussianStep(q=q, sigma=algorithm.noise_multiplier), count))


def unclipped(algorithm: Any) -> str | None:
    """Why no noise is enough, where gradients are not clipped; else None."""
    return "without clipping no noise is enough; give a finite clip" if math.isinf(algorithm.clip) else None


class DpSgdFamily(PoissonGradients):
    """DP-SGD: the divisor becomes q n as a number."""

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With a divisor that does not depend on the table."""
        return algorithm if algorithm.divisor else replace(algorithm, divisor=algorithm.rate * asked.rows)

    def sampling(self, algorithm: Any, asked: Asked) -> tuple[float, int]:
        """The rate, a sum a step."""
        return algorithm.rate, algorithm.steps


class SgdMaFamily(PoissonGradients):
    """SGD-MA: `records` becomes the public number, from which rate and divisor follow."""

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With `records`."""
        return algorithm if algorithm.records else replace(algorithm, records=asked.rows)

    def sampling(self, algorithm: Any, asked: Asked) -> tuple[float, int]:
        """1 / sqrt(n), a sum a step."""
        return 1.0 / algorithm.expected(asked.rows), algorithm.steps


class ProximalFamily(PoissonGradients):
    """Proximal DP-SGD: `records` becomes the public number."""

    then = "the moments accountant with 32 moments, Poisson samples, add-remove (DISS names no account of its baseline)"

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With `records`, from which batch size, rate and step sizes follow."""
        return algorithm if algorithm.records else replace(algorithm, records=asked.rows)

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """The relation of the claim is a field."""
        return replace(self.public(algorithm, asked), relation=asked.relation)

    def sampling(self, algorithm: Any, asked: Asked) -> tuple[float, int]:
        """m / n, a sum a step."""
        return algorithm.sampling_rate(asked.rows), algorithm.steps


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpSgd", DpSgdFamily())
    registry.calibrations.add("SgdMa", SgdMaFamily())
    registry.calibrations.add("DpAdam", DpSgdFamily())
    registry.calibrations.add("ProximalDpSgd", ProximalFamily())
