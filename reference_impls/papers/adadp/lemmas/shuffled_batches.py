"""AD-SHUFFLE: batches cut from a random permutation, accounted as if they were Poisson samples.

ADADP, "Experiments": "approximated as in [1]". The accountant's pair is a record that is there, or blank (a gradient of
0), which Definition 1 allows; N stays the same, and for Poisson samples the accounting is then exact, so the claim is
about the sampling alone. Worst case (Chua et al. 2024, arXiv 2403.17673): linear losses, all gradients on one line, the
record's at +C, all others' at -C. A batch's sum, less -|B| C, is then 0; 2 C with the record in it, C with the blank.
For other records are *displaced* by whoever takes the place in the batch, which Poisson samples never do. So an epoch
is T = N / |B| numbers, N(0, sigma^2) but for one, at a random place, around 2 (the record) or 1 (the blank).

**Why it is not covered.** Against the blank batches, to first order in 1 / T, an epoch of shuffled batches tells the
two apart like one number of variance (e^(4 / s) - 2 e^(2 / s) + e^(1 / s)) / T with s = sigma^2, Poisson samples like
(e^(1 / s) - 1) / T: by the powers of 1 / s, (2^k - 1)^2 / k! against 1 / k!. The first one is the larger for every
sigma; the quotient is 2.5 at sigma = 2 and 1.06 at sigma = 8. That is so for low moments and T large beside e^(1 / s):
a Poisson record may take part many times, a shuffled one does once, so an epoch's Renyi divergence of order a is never
above a / (2 s), which the accountant's exceeds at high orders (64 at sigma = 2, T = 300) and, for small sigma, from 2
on. What an accountant has in slack may hide it too, as the moments accountant's does at the larger sigmas (`describe`
says from where on).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import flint
import numpy as np

from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.rules import Between, OneOf
from dpverify.core.subjects import LawPair
from reference_impls.papers.accounting.lemmas.level_sums import Group, Levels, LevelSum, levels_at
from reference_impls.papers.adadp.lemmas.accounted_epsilon import BATCH, RECORDS, SIGMAS
from reference_impls.papers.adadp.lemmas.level_sum_bounds import MomentsByLevels, RunByLevels
from reference_impls.papers.enclosures import ball
from reference_impls.papers.ranges import HUGE

LEVELS, WIDEST = 32, 30_000
_GRID = 13  # noise multipliers between 0.2 and 8
_FARTHEST = 600.0  # exponents that doubles hold


def shuffled_levels(sigma: float, top: float, *, moved: tuple[float, float] = (1.0, 2.0)) -> Levels | None:
    """Levels of one batch's number, by how much it speaks for the record: at equal distances of the score.

    The score is the density around moved[1] less that around moved[0], over the one around 0, which for one epoch is
    what the best test adds up. From its least value on, up to the score at `top`; None where doubles cannot hold it.
    """
    near, far = moved
    s = sigma * sigma
    if max(abs(top), 1.0) * far / s + far * far / s > _FARTHEST:
        return None
    if near == 0.0:  # the score is e^(far x / s), up to constants: increasing
        score = math.exp(far * top / s) * (np.arange(LEVELS) + 0.5) / LEVELS
        above = s * np.log(score) / far
        return levels_at(score, above, np.full(LEVELS, -math.inf))
    # u = e^(x / s) for the pair (1, 2): score = A u^2 - B u, the least at u = B / 2 A.
    a, b = math.exp(-far * far / (2 * s)), math.exp(-near * near / (2 * s))
    least, most = -b * b / (4 * a), a * math.exp(2 * top / s) - b * math.exp(top / s)
    if not most > least:
        return None
    score = least + (most - least) * (np.arange(LEVELS) + 0.5) / LEVELS
    root = np.sqrt(np.maximum(b * b + 4 * a * score, 0.0))
    low = (b - root) / (2 * a)
    below = np.where(low > 0, s * np.log(np.where(low > 0, low, 1.0)), -math.inf)
    return levels_at(score, s * np.log((b + root) / (2 * a)), below)


def epoch_sums(sigma: float, batches: int, epochs: int, *, moved: tuple[float, float] = (1.0, 2.0)) -> list[LevelSum]:
    """Sums of levels over all batches of so many epochs, the record against what stands in its place.

    `moved` is where the number of the one special batch lies: (1, 2) blank against record, (0, 2) record replaced. Sums
    of more than `WIDEST` values are left to others, where there are any.
    """
    found = []
    for top in (2.5 * sigma, 3.5 * sigma, moved[1] + 1.5 * sigma, moved[1] + 3.5 * sigma):
        levels = shuffled_levels(sigma, top, moved=moved)
        if levels is None:
            continue
        sides = [
            tuple(
                group
                for group in (
                    Group(count=epochs * (batches - 1), parts=((1.0, 0.0),)),
                    Group(count=epochs, parts=((1.0, mean),)),
                )
                if group.count
            )
            for mean in (moved[1], moved[0])
        ]
        found.append(LevelSum(levels=levels, p=sides[0], q=sides[1], sigma=sigma))
    return [one for one in found if one.window[1] <= WIDEST] or found[-1:]


@dataclass(frozen=True, kw_only=True)
class ShuffledRun(RunByLevels):
    """The whole run: the experiments' epsilon against a lower bound for shuffled batches.

    Attributes
    ----------
    moves : float
        By how many C the special batch's sum moves: 1 for a record blanked, 2 for one replaced.
    """

    moves: Annotated[float, OneOf((1, 2))] = 1.0

    def sums(self) -> list[LevelSum]:
        """Over all batches of all epochs."""
        return epoch_sums(self.sigma, self.batches, round(self.epochs), moved=(2.0 - self.moves, 2.0))


@dataclass(frozen=True, kw_only=True)
class ShuffledEpsilon(ShuffledRun):
    """The same, and beside it the experiments' other noise multipliers, and where the claim begins to fail."""

    def describe(self) -> dict[str, Any]:
        """Each noise multiplier of the experiments beside the accountant's and the exact Poisson epsilon, and the least
        sigma at which the claim still stands, by batch size and epochs."""
        rows: list[dict[str, float]] = []
        for sigma in SIGMAS:
            one = ShuffledEpsilon(sigma=sigma)
            rows.append({"sigma": sigma, "accounted": one.accounted(), "shuffled at least": one.truth().value})
            if sigma in SIGMAS[:2]:  # the others say the same, and take seconds
                poisson = PldAccountant().compose(Composition.repeat(one.step, one.steps)).epsilon(one.delta)
                rows[-1]["Poisson at most"] = poisson.upper
        edges = [
            {"batch_size": size, "epochs": epochs, "stands from sigma": least_standing(size, epochs)}
            for size, epochs in ((1, 1), (20, 1), (200, 1), (2000, 1), (15_000, 1), (20, 100), (200, 100), (2000, 100))
        ]
        return {"own noise multipliers": rows, "edge": edges}


