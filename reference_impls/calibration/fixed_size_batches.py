"""Gaussian noise on batches of m out of n records, drawn afresh without replacement.

Replaced: the dominating pair of Zhu, Dong, Wang 2022 (:mod:`dpverify.accounting.steps.fixed_size_gaussian`), in which
a record moves a clipped sum by 2 C. Added or removed, n against n - 1 records: the sample has the record with chance m
/ n, and is then a replaced record away from a sample of the others, so the pair is (1 - q) N(0) + q N(2 C) against
N(0) in both orders (their Theorem 11), the Poisson sample's. It is also what all other records' equal gradients attain
under replacement.

As accounted then: DISS Lemma 2.3 at whole orders, as printed; for ADP-SGD what ADPSGD's footnote 3 calls its noise.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpverify.accounting.filters import CONSTANT
from dpverify.accounting.steps.fixed_size_gaussian import FixedSizeGaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composed, Composition, Part, Step
from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import Asked, Cost, Family, limit_start, moved_chi_square
from dpverify.utility.closed_forms import Stated, printed_renyi

FOOTNOTE = {0.8: 0.29, 1.2: 0.43, 1.6: 0.57, 3.2: 1.23, 6.4: 3.24}
"""By epsilon_bar, what ADPSGD calls the epsilon of a run with the noise of (6) at 16 epsilon_bar (its footnote 3)."""

LEVELS = 32
"""Different noise scales that are told apart in one composition; others are rounded to the next smaller one."""


class FixedSizeFamily(Family):
    """Samples of a fixed size."""

    then = "DISS Lemma 2.3 as printed, whole orders up to 500"

    @abstractmethod
    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """m / n, and of every release the standard deviation of its noise over what one replaced record moves it by."""

    def start(self, algorithm: Any, asked: Asked) -> float:
        """At the central limit; both directions of the dominating pair vary about 1.7 times as much as one."""
        q, sigmas = self.releases(self.with_knob(algorithm, 1.0), asked)
        levels = _levels(sigmas, up=False).items()
        both = 1.7 if asked.relation != "add-remove" and q < 1.0 else 1.0
        return limit_start(
            lambda at: both * q * q * sum(count * moved_chi_square(at * sigma) for sigma, count in levels),
            epsilon=asked.epsilon,
            delta=asked.delta,
        )

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """The dominating pair of the relation, a step a release."""
        q, sigmas = self.releases(algorithm, asked)
        levels = _levels(sigmas, up=False)
        if asked.relation == "add-remove":
            return (_steps(levels, partial(PoissonGaussianStep, q=q)),)
        return (_steps(levels, partial(FixedSizeGaussianStep, q=q, sensitivity=1.0)),)

    def attained(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """All other records with one gradient, the replaced one with it and against it."""
        q, sigmas = self.releases(algorithm, asked)
        return (_steps(_levels(sigmas, up=True), partial(PoissonGaussianStep, q=q)),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """By Lemma 2.3."""
        return printed_renyi(algorithm.composition(asked.rows))


class DpSgdFixedSizeFamily(FixedSizeFamily):
    """DP-SGD."""

    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """Sums, which move by 2 C."""
        return min(algorithm.batch_size / asked.rows, 1.0), [algorithm.noise_multiplier / 2.0] * algorithm.steps


class SsAdmmFamily(FixedSizeFamily):
    """ssADMM: `batch_size` becomes a number."""

    knob = "sigma"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """Steps by the expected epoch tell n."""
        if asked.relation == "add-remove" and algorithm.schedule == "epoch":
            return "its step sizes follow the table's own number of records; a bound is known under replace"
        return None

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """With a batch size that does not depend on the table."""
        return algorithm if algorithm.batch_size else replace(algorithm, batch_size=algorithm.batch(asked.rows))

    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """Mean gradients, which move by 2 C / m."""
        ratio = algorithm.sigma / algorithm.sensitivity(asked.rows)
        return min(algorithm.batch(asked.rows) / asked.rows, 1.0), [ratio] * algorithm.steps


class AdpSgdFamily(FixedSizeFamily):
    """ADP-SGD: public noise scales alpha_t sigma, which differ from step to step."""

    knob = "sigma"
    then = "footnote 3 of ADPSGD: the noise of equation (6) at 16 epsilon_bar"

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """What has no noise."""
        return "with alpha = zero it has no noise; take sqrt-b or one" if algorithm.alpha == "zero" else None

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """delta of the claim is a field."""
        return replace(algorithm, delta=asked.delta)

    def releases(self, algorithm: Any, asked: Asked) -> tuple[float, list[float]]:
        """Mean gradients of m records, which move by 2 G / m."""
        scales = algorithm.alphas * algorithm.noise_scale(asked.rows) / algorithm.sensitivity()
        return min(algorithm.batch_size / asked.rows, 1.0), scales.tolist()

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        """What footnote 3 calls the epsilon of (6) for this sigma."""
        claim = algorithm.guarantee(asked.rows)
        return Stated(value=called(claim.epsilon / CONSTANT), at=algorithm.delta)


def called(budget: float) -> float:
    """The epsilon that ADPSGD prints for an epsilon_bar: its footnote's, by powers between them and beyond them."""
    budgets, printed = np.log(list(FOOTNOTE)), np.log(list(FOOTNOTE.values()))
    at = math.log(budget)
    if at <= budgets[0] or at >= budgets[-1]:  # in proportion to the nearest
        end = 0 if at <= budgets[0] else -1
        return float(budget * np.exp(printed[end] - budgets[end]))
    return float(np.exp(np.interp(at, budgets, printed)))


class AdaGradFamily(AdpSgdFamily):
    """Steps from clean gradients: their lengths tell the record."""

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """As published it leaks; the repaired class inherits nothing of that."""
        return (
            "its noise is multiplied by a step size that depends on the clean gradient, so no sound accountant "
            "certifies it; adp-sgd-ada-grad-repaired is certified"
        )


def _levels(sigmas: list[float], *, up: bool) -> dict[float, int]:
    """How often each noise scale, rounded to one of `LEVELS` at equal distances where there are more; down, or up."""
    values = np.array(sigmas)
    if np.unique(values).size > LEVELS:
        edges = np.linspace(values.min(), values.max(), LEVELS + 1)
        place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, LEVELS - 1)
        values = edges[place + up]
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _steps(levels: dict[float, int], step: Callable[..., Step]) -> Composition:
    return Composition(parts=tuple(Part(step=step(sigma=sigma), count=count) for sigma, count in levels.items()))


def register(registry: Registry) -> None:
    """By class."""
    registry.calibrations.add("DpSgdFixedSize", DpSgdFixedSizeFamily())
    registry.calibrations.add("SsAdmm", SsAdmmFamily())
    registry.calibrations.add("AdpSgdTraining", AdpSgdFamily())
    registry.calibrations.add("AdaGrad", AdaGradFamily())
    registry.calibrations.add("AdaGradRepaired", AdpSgdFamily())
