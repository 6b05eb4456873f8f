"""AD-RELATION: neighbours that replace a record (Definition 1), accounted as if one were added or removed.

ADADP's Definition 1 takes data sets of one size that differ in a record; its accountant (section "Moments accountant",
Abadi et al. 2016) takes (1 - q) N(0, sigma^2) + q N(1, sigma^2) against N(0, sigma^2), a record that is there or not.
A replaced record is there on both sides, so a batch's clean sum moves by up to 2 C: linear losses, the record's
gradient +C on one side and -C on the other, give (1 - q) N(0, sigma^2) + q N(1, sigma^2) against (1 - q) N(0, sigma^2)
+ q N(-1, sigma^2), one such number a batch, all independent.

**Why it is not covered.** To first order in q the accountant's pair differs by q (p_1 - p_0), the replaced one by
q (p_1 - p_-1): chi-squared q^2 (e^(1 / s) - 1) against 4 q^2 sinh(1 / s), s = sigma^2. That is 4 times as much for
large sigma, 3.6 at sigma = 2, and never less than twice. Epsilon then is nearly double.

**Readings.** ``epsilon``: the experiments' printed epsilon(delta) of the whole run. ``moments``: those of one batch.

**Repaired**, AD-RELATION-R: to replace is to remove and to add: twice the epsilon, (1 + e^epsilon) times the delta.
Not to be confused with AD-SHUFFLE, whose record is blanked out, which the accountant's pair is right for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.evidence import Enclosed
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from reference_impls.papers.accounting.lemmas.level_sums import Group, Levels, LevelSum, levels_at
from reference_impls.papers.adadp.lemmas.accounted_epsilon import RATE, SIGMAS
from reference_impls.papers.adadp.lemmas.level_sum_bounds import MomentsByLevels, RunByLevels

LEVELS, FINE = 48, 256
"""Levels of a number where many are added, and where there is one."""
_FARTHEST = 600.0
_ROUNDS = 60


def replaced_levels(q: float, sigma: float, top: float, count: int) -> Levels | None:
    """Levels at equal distances of the log-likelihood ratio, which is odd and grows, up to the one at `top`.

    With u = e^(x / s) and c = e^(-1 / 2 s) the ratio is (1 - q + q c u) / (1 - q + q c / u); a cut solves a quadratic.
    None where doubles cannot hold it.
    """
    s = sigma * sigma
    if (top + 1.0) / s > _FARTHEST:
        return None
    c = math.exp(-0.5 / s)
    highest = math.log((1 - q + q * c * math.exp(top / s)) / (1 - q + q * c * math.exp(-top / s)))
    ratios = highest * (2 * (np.arange(count) + 0.5) / count - 1)
    a, b, e = q * c, -(1 - q) * np.expm1(ratios), q * c * np.exp(ratios)
    root = np.sqrt(b * b + 4 * a * e)
    u = np.where(b > 0, 2 * e / (b + root), (root - b) / (2 * a))
    return levels_at(ratios, s * np.log(u), np.full(count, -math.inf))


def replaced_sums(q: float, sigma: float, steps: int, *, count: int = LEVELS) -> list[LevelSum]:
    """Sums of levels over so many batches, the record at +C against the record at -C."""
    found = []
    for top in (2.5 * sigma + 1, 4.0 * sigma + 1):
        levels = replaced_levels(q, sigma, top, count)
        if levels is None:
            continue
        p, q_side = (
            (Group(count=steps, parts=((1.0 - q, 0.0), (q, mean)) if q < 1 else ((1.0, mean),)),)
            for mean in (1.0, -1.0)
        )
        found.append(LevelSum(levels=levels, p=p, q=q_side, sigma=sigma))
    return found


@dataclass(frozen=True, kw_only=True)
class ReplacedEpsilon(RunByLevels):
    """The whole run: the experiments' epsilon against a lower bound for a replaced record."""

    def sums(self) -> list[LevelSum]:
        """Over all batches of the run."""
        return replaced_sums(self.rate, self.sigma, self.steps)


@dataclass(frozen=True, kw_only=True)
class ReplacedSound(ReplacedEpsilon):
    """AD-RELATION-R: by way of the data set without the record."""

    def printed(self) -> Enclosed:
        """2 epsilon', where epsilon' is the accountant's at a delta' with (1 + e^epsilon') delta' <= delta."""
        composed = MomentsAccountant().compose(Composition.repeat(self.step, self.steps))
        tried = composed.epsilon(self.delta / 2).upper
        for _ in range(_ROUNDS):
            if not tried < math.log(self.delta) - math.log(1e-300):
                break
            found = composed.epsilon(self.delta / (1 + math.exp(tried))).upper
            if found <= tried:
                return Enclosed(value=2 * found)
            tried = found + (found - tried)
        return Enclosed(value=math.inf)

    def proved_ratio(self) -> Enclosed | None:
        """None: it is a theorem, and nothing is to be proved against it."""
        return None


@dataclass(frozen=True, kw_only=True)
class ReplacedMoments(MomentsByLevels):
    """One batch's Renyi divergence, as accounted, against that of a replaced record.

    Attributes
    ----------
    sigma : float
        Noise multiplier, > 0.
    q : float
        Sampling rate, in (0, 1).
    order : float
        Rounded, >= 2: the accountant's lambda + 1.
    """

    sigma: Annotated[float, Between(0.05, 1e3)] = SIGMAS[0]
    q: Annotated[float, Between(1e-9, 1 - 1e-9)] = RATE
    order: Annotated[float, Between(2, 256)] = 2.0

    @cached_property
    def step(self) -> PoissonGaussianStep:
        """What a batch is accounted as."""
        return PoissonGaussianStep(q=self.q, sigma=self.sigma)

    def sums(self) -> list[LevelSum]:
        """Sums of levels of one batch."""
        return replaced_sums(self.q, self.sigma, 1, count=FINE)


def shown() -> Shown:
    """The numbers shown beside the remarks on AD-RELATION.epsilon and AD-RELATION.moments."""
    own, sound = ReplacedEpsilon(), ReplacedSound()
    accounted, seen, mended = own.accounted(), own.truth().lower, sound.printed().value
    ratios = {sigma: _ratio(ReplacedMoments(sigma=sigma)) for sigma in SIGMAS}
    return Shown(
        numbers=(
            ("sigma", own.sigma),
            ("epsilon by the moments accountant", accounted),
            ("epsilon of a replaced record, at least", seen),
            ("epsilon by removing and adding", mended),
            *((f"a batch's moment, replaced over accounted, sigma = {s:g}", ratio) for s, ratio in ratios.items()),
        ),
        holds=seen > accounted and min(ratios.values()) > 2 and mended > seen,
    )


def _ratio(one: ReplacedMoments) -> float:
    return one.truth().lower / one.printed().value
