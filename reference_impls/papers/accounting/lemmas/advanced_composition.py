"""ACC-ADV-HET: heterogeneous advanced composition against the exact composition of its worst mechanisms.

ADPSGD Lemma 2.2: epsilon = sqrt(2 log(1/delta') sum epsilon_i^2) + sum epsilon_i (e^epsilon_i - 1) / (e^epsilon_i + 1)
at delta = 1 - prod(1 - delta_i) + delta'. Every (epsilon_i, delta_i)-DP mechanism is a randomisation of one with four
outcomes (Kairouz, Oh, Viswanath 2015): with probability delta_i it reveals the data, else it is randomised response. So
the composition of k of those is the worst, and its exact epsilon(delta) the truth, attained. Nothing is revealed with
probability prod(1 - delta_i); in that case 2^k signs of epsilon_i are all that is left to enumerate: delta(epsilon) = 1
- prod(1 - delta_i) + prod(1 - delta_i) times the divergence of the product of randomised responses.

The lemma asks for epsilon_i < 1; ACC-ADV-HET-BEYOND is the same without that condition, which Kairouz, Oh, Viswanath's
Theorem 3.5 does not need.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.accountants.advanced import ROUNDING, lemma_sums
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import Float
from dpverify.laws.balls import at_working_precision
from dpverify.laws.discrete_pair import DiscretePair
from reference_impls.papers.enclosures import quotient
from reference_impls.papers.ranges import AboveZero, InsideUnit

MOST = 12
"""Steps that are enumerated: 2^12 outcomes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvancedComposition(Checked):
    """k steps whose budgets run from `low` to `high` along a power, and their deltas from `first` to `last`.

    Attributes
    ----------
    count : float
        k, rounded, 1 .. `MOST`.
    low, high, bend : float
        epsilon_i = low + (high - low) (i / (k - 1))^bend, i = 0 .. k - 1.
    first, last : float
        delta_i, geometric between them, in (0, 1).
    rest : float
        delta' in (0, 1).
    """

    count: Annotated[float, Between(1, MOST)] = 12.0
    low: AboveZero = 0.1
    high: AboveZero = 0.1
    bend: AboveZero = 1.0
    first: InsideUnit = 1e-6
    last: InsideUnit = 1e-6
    rest: InsideUnit = 1e-5

    def budgets(self) -> tuple[Float, Float]:
        """epsilon_i and delta_i, each of shape (k,)."""
        size = min(max(round(self.count), 1), MOST)
        places = np.linspace(0.0, 1.0, size)
        return self.low + (self.high - self.low) * places**self.bend, np.geomspace(self.first, self.last, size)

    def printed(self) -> Enclosed:
        """The epsilon that the lemma gives."""
        epsilons, deltas = self.budgets()
        sums = lemma_sums((float(e), float(d), 1) for e, d in zip(epsilons, deltas, strict=True))
        value = math.sqrt(-2 * math.log(self.rest) * sums.squares) + sums.drift
        return Enclosed(value=value, error=2 * ROUNDING * value)

    def truth(self) -> Enclosed:
        """The exact epsilon at the lemma's delta."""
        pair, allowed = self._responses()
        return pair.epsilon(allowed) if allowed < 1 else Enclosed(value=0.0)

    def _responses(self) -> tuple[DiscretePair, float]:
        """The product of the randomised responses, and the delta that it may have."""
        epsilons, deltas = self.budgets()
        log_p = np.zeros(1)
        log_q = np.zeros(1)
        for epsilon in epsilons.tolist():
            likely, rare = -math.log1p(math.exp(-epsilon)), -math.log1p(math.exp(epsilon))
            log_p = np.add.outer(log_p, [likely, rare]).ravel()
            log_q = np.add.outer(log_q, [rare, likely]).ravel()
        pair = DiscretePair(log_p=log_p, log_q=log_q, error=1e-15 * MOST)
        return pair, self.rest * math.exp(-float(np.sum(np.log1p(-deltas))))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """log((P(S) - delta) / Q(S)) over the event S that the float law is worst on, against the lemma in balls."""
        pair, _ = self._responses()
        chosen = pair.log_p - pair.log_q > self.truth().value
        epsilons, deltas = ([flint.arb(x) for x in each.tolist()] for each in self.budgets())
        one, zero = flint.arb(1), flint.arb(0)
        kept = math.prod((1 - delta for delta in deltas), start=one)
        likely = [1 / (1 + (-epsilon).exp()) for epsilon in epsilons]
        mass, other = zero, zero
        for inside, signs in zip(chosen.tolist(), itertools.product((False, True), repeat=len(likely)), strict=True):
            if inside:
                mass += math.prod(((1 - p) if flip else p for p, flip in zip(likely, signs, strict=True)), start=one)
                other += math.prod((p if flip else (1 - p) for p, flip in zip(likely, signs, strict=True)), start=one)
        beyond = mass - flint.arb(self.rest) / kept
        if not (beyond > 0 and other > 0):
            return None
        squares = sum((epsilon**2 for epsilon in epsilons), zero)
        drift = sum((epsilon * (epsilon / 2).tanh() for epsilon in epsilons), zero)
        printed = (-2 * flint.arb(self.rest).log() * squares).sqrt() + drift
        return quotient((beyond / other).log(), printed)
