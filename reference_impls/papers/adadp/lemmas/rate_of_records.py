"""AD-RATE: batches drawn with probability |B| / N, accounted at that rate for a record added or removed.

Algorithm 2 and Theorem 2 set q = |B| / N. The accountant's neighbours differ in how many records there are, so the
rate of *every* record differs between them: |B| / N against |B| / (N + 1). If m of the others have gradient -C, their
sum's mean moves by m |B| / (N (N + 1)) C in the direction of the new record's, at +C: up to as much again as the record
itself moves it. What hides this is the others' own sampling, a variance of about m |B| / N beside sigma^2. So with a
record on a line (others blank or at -C) a batch tells, to first order, (1 + m / N)^2 q^2 / (sigma^2 + |B| m / N): more
than q^2 / sigma^2 wherever |B| < 2 sigma^2, up to four times as much, and not more at the paper's |B| = 200.

Here: one batch, the exact mixture over how many of the others take part, seen through cells of the line (a lower
bound). **Repaired**, AD-RATE-R: a public rate, the same on both sides. Definition 1's neighbours, of equal size, have
that.

Not to be confused with AD-RELATION, whose neighbours replace a record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Annotated

import flint
import numpy as np
from scipy import stats
from scipy.special import ndtr

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.adadp.lemmas.accounted_epsilon import BATCH, RECORDS, SIGMAS
from reference_impls.papers.enclosures import proved_renyi, quotient

CELLS = 96
_REACH = 12.0  # standard deviations of the others' number that are summed over
_LEAST = 1e-13  # cells rarer than this are not used in doubles


@dataclass(frozen=True, kw_only=True)
class RateOfRecords(Checked):
    """One batch at one moment.

    Attributes
    ----------
    sigma : float
        Noise multiplier, > 0.
    batch_size, records : float
        |B| and N, rounded, the latter without the new record.
    share : float
        Of the N records whose gradient is -C; the others' is 0.
    order : float
        Rounded, >= 2.
    public : bool
        Whether the rate is |B| / N on both sides.
    """

    sigma: Annotated[float, Between(0.3, 1e3)] = SIGMAS[0]
    batch_size: float = BATCH
    records: Annotated[float, Between(2, 1e7)] = RECORDS
    share: Annotated[float, Between(0, 1)] = 0.0
    order: Annotated[float, Between(2, 128)] = 2.0
    public: bool = False

    def validate(self) -> None:
        """A batch is no larger than half of the data set."""
        Between(1, self.records / 2).checked(f"{self.called()}: batch_size", self.batch_size)

    @property
    def rates(self) -> tuple[Fraction, Fraction]:
        """With the new record, and without."""
        size, records = round(self.batch_size), round(self.records)
        return Fraction(size, records if self.public else records + 1), Fraction(size, records)

    @property
    def others(self) -> int:
        """How many records have gradient -C."""
        return round(self.share * round(self.records))

    @cached_property
    def step(self) -> PoissonGaussianStep:
        """What a batch is accounted as."""
        return PoissonGaussianStep(q=float(self.rates[1]), sigma=self.sigma)

    @cached_property
    def counts(self) -> range:
        """How many of the others take part, as far as is summed over."""
        mean = self.others * float(self.rates[1])
        reach = _REACH * (math.sqrt(mean) + 1)
        return range(max(0, math.floor(mean - reach)), min(self.others, math.ceil(mean + reach)) + 1)

    @cached_property
    def cuts(self) -> Float:
        """Where one cell ends and the next begins."""
        mean = self.others * float(self.rates[1])
        spread = math.sqrt(self.sigma**2 + mean)
        return np.linspace(-mean - 6 * spread, -mean + 6 * spread + 1 + round(self.order) / 2, CELLS)

    @cached_property
    def cells(self) -> tuple[Float, Float]:
        """Probabilities of the cells with the new record, and without."""
        counts, cuts = np.array(self.counts), self.cuts[:, None]
        absent, present = (ndtr((cuts + counts - move) / self.sigma) for move in (0, 1))
        found = []
        for rate, parts in zip(self.rates, ((absent, present), (absent,)), strict=True):
            q, weights = float(rate), stats.binom.pmf(counts, self.others, float(rate))
            below = parts[0] @ weights if len(parts) == 1 else ((1 - q) * parts[0] + q * parts[1]) @ weights
            found.append(np.diff(np.concatenate([[0.0], below, [1.0]])))
        return found[0], found[1]

    def printed(self) -> Enclosed:
        """The moment of the accountant's pair (divided by lambda)."""
        value = float(self.step.renyi(np.array([float(round(self.order))]))[0])
        return Enclosed(value=value, error=1e-9 * value if math.isfinite(value) else 0.0)

    def truth(self) -> Enclosed:
        """A lower bound on the batch's."""
        order, (p, q) = round(self.order), self.cells
        good = (p > _LEAST) & (q > _LEAST)
        # Sum of p - q is 0: taking it out leaves no cancellation where the two are alike.
        excess = p[good] * np.expm1((order - 1) * np.log(p[good] / q[good])) - (p[good] - q[good])
        value = math.log1p(max(float(excess.sum()) + float(p[good].sum() - q[good].sum()), 0.0)) / (order - 1)
        return Enclosed(value=value, error=1e-6 * value + 1e-13)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls. What is not summed over is left out of P, and given to each cell of Q."""
        accounted = proved_renyi(self.step.laws()[:1], float(round(self.order)))
        p, q = self._cell_balls()
        total = sum((a * (a / b) ** (round(self.order) - 1) for a, b in zip(p, q, strict=True)), flint.arb(0))
        return quotient(total.log() / (round(self.order) - 1), accounted) if total > 0 else None

    def _cell_balls(self) -> tuple[list[flint.arb], list[flint.arb]]:
        root, cuts = flint.arb(2).sqrt() * flint.arb(self.sigma), [flint.arb(float(cut)) for cut in self.cuts]

        def cells(weights: Sequence[flint.arb], move: int) -> list[flint.arb]:
            below = [
                sum((w * (-(cut + k - move) / root).erfc() / 2 for w, k in zip(weights, self.counts, strict=True)),
                    flint.arb(0))
                for cut in cuts
            ]  # fmt: skip
            whole = sum(weights, flint.arb(0))
            ends = [flint.arb(0), *below, whole]
            return [after - before for before, after in pairwise(ends)]

        here, there = (self._weights(rate) for rate in self.rates)
        rate = exact_ball(self.rates[0])
        p = [(1 - rate) * a + rate * b for a, b in zip(cells(here, 0), cells(here, 1), strict=True)]
        rest = 1 - sum(there, flint.arb(0))
        return p, [cell + rest.max(flint.arb(0)) for cell in cells(there, 0)]

    def _weights(self, rate: Fraction) -> list[flint.arb]:
        """Binomial probabilities of the counts."""
        q, m = exact_ball(rate), self.others
        first = self.counts[0]
        weight = flint.arb(flint.fmpz(math.comb(m, first))) * q**first * (1 - q) ** (m - first)
        found = [weight]
        for k in self.counts[:-1]:
            weight = weight * (m - k) / (k + 1) * q / (1 - q)
            found.append(weight)
        return found


def shown() -> Shown:
    """The numbers shown beside the remark on AD-RATE."""
    alone = RateOfRecords(batch_size=1.0)
    moved, wide = replace(alone, share=1.0), RateOfRecords(share=1.0)
    public = replace(moved, public=True)
    ratios = [one.truth().value / one.printed().value for one in (alone, moved, public, wide)]
    return Shown(
        numbers=(
            ("moment over the accounted one, |B| = 1, others blank", ratios[0]),
            ("others at -C", ratios[1]),
            ("others at -C, a public rate", ratios[2]),
            ("others at -C, |B| = 200", ratios[3]),
        ),
        holds=ratios[1] > 1.5 and max(ratios[0], ratios[2], ratios[3]) <= 1 + 1e-6,
    )
