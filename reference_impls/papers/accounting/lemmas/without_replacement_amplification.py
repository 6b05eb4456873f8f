"""ACC-AMP-WOR: the amplification bound for m of n records drawn without replacement, for any mechanism.

DISS Lemma 2.3 (Wang, Balle, Kasiviswanathan 2019, Theorem 9, without its third minimum), replace neighbours, whole
orders, q = m / n. epsilon(j) is the mechanism's exact curve: the largest divergence between its laws on any two samples
that differ in one record, both directions; the truth is that between the two mixtures over all samples.

- Searched: the law on a sample depends only on whether it holds the record, its replacement, or neither: three laws,
  any two of which may face each other, mixed with weights m / n and 1 - m / n. Any other mechanism is a mixture of such
  triples (pair each sample that holds the record with all that hold another one instead), so nothing is lost.
- Enumerated: `without_replacement_subsets`, in its own file.

With m = n nothing is sampled out; m < n here.

**What the searches can see.** At order 32 both sides come near log(1 / q) and ratios near 1, whatever the constants; at
low orders the lemma's own are far from tight. With 4, 2 (of l = 2) and 2 (of l >= 3) all weakened to 1, the searches of
bits and of three outcomes find nothing at effort 1; the drawn samples find 1.01 (n = 2, m = 1, order 2). All at 0.5 is
seen by each: 2.0 for bits, 2.4 for three outcomes. So constants wrong by a factor of 4 would be noticed, and whether 4
and 2 are needed, or hold with little room, these searches do not say. `describe` gives the ratios under weaker
constants at the worst point found.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import LawPair
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.accounting.lemmas.amplification_balls import without_replacement_ball
from reference_impls.papers.accounting.lemmas.searched_laws import (
    all_ways,
    both_ways,
    largest,
    mixed,
    probabilities,
    worst_ball,
    worst_curve,
)
from reference_impls.papers.accounting.lemmas.without_replacement_subsets import (
    RECORDS,
    described,
    printed_bound,
)
from reference_impls.papers.enclosures import proved_renyi, quotient
from reference_impls.papers.ranges import FromTwo

Exact = tuple[Fraction, ...]


def _sides(order: int, q: Fraction, base: tuple[LawPair, ...]) -> Enclosed:
    return printed_bound(q, partial(worst_curve, base), order)


def _proof(order: int, q: Fraction, base: tuple[LawPair, ...], mixtures: tuple[LawPair, ...]) -> Enclosed | None:
    printed = without_replacement_ball(exact_ball(q), worst_ball(base), order)
    return quotient(proved_renyi(mixtures, float(order)), printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementBits(Checked):
    """One bit: three log-odds, for samples with the record, with its replacement, with neither.

    Attributes
    ----------
    n, m : float
        Records and sample size, rounded, 1 <= m < n <= `RECORDS`.
    order : float
        Rounded, >= 2.
    before, after, neither : float
        The log-odds.
    """

    n: Annotated[float, Between(2, RECORDS)] = 12.0
    m: Annotated[float, Between(1, RECORDS)] = 3.0
    order: FromTwo = 3.0
    before: float = 1.0
    after: float = -1.0
    neither: float = 0.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return max(round(self.order), 2)

    @property
    def q(self) -> Fraction:
        """The sampling ratio m / n."""
        records = min(max(round(self.n), 2), RECORDS)
        return Fraction(min(max(round(self.m), 1), records - 1), records)

    def laws(self) -> tuple[Exact, Exact, Exact]:
        """Laws with the record before and after the change, and with neither."""
        return probabilities([self.before]), probabilities([self.after]), probabilities([self.neither])

    def _pairs(self) -> tuple[tuple[LawPair, ...], tuple[LawPair, ...]]:
        before, after, neither = self.laws()
        rate = self.q
        mixtures = (mixed([(rate, law), (1 - rate, neither)]) for law in (before, after))
        return all_ways((before, after, neither)), both_ways(*mixtures)

    def printed(self) -> Enclosed:
        """The lemma at the mechanism's exact curve."""
        return _sides(self.whole, self.q, self._pairs()[0])

    def truth(self) -> Enclosed:
        """The divergence in the worse direction."""
        return largest(self._pairs()[1], float(self.whole))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        return _proof(self.whole, self.q, *self._pairs())

    def describe(self) -> dict[str, Any]:
        """The ratio at this point under the printed constants (4, 2, 2), and under weaker ones."""
        return described(self.truth().value, float(self.q), self.whole, partial(worst_curve, self._pairs()[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementTernary(WithoutReplacementBits):
    """Three outcomes: one further log-weight of each law."""

    before_1: float = 0.0
    after_1: float = 0.0
    neither_1: float = 0.0

    def laws(self) -> tuple[Exact, Exact, Exact]:
        """Laws with the record before and after the change, and with neither."""
        before, after = probabilities([self.before, self.before_1]), probabilities([self.after, self.after_1])
        return before, after, probabilities([self.neither, self.neither_1])
