"""ACC-AMP-WOR: the amplification bound for m of n records drawn without replacement, for any mechanism.

DISS Lemma 2.3 (Wang, Balle, Kasiviswanathan 2019, Theorem 9, without its third minimum), replace neighbours, whole
orders, q = m / n. epsilon(j) is the mechanism's exact curve: the largest divergence between its laws on any two samples
that differ in one record, both directions; the truth is that between the two mixtures over all samples.

- Searched: the law on a sample depends only on whether it holds the record, its replacement, or neither: three laws,
  any two of which may face each other, mixed with weights m / n and 1 - m / n. Any other mechanism is a mixture of such
  triples (pair each sample that holds the record with all that hold another one instead), so nothing is lost.
- Enumerated: n <= 8 records with log-weights drawn at random; the law on a sample is proportional to exp of their sum
  over the sample, and *all* samples of *both* data sets, and all neighbouring samples, are listed.

With m = n nothing is sampled out; m < n here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np

from dpverify.accounting.amplification_printed import ROUNDING, without_replacement_bound
from dpverify.core.measure import Enclosed
from dpverify.core.protocols import Float, LawPair
from dpverify.core.registry import Registry
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.sampling.streams import stream
from reference_impls.accounting.amplification_balls import without_replacement_ball
from reference_impls.accounting.lemma import HUGE, TINY, checked, lemma_claim, proved_renyi, quotient
from reference_impls.accounting.searched_laws import (
    REACH,
    all_ways,
    both_ways,
    largest,
    mixed,
    probabilities,
    worst_ball,
    worst_curve,
)

Exact = tuple[Fraction, ...]
MOST = 32.0
"""The largest order that is searched."""
RECORDS = 12
"""The largest n that is searched."""
ENUMERATED = 8
"""The largest n whose samples are listed."""


def _sides(order: int, q: Fraction, base: tuple[LawPair, ...]) -> Enclosed:
    def curve(orders: Float) -> Float:
        return worst_curve(base, orders)

    value = float(without_replacement_bound(float(q), curve, [float(order)])[0])
    return Enclosed(value=value, error=ROUNDING * value)


def _proof(order: int, q: Fraction, base: tuple[LawPair, ...], mixtures: tuple[LawPair, ...]) -> Enclosed | None:
    printed = without_replacement_ball(exact_ball(q), worst_ball(base), order)
    return quotient(proved_renyi(mixtures, float(order)), printed)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementBits:
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

    n: float = 12.0
    m: float = 3.0
    order: float = 3.0
    before: float = 1.0
    after: float = -1.0
    neither: float = 0.0

    def __post_init__(self) -> None:
        checked(self, n=(2, RECORDS), m=(1, RECORDS), order=(2, HUGE))

    @property
    def whole(self) -> int:
        """The order."""
        return max(round(self.order), 2)

    @property
    def q(self) -> Fraction:
        """m / n."""
        records = min(max(round(self.n), 2), RECORDS)
        return Fraction(min(max(round(self.m), 1), records - 1), records)

    def laws(self) -> tuple[Exact, Exact, Exact]:
        """Before, after, neither."""
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
        """The worse direction."""
        return largest(self._pairs()[1], float(self.whole))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls."""
        return _proof(self.whole, self.q, *self._pairs())


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementTernary(WithoutReplacementBits):
    """Three outcomes: one further log-weight of each law."""

    before_1: float = 0.0
    after_1: float = 0.0
    neither_1: float = 0.0

    def laws(self) -> tuple[Exact, Exact, Exact]:
        """Before, after, neither."""
        before, after = probabilities([self.before, self.before_1]), probabilities([self.after, self.after_1])
        return before, after, probabilities([self.neither, self.neither_1])


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementSubsets:
    """All samples of drawn records; the last two of the n + 1 are the record and its replacement.

    Attributes
    ----------
    n, m : float
        As above, n <= `ENUMERATED`.
    order : float
        Rounded, >= 2.
    draw : float
        Rounded: which records.
    spread : float
        Standard deviation of their log-weights on three outcomes, > 0.
    """

    n: float = 6.0
    m: float = 2.0
    order: float = 3.0
    draw: float = 0.0
    spread: float = 1.0

    def __post_init__(self) -> None:
        checked(self, n=(2, ENUMERATED), m=(1, ENUMERATED), order=(2, HUGE), draw=(0, HUGE), spread=(TINY, 100))

    @property
    def whole(self) -> int:
        """The order."""
        return max(round(self.order), 2)

    @property
    def size(self) -> tuple[int, int]:
        """n and m."""
        records = min(max(round(self.n), 2), ENUMERATED)
        return records, min(max(round(self.m), 1), records - 1)

    @property
    def q(self) -> Fraction:
        """m / n."""
        records, sample = self.size
        return Fraction(sample, records)

    def samples(self) -> dict[frozenset[int], Exact]:
        """The exact law on every sample of either data set; record n - 1 is replaced by n."""
        records, sample = self.size
        weights = self.spread * stream(round(self.draw), "without-replacement").standard_normal((records + 1, 2))
        whole = {*itertools.combinations(range(records), sample)}
        whole |= {(*rest, records) for rest in itertools.combinations(range(records - 1), sample - 1)}
        return {frozenset(chosen): probabilities(weights[list(chosen)].sum(axis=0).tolist()) for chosen in whole}

    def _logs(self) -> tuple[Float, Float]:
        """Log-laws of neighbouring samples, both directions, one row a pair."""
        laws = self.samples()
        rows = {key: np.log(np.array([float(x) for x in law])) for key, law in laws.items()}
        near = [(a, b) for a, b in itertools.permutations(rows, 2) if len(a - b) == 1]
        return np.array([rows[a] for a, _ in near]), np.array([rows[b] for _, b in near])

    def mixtures(self) -> tuple[LawPair, ...]:
        """The two whole laws, both directions."""
        records, _ = self.size
        laws = self.samples()
        sides = [[law for key, law in laws.items() if gone not in key] for gone in (records, records - 1)]
        first, second = (mixed([(Fraction(1, len(side)), law) for law in side]) for side in sides)
        return both_ways(first, second)

    def _curve(self) -> Callable[[Float], Float]:
        log_p, log_q = self._logs()

        def curve(orders: Float) -> Float:
            found = []
            for order in orders.tolist():
                moments = np.logaddexp.reduce(order * log_p - (order - 1) * log_q, axis=1)
                found.append(float(moments.max()) / (order - 1) + 1e-14 * order)
            return np.asarray(np.maximum(found, 0.0), dtype=np.float64)

        return curve

    def printed(self) -> Enclosed:
        """The lemma at the exact curve over all neighbouring samples."""
        value = float(without_replacement_bound(float(self.q), self._curve(), [float(self.whole)])[0])
        return Enclosed(value=value, error=ROUNDING * value)

    def truth(self) -> Enclosed:
        """The worse direction."""
        return largest(self.mixtures(), float(self.whole))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls, the curve over all neighbouring samples."""
        laws = self.samples()
        near = [(laws[a], laws[b]) for a, b in itertools.permutations(laws, 2) if len(a - b) == 1]

        def curve(order: int) -> flint.arb:
            found = flint.arb(0)
            for p, q in near:
                terms = (
                    exact_ball(x) * (exact_ball(x) / exact_ball(y)) ** (order - 1) for x, y in zip(p, q, strict=True)
                )
                found = found.max(sum(terms, flint.arb(0)).log() / (order - 1))
            return found

        printed = without_replacement_ball(exact_ball(self.q), curve, self.whole)
        return quotient(proved_renyi(self.mixtures(), float(self.whole)), printed)


def register(registry: Registry) -> None:
    """Offer the subjects and their claims."""
    weight = (-REACH, REACH)
    bits = dict.fromkeys(("before", "after", "neither"), weight)
    ternary = bits | dict.fromkeys(("before_1", "after_1", "neither_1"), weight)
    drawn = {"draw": (0.0, 1e6), "spread": (0.02, 2.0)}
    rows: tuple[tuple[str, str, type, int, str, dict[str, tuple[float, float]]], ...] = (
        ("", "bits", WithoutReplacementBits, RECORDS, "any bit", bits),
        ("-TERNARY", "ternary", WithoutReplacementTernary, RECORDS, "any law on three outcomes", ternary),
        ("-SUBSETS", "subsets", WithoutReplacementSubsets, ENUMERATED, "all samples of drawn records", drawn),
    )
    for suffix, name, subject, most, words, searched in rows:
        boxes = {"n": (2.0, float(most)), "m": (1.0, most - 1.0), "order": (2.0, MOST), **searched}
        registry.mechanisms.add(f"lemma-without-replacement-{name}", subject)
        registry.add_claim(
            lemma_claim(
                f"ACC-AMP-WOR{suffix}",
                subject=f"lemma-without-replacement-{name}",
                quantity="renyi",
                source=("DISS", "L.2.3"),
                statement=f"m of n records without replacement amplify as printed (replace, whole orders): {words}.",
                parameters={field: getattr(subject(), field) for field in boxes},
                boxes=boxes,
            )
        )
