"""The lemma of sampling without replacement on all samples: mechanisms of up to 12 records, every subset listed.

Each record has log-weights for three outcomes, drawn at random; the law on a sample is proportional to exp of their sum
over it. *All* samples of *both* data sets (924 + 462 at n = 12, m = 6) and *all* neighbouring samples are listed: the
truth is the divergence of the two mixtures, the printed side the lemma at the largest divergence of any two neighbours.
Floats, with their errors, for the search; balls for proofs. Not to be confused with the triples of laws in
`without_replacement_amplification`; this enumeration is the check that nothing is lost by them.

What the searches can and cannot see is said there; this one sees the lemma's constants once they are weakened to 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.amplification_printed import ROUNDING, without_replacement_bound
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.discrete import DiscreteLaw
from dpverify.sampling.streams import stream
from reference_impls.papers.accounting.lemmas.amplification_balls import without_replacement_ball
from reference_impls.papers.accounting.lemmas.searched_laws import largest
from reference_impls.papers.enclosures import proved_renyi, quotient
from reference_impls.papers.ranges import TINY, FromTwo, FromZero

Index = NDArray[np.intp]
RECORDS = 12
"""The largest n that is searched."""
_UNIT = 2.0**-53


def printed_bound(q: Fraction, curve: Callable[[Float], Float], order: int) -> Enclosed:
    """The lemma at one order."""
    value = float(without_replacement_bound(float(q), curve, [float(order)])[0])
    return Enclosed(value=value, error=ROUNDING * value)


def weakened(q: float, curve: Callable[[Float], Float], order: int, constants: tuple[float, float, float]) -> float:
    """The lemma with other constants than its (4, 2, 2); in doubles, without care for rounding."""
    powers = np.arange(2.0, order + 1)
    grown = np.exp((powers - 1) * curve(powers))
    values = constants[2] * grown
    values[0] = min(constants[0] * (grown[0] - 1), constants[1] * grown[0])
    weights = np.cumprod((order - powers + 1) * q / powers) * order * q  # C(order, l) q^l
    return float(np.log1p(weights @ values)) / (order - 1)


def described(truth: float, q: float, order: int, curve: Callable[[Float], Float]) -> dict[str, Any]:
    """truth / bound with the constants (4, 2, 2) of the lemma, and with each of them at 1 and at 0.5."""
    found = {}
    for constants in ((4.0, 2.0, 2.0), (1.0, 1.0, 1.0), (0.5, 0.5, 0.5)):
        bound = weakened(q, curve, order, constants)
        found[", ".join(f"{each:g}" for each in constants)] = truth / bound if bound > 0 else 1.0
    return {"ratio with constants": found}


@cache
def all_samples(records: int, sample: int) -> tuple[Index, Index, Index]:
    """Members of every sample, shape (k, sample), and the two ends of all ordered pairs of neighbours."""
    chosen = [*itertools.combinations(range(records), sample)]
    chosen += [(*rest, records) for rest in itertools.combinations(range(records - 1), sample - 1)]
    members = np.array(chosen, dtype=np.intp)
    holds = np.zeros((len(chosen), records + 1), dtype=np.float32)
    np.put_along_axis(holds, members, 1.0, axis=1)
    first, second = np.nonzero(holds @ holds.T == sample - 1)
    return members, first, second


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutReplacementSubsets(Checked):
    """All samples of drawn records; the last two of the n + 1 are the record and its replacement.

    Attributes
    ----------
    n, m : float
        Records and sample size, rounded, 1 <= m < n <= `RECORDS`.
    order : float
        Rounded, >= 2.
    draw : float
        Rounded: which records.
    spread : float
        Standard deviation of their log-weights on three outcomes, > 0.
    """

    n: Annotated[float, Between(2, RECORDS)] = 6.0
    m: Annotated[float, Between(1, RECORDS)] = 2.0
    order: FromTwo = 3.0
    draw: FromZero = 0.0
    spread: Annotated[float, Between(TINY, 100)] = 1.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return max(round(self.order), 2)

    @property
    def size(self) -> tuple[int, int]:
        """n and m, rounded."""
        records = min(max(round(self.n), 2), RECORDS)
        return records, min(max(round(self.m), 1), records - 1)

    @property
    def q(self) -> Fraction:
        """The sampling ratio m / n."""
        records, sample = self.size
        return Fraction(sample, records)

    def weights(self) -> Float:
        """Log-weights of the n + 1 records on the first two outcomes, shape (n + 1, 2); the third's is 0."""
        drawn = stream(round(self.draw), "without-replacement").standard_normal((self.size[0] + 1, 2))
        return np.asarray(self.spread * drawn, dtype=np.float64)

    def samples(self) -> tuple[Float, float]:
        """Log-law on every sample, shape (k, 3), in the order of `all_samples`, and the error of each entry."""
        weights = self.weights()
        sums = weights[all_samples(*self.size)[0]].sum(axis=1)
        sums = np.concatenate([sums, np.zeros((len(sums), 1))], axis=1)
        logs = sums - np.logaddexp.reduce(sums, axis=1, keepdims=True)
        return logs, _UNIT * (16 + 4 * (self.size[1] + 2) * self.size[1] * float(np.abs(weights).max()))

    def mixtures(self) -> tuple[LawPair, ...]:
        """The two whole laws, both directions; provable."""
        logs, error = self.samples()
        records, sample = self.size
        members = all_samples(records, sample)[0]
        laws = []
        for gone in (records, records - 1):
            kept = np.flatnonzero(~(members == gone).any(axis=1))
            mean = np.logaddexp.reduce(logs[kept], axis=0) - np.log(len(kept))
            rounding = _UNIT * (32 + len(kept) + 4 * float(np.abs(mean).max()))
            laws.append(
                DiscreteLaw(
                    log_probabilities=np.minimum(mean, 0.0),
                    error=error + rounding,
                    enclose=partial(self._mean, kept),
                )
            )
        return laws[0].against(laws[1]), laws[1].against(laws[0])

    def _balls(self) -> list[list[flint.arb]]:
        """The law on every sample."""
        weights = [[flint.arb(x) for x in row] for row in self.weights().tolist()]
        laws = []
        for members in all_samples(*self.size)[0].tolist():
            grown = [sum((weights[i][k] for i in members), flint.arb(0)).exp() for k in range(2)]
            total = grown[0] + grown[1] + 1
            laws.append([grown[0] / total, grown[1] / total, 1 / total])
        return laws

    def _mean(self, kept: Index) -> list[flint.arb]:
        laws = self._balls()
        return [sum((laws[i][k] for i in kept.tolist()), flint.arb(0)) / len(kept) for k in range(3)]

    def _curve(self) -> Callable[[Float], Float]:
        """The largest divergence between neighbouring samples at whole orders that rise, from above."""
        logs, error = self.samples()
        _, first, second = all_samples(*self.size)
        columns = np.ascontiguousarray(logs.T)
        ratio = columns[:, first] - columns[:, second]
        most = ratio.max(axis=0)
        shrunk = np.exp(ratio - most)  # at most 1: no overflow at any order
        start = np.exp(columns[:, second])

        def curve(orders: Float) -> Float:
            found, terms, reached = [], start.copy(), 0
            for order in orders.astype(int).tolist():
                for _ in range(order - reached):
                    terms *= shrunk
                reached = order
                moments = order * most + np.log(terms.sum(axis=0))
                found.append(float(moments.max()) / (order - 1) + (1e-14 + 4 * error) * order)
            return np.asarray(np.maximum(found, 0.0), dtype=np.float64)

        return curve

    def printed(self) -> Enclosed:
        """The lemma at the exact curve over all neighbouring samples."""
        return printed_bound(self.q, self._curve(), self.whole)

    def truth(self) -> Enclosed:
        """The divergence in the worse direction."""
        return largest(self.mixtures(), float(self.whole))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """Both in balls, the curve over all neighbouring samples; seconds to a minute at n = 12 and high orders."""
        laws = self._balls()
        _, first, second = all_samples(*self.size)
        near = [
            [(p, p / q) for p, q in zip(laws[i], laws[j], strict=True)]
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]

        def curve(order: int) -> flint.arb:
            moment = flint.arb(0)
            for outcomes in near:
                moment = moment.max(sum((p * ratio ** (order - 1) for p, ratio in outcomes), flint.arb(0)))
            return moment.log() / (order - 1)

        printed = without_replacement_ball(exact_ball(self.q), curve, self.whole)
        return quotient(proved_renyi(self.mixtures(), float(self.whole)), printed)

    def describe(self) -> dict[str, Any]:
        """The ratio at this point under the printed constants (4, 2, 2), and under weaker ones."""
        return described(self.truth().value, float(self.q), self.whole, self._curve())
