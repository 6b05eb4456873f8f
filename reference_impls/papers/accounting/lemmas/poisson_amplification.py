"""ACC-AMP-POISSON: the amplification bound for a Poisson sample (factor 3, whole orders), for any mechanism.

BLSGD Lemma 4, DISS Lemma 2.4 (Zhu and Wang 2019, Theorem 5), add-remove neighbours. With P and Q the mechanism's laws
with and without the record on one sample, the whole is M = (1 - q) Q + q P against Q; a mixture over the other records
is no worse. The printed side takes epsilon(l) = the larger of D_l(P, Q) and D_l(Q, P), which is what the lemma asks
for; the truth is the larger of D_alpha(M, Q), D_alpha(Q, M).

Towards Q the lemma with factor 1 is the binomial theorem, an equality when D_l(P, Q) is the larger direction. The other
direction has no such formula for any mechanism, and the factor 3 is for it. Order 2 holds as printed, with equality
where the first direction is the larger: chi^2(Q, M) = q^2 sum (P - Q)^2 / M, and 1 / M is at most (1 - q) / Q + q / P.
Laws with many parameters are therefore searched from order 3.

Families: Gaussian noise (`poisson_gaussian`); randomised response; searched laws on two and on four outcomes; the
stopping law of NoisyBTLS (Laplace) on searched losses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.steps.guarantees import RandomisedResponseStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.stopping import StoppingLaw
from dpverify.laws.stopping_proof import probabilities as stopping_balls
from reference_impls.papers.accounting.lemmas.amplification_balls import poisson_ball
from reference_impls.papers.accounting.lemmas.poisson_gaussian import printed_bound
from reference_impls.papers.accounting.lemmas.searched_laws import (
    both_ways,
    largest,
    mixed,
    probabilities,
    worst_ball,
    worst_curve,
)
from reference_impls.papers.enclosures import proved_renyi, quotient
from reference_impls.papers.ranges import TINY, FromTwo


@dataclass(frozen=True, kw_only=True)
class _Finite(Checked, ABC):
    """A mechanism with finitely many outcomes: subclasses give its laws with and without the record.

    Attributes
    ----------
    q, order : float
        Sampling probability in (0, 1]; order, rounded, >= 2.
    """

    q: Annotated[float, Between(TINY, 1)] = 0.005
    order: FromTwo = 3.0

    @property
    def whole(self) -> int:
        """The order, rounded to a whole number."""
        return max(round(self.order), 2)

    @abstractmethod
    def base(self) -> tuple[LawPair, ...]:
        """Both directions of the mechanism on one sample."""

    @abstractmethod
    def sampled(self) -> tuple[LawPair, ...]:
        """Both directions of the mixture against the law without the record."""

    def printed(self) -> Enclosed:
        """The lemma at the mechanism's exact curve."""
        pairs = self.base()
        return printed_bound(self.q, lambda orders: worst_curve(pairs, orders), self.whole)

    def truth(self) -> Enclosed:
        """The divergence in the worse direction."""
        return largest(self.sampled(), float(self.whole))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        truth = proved_renyi(self.sampled(), float(self.whole))
        return quotient(truth, poisson_ball(flint.arb(self.q), worst_ball(self.base()), self.whole))


@dataclass(frozen=True, kw_only=True)
class PoissonBits(_Finite):
    """One bit, by its log-odds with (`present`) and without (`absent`) the record."""

    present: float = 1.0
    absent: float = -1.0

    def _laws(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        return probabilities([self.present]), probabilities([self.absent])

    def base(self) -> tuple[LawPair, ...]:
        """The mechanism's pair of laws, in both directions."""
        return both_ways(*self._laws())

    def sampled(self) -> tuple[LawPair, ...]:
        """The sampled mechanism's pair of laws, in both directions."""
        present, absent = self._laws()
        rate = Fraction(self.q)
        return both_ways(mixed([(rate, present), (1 - rate, absent)]), absent)


@dataclass(frozen=True, kw_only=True)
class PoissonQuads(PoissonBits):
    """Four outcomes: two further log-weights of each law."""

    present_1: float = 0.5
    present_2: float = -0.5
    absent_1: float = -0.5
    absent_2: float = 0.5

    def _laws(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        present = probabilities([self.present, self.present_1, self.present_2])
        return present, probabilities([self.absent, self.absent_1, self.absent_2])


@dataclass(frozen=True, kw_only=True)
class PoissonResponse(_Finite):
    """Randomised response at `epsilon`: the record's own value, or the other one without it."""

    epsilon: float = 1.0

    def base(self) -> tuple[LawPair, ...]:
        """The symmetric pair of randomised response."""
        return RandomisedResponseStep(epsilon=self.epsilon).laws()

    def sampled(self) -> tuple[LawPair, ...]:
        """The sampled mechanism's pair of laws, in both directions."""
        first, second = (
            DiscreteLaw.from_log_weights(weights) for weights in ((self.epsilon, 0.0), (0.0, self.epsilon))
        )
        return _with_rate(first, second, self.q)


@dataclass(frozen=True, kw_only=True)
class PoissonStopping(_Finite):
    """NoisyBTLS with Laplace noise: threshold scale 2 Delta / epsilon, query scale 4 Delta / epsilon, Delta = 1.

    One record more moves the i-th query by f_w - h_i. The first `ahead` queries are at `level` and move by
    `loss` - `before`, the last is at -`level` and moves by `loss` - `after`; all losses in [0, 1].
    """

    epsilon: float = 0.2
    ahead: float = 5.0
    level: float = 0.0
    loss: float = 1.0
    before: float = 0.0
    after: float = 1.0

    @cached_property
    def _laws(self) -> tuple[DiscreteLaw, DiscreteLaw]:
        moves = np.append(np.full(max(round(self.ahead), 1), self.loss - self.before), self.loss - self.after)
        levels = np.append(np.full(moves.size - 1, -self.level), self.level) / self.epsilon
        return self._law(levels + moves), self._law(levels)

    def _law(self, levels: Float) -> DiscreteLaw:
        law = StoppingLaw(
            noise="laplace", threshold_scale=2 / self.epsilon, query_scale=4 / self.epsilon, levels=levels
        )
        return DiscreteLaw(
            log_probabilities=law.log_probabilities(),
            error=float(np.max(law.log_errors())),
            enclose=lambda: stopping_balls(law),
        )

    def base(self) -> tuple[LawPair, ...]:
        """The mechanism's pair of laws, in both directions."""
        present, absent = self._laws
        return present.against(absent), absent.against(present)

    def sampled(self) -> tuple[LawPair, ...]:
        """The sampled mechanism's pair of laws, in both directions."""
        return _with_rate(*self._laws, self.q)


def _with_rate(present: DiscreteLaw, absent: DiscreteLaw, q: float) -> tuple[LawPair, ...]:
    """Both directions of the mixture against `absent`, provable."""
    rate = Fraction(q)

    def balls() -> list[flint.arb]:
        assert present.enclose is not None
        assert absent.enclose is not None
        kept = exact_ball(1 - rate)
        return [exact_ball(rate) * a + kept * b for a, b in zip(present.enclose(), absent.enclose(), strict=True)]

    with np.errstate(divide="ignore"):
        logs = np.logaddexp(np.log(q) + present.log_probabilities, np.log1p(-q) + absent.log_probabilities)
    error = max(present.error, absent.error) + 1e-15 * (2 + float(np.max(np.abs(logs))))
    mixture = DiscreteLaw(log_probabilities=np.minimum(logs, 0.0), error=error, enclose=balls)
    return mixture.against(absent), absent.against(mixture)
