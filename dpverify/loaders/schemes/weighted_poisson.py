"""Independent inclusions with a rate of each record's own, the same in all batches.

The rates are left open: given how often each record was taken, its batches are any of that number. Under an account for
one rate this costs what the most often taken record costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianReplaceStep, PoissonGaussianStep
from dpverify.core.registry import Registry
from dpverify.loaders import common_tests as common
from dpverify.loaders.detectable import Visible, visible_in_rates
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import ORDER, PAIRS, PASSES, SIZES, STEPS, SchemeTest, counted, fact
from dpverify.loaders.tails import at_least, mean_between, most_likely
from dpverify.loaders.terms import Priced, Terms, composed
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedPoisson(Scheme):
    """The scheme ``weighted-poisson()``."""

    kind: ClassVar[str] = "weighted-poisson"
    rank: ClassVar[int] = 80

    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """Places in the pass and in time, passes, pairs of batches and of records, given each record's number."""
        twice = int(seen.repeated.sum())
        words = f"a record twice in the same batch, in {twice} of {seen.batches} batches"
        yield fact(PASSES, words, impossible=twice > 0)
        if twice:
            return
        taken, batches = seen.record_counts.astype(np.float64), float(seen.batches)
        per_row = self._taken_by_block(seen)
        for (told, count, _, wide), total in zip(seen.blocks(common.PARTS), per_row, strict=True):
            yield counted(ORDER, told, count, total, wide / batches, exact=False)
        chosen = np.concatenate([taken[a:b] for a, b in seen.looked_at])
        if batches > 1:
            both = float((chosen * (chosen - 1)).mean() / (batches * (batches - 1)))
            for lag in common.step_lags(seen):
                count, pairs = seen.in_both_batches(lag)
                told = f"records that are also in the batch {lag} later"
                yield counted(STEPS, told, count, pairs * seen.width, both, exact=False)
        several = float(np.mean(1.0 - _at_most_one(taken, seen.batches, seen.steps)))
        count = int(np.count_nonzero(seen.pass_counts >= 2))
        told = "a record twice or more in a pass"
        yield counted(PASSES, told, count, seen.passes * seen.records, min(1.0, several), exact=False)
        for lag in common.record_lags(seen):
            expected, trials = _neighbours(chosen, seen, lag)
            count, _, _ = seen.both_in_batch(lag)
            told = f"batches with both records {lag} apart"
            yield counted(PAIRS, told, count, trials, expected / max(trials, 1) / batches, exact=False)
        yield self._equal_sizes(seen, pilot, spare / 2)
        yield from self._far_sizes(seen, pilot, spare / 2)
        yield self._always_together(seen, chosen)

    def _far_sizes(self, seen: Observed, pilot: Observed, spare: float) -> Iterator[SchemeTest]:
        """Batches that are much smaller or larger than the mean: not more than with equal rates (Hoeffding 1956)."""
        n, cells = seen.records, seen.records * seen.batches
        low, high = mean_between(seen.total, cells, spare)
        guess = min(max(pilot.total, 1) / (n * pilot.batches), 1.0)
        for level in most_likely(n, guess, (0.01, 0.1, 0.9, 0.99)):
            count, chance = int(np.count_nonzero(seen.sizes <= level)), 1.0 - at_least(level + 1, n, low)
            chance = chance if level <= n * low - 1 else 1.0  # nearer to the mean it need not hold
            yield _above(f"batches of {level} records or fewer", count, seen.batches, chance)
            count, chance = int(np.count_nonzero(seen.sizes >= level)), at_least(level, n, high)
            chance = chance if level >= n * high + 1 else 1.0
            yield _above(f"batches of {level} records or more", count, seen.batches, chance)

    def _always_together(self, seen: Observed, taken: Float) -> SchemeTest:
        """Two records with the same batches: by the expected number of such pairs, given how often each was taken."""
        numbers, records = np.unique(taken[(taken > 0) & (taken < seen.batches)], return_counts=True)
        logs = _log_choose(float(seen.batches), numbers)
        p = float(np.sum(records * (records - 1.0) / 2.0 * np.exp(-np.minimum(logs, 700.0))))
        alike = seen.alike_records
        return fact(PAIRS, f"{alike} records were always in the same batches as another", impossible=alike > 0, p=p)

    def _taken_by_block(self, seen: Observed) -> list[int]:
        """Inclusions of the records of each block."""
        blocks, found = seen.blocks(common.PARTS), []
        columns = len(seen.block_positions(common.PARTS))
        for start in range(0, len(blocks), columns):
            found += [sum(each[1] for each in blocks[start : start + columns])] * columns
        return found

    def _equal_sizes(self, seen: Observed, pilot: Observed, spare: float) -> SchemeTest:
        """Batches of the pilot's first size: none is likelier than 2 / sqrt(1 + 4 v), v the variance of the sizes.

        Sums of independent inclusions are log-concave (Bobkov, Marsiglietti, Melbourne 2022). v is bounded from below
        by the inclusions in which a batch and the next one differ.
        """
        count, pairs = seen.in_both_batches(1)
        first = np.arange(seen.batches - 1)[::2]
        ends = seen.included.sum(axis=0)
        changed = int(ends[first].sum() + ends[first + 1].sum() - 2 * count)
        low, _ = mean_between(changed, pairs * seen.width, spare)
        variance = low * seen.width / 2
        chance = min(1.0, 2.0 / math.sqrt(1.0 + 4.0 * variance))
        size = int(pilot.sizes[0])
        alike = int(np.count_nonzero(seen.sizes == size))
        return _above(f"batches of {size} records", alike, seen.batches, chance)

    def visible(self, seen: Observed, *, level: float) -> list[Visible]:
        """Rates, and correlations of two inclusions."""
        return visible_in_rates(seen, level=level)

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """The record that is taken most often: its rate's limits, over all records at once."""
        most = int(seen.record_counts.max())
        level = alpha / (2 * seen.records)
        low = float(clopper_pearson_lower(most, seen.batches, alpha=level))
        high = float(clopper_pearson_upper(most, seen.batches, alpha=level))
        kind = PoissonGaussianReplaceStep if terms.replaced else PoissonGaussianStep
        sigma, steps = terms.noise_multiplier, terms.steps
        return Priced(
            lower=composed(kind(q=low, sigma=sigma), steps, terms.delta)[0],
            upper=composed(kind(q=high, sigma=sigma), steps, terms.delta)[1],
            words="Poisson-sampled Gaussian of the record that is taken most often",
        )

    def text(self, seen: Observed) -> str:
        """The text names the mean rate, and the range."""
        rates = seen.record_counts / seen.batches
        return f"weighted-poisson (rates {rates.min():.4g} to {rates.max():.4g} seen)"