def least_standing(batch_size: int, epochs: int) -> float:
    """The least sigma in [0.2, 8] from which on no violation was found, to 1 %; N and delta are the experiments'."""
    grid = np.geomspace(8.0, 0.2, _GRID)
    failing = next((place for place, sigma in enumerate(grid) if _fails(float(sigma), batch_size, epochs)), None)
    if not failing:
        return float(grid[-1] if failing is None else grid[0])
    low, high = float(grid[failing]), float(grid[failing - 1])
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _fails(middle, batch_size, epochs) else (low, middle)
    return high


def _fails(sigma: float, batch_size: int, epochs: int) -> bool:
    one = ShuffledEpsilon(sigma=sigma, batch_size=batch_size, epochs=epochs)
    return one.truth().lower > one.printed().upper


@dataclass(frozen=True, kw_only=True)
class ShuffledMoments(MomentsByLevels):
    """One epoch's Renyi divergence: T Poisson batches, as accounted, against shuffled ones.

    Attributes
    ----------
    sigma : float
        Noise multiplier, > 0.
    batches : float
        T = N / |B|, rounded, >= 2.
    order : float
        Rounded, >= 2: the accountant's lambda + 1.
    """

    sigma: Annotated[float, Between(0.05, HUGE)] = SIGMAS[0]
    batches: Annotated[float, Between(2, 1e7)] = RECORDS / BATCH
    order: Annotated[float, Between(2, 256)] = 2.0

    @cached_property
    def step(self) -> PoissonGaussianStep:
        """What a batch is accounted as."""
        return PoissonGaussianStep(q=1.0 / round(self.batches), sigma=self.sigma)

    @property
    def count(self) -> int:
        """The batches of an epoch."""
        return round(self.batches)

    def sums(self) -> list[LevelSum]:
        """Over the batches of an epoch."""
        return epoch_sums(self.sigma, round(self.batches), 1)


@dataclass(frozen=True, kw_only=True)
class ShuffledSound(ShuffledRun):
    """AD-SHUFFLE-R: E epochs are E Gaussians, of sensitivity `moves` times C."""

    @property
    def _gaussian(self) -> LawPair:
        (pair,) = GaussianStep(sigma=self.sigma, sensitivity=self.moves * math.sqrt(round(self.epochs))).laws()
        return pair

    def printed(self) -> Enclosed:
        """The exact epsilon(delta) of sqrt(E) moves / sigma."""
        return self._gaussian.epsilon(self.delta)

    def printed_ball(self) -> flint.arb | None:
        """The Gaussian mechanism's epsilon."""
        printed = self._gaussian.prove(Measure(kind="epsilon", argument=self.delta, claimed=0.0))
        return None if printed is None else ball(printed)