def _above(words: str, count: int, trials: int, chance: float) -> SchemeTest:
    """Only too many tell against it."""
    return counted(SIZES, words, count, trials, 0.0, chance)


def _at_most_one(taken: Float, batches: int, steps: int) -> Float:
    """P(at most one of `taken` random batches of `batches` lies in given `steps`)."""
    rest, whole = float(batches - steps), _log_choose(float(batches), taken)
    none = np.exp(_log_choose(rest, taken) - whole)
    one = np.where(taken >= 1, steps * np.exp(_log_choose(rest, taken - 1) - whole), 0.0)
    return np.asarray(np.minimum(none + one, 1.0))


def _log_choose(n: float, k: Float) -> Float:
    possible = (k >= 0) & (k <= n)
    kept = np.where(possible, k, 0.0)
    return np.asarray(np.where(possible, -special.betaln(n - kept + 1.0, kept + 1.0) - math.log1p(n), -np.inf))


def _neighbours(taken: Float, seen: Observed, lag: int) -> tuple[float, int]:
    """(sum of products of their numbers, sum of the first ones' numbers) over the pairs of records `lag` apart."""
    products, trials, begun = 0.0, 0.0, 0
    for low, high in seen.looked_at:
        own = np.arange(high - low - lag)
        first = begun + own[own % (2 * lag) < lag]
        products += float((taken[first] * taken[first + lag]).sum())
        trials += float(taken[first].sum())
        begun += high - low
    return products, int(trials)


def register(registry: Registry) -> None:
    """Register the scheme."""
    registry.schemes.add(WeightedPoisson.kind, WeightedPoisson)
