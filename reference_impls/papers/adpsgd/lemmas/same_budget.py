"""Do ADP-SGD and DP-SGD cost the same privacy at one epsilon of (6)? Ledger row AP-SAME-BUDGET.

ADPSGD compares the two "given the same privacy budget": one epsilon in (6), which asks the same sum over t of 1 /
(alpha_t sigma)^2 of both. Here the exact Renyi divergence of section 6's runs is compared, batches of m drawn as
Poisson samples, one record added or removed (as footnote 3 counts): with q = m / n and x_t = (G / (m alpha_t sigma))^2,
order k costs

    sum_t log(1 + sum_{j=2}^k C(k, j) q^j (1 - q)^(k-j) (e^(j (j-1) x_t / 2) - 1)) / (k - 1).

A step's cost is convex in x_t (a logarithm of a sum of exponentials), so of all schedules with the same sum of x_t the
constant one is the cheapest: ADP-SGD, whose first noises are the smallest, costs more than DP-SGD. By less than a
percent where x_t is small; by a factor where the first noises fall below what one record moves, as at epsilon_bar =
6.4. Only without sampling, q = 1, is the cost proportional to the sum, and the same (**repaired**).

Neither run exceeds its epsilon of (6) (AP-THM41.c); it is the comparison that is not at equal privacy. Not to be
confused with AP-THM41, whose batches are single records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.filters import CONSTANT, AdpSgdBudget
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.optimizers.adp_sgd_schedules import polynomial
from reference_impls.papers.enclosures import quotient

Float = NDArray[np.float64]
RECORDS, BATCH, DELTA, TRAINING, A, C = 50000, 256, 1e-5, 11700, 20.0, 1.0
BUDGETS = (0.8, 1.2, 1.6, 3.2, 6.4)
"""Section 6's, as epsilon_bar."""
_ERROR = 1e-10  # relative: 10^5 positive terms, each to a few roundings
_LARGE = 20.0  # x from which what no draw adds, at most e^-x of the whole, is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class SameBudget(Checked):
    """Subject ``lemma-adp-sgd-same-budget``: DP-SGD's Renyi divergence against ADP-SGD's, b_t = sqrt(a + c t), G = 1.

    Attributes
    ----------
    epsilon : float
        Of (6), 16 epsilon_bar.
    order : float
        k once rounded, 2 .. 8.
    steps : float
        T once rounded.
    a, c : float
        > 0.
    sampled : bool
        Batches of 256 of 50000; otherwise all 256 in every step.
    """

    epsilon: Annotated[float, Between(1e-3, 200)] = CONSTANT * BUDGETS[0]
    order: Annotated[float, Between(2, 8)] = 2.0
    steps: Annotated[float, Between(1, 1e5)] = float(TRAINING)
    a: Annotated[float, Between(1, 1e6)] = A
    c: Annotated[float, Between(1e-9, 1e6)] = C
    sampled: bool = True

    @property
    def whole(self) -> tuple[int, int]:
        """k and T, rounded to whole numbers."""
        return round(self.order), round(self.steps)

    @property
    def rows(self) -> int:
        """The number of records n."""
        return RECORDS if self.sampled else BATCH

    @property
    def spent(self) -> float:
        """DP-SGD's x_t; all steps together have T times this in either algorithm. As a double what both sides speak
        of."""
        given = AdpSgdBudget(epsilon=self.epsilon, delta=DELTA, n=RECORDS, steps=self.whole[1])
        return given.noise_multiplier(BATCH) ** -2

    def printed(self) -> Enclosed:
        """DP-SGD's Renyi divergence."""
        value = _costs(self)[0]
        return Enclosed(value=value, error=_ERROR * value)

    def truth(self) -> Enclosed:
        """ADP-SGD's Renyi divergence."""
        value = _costs(self)[1]
        return Enclosed(value=value, error=_ERROR * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        order, steps = self.whole
        rate, spent = flint.arb(BATCH) / self.rows, exact_ball(self.spent)
        chances = [math.comb(order, j) * rate**j * (1 - rate) ** (order - j) for j in range(2, order + 1)]

        def cost(x: flint.arb) -> flint.arb:
            terms = (chance * (x * (j * (j - 1)) / 2).expm1() for j, chance in enumerate(chances, start=2))
            return sum(terms, flint.arb(0)).log1p()

        inverse = [1 / (exact_ball(self.a) + exact_ball(self.c) * t).sqrt() for t in range(1, steps + 1)]
        scale = steps * spent / sum(inverse, flint.arb(0))
        return quotient(sum((cost(scale * each) for each in inverse), flint.arb(0)), steps * cost(spent))

    def describe(self) -> dict[str, Any]:
        """Section 6's budgets: both noise multipliers and how much more ADP-SGD costs at this order."""
        rows = []
        for budget in BUDGETS:
            given = replace(self, epsilon=CONSTANT * budget, steps=float(TRAINING), a=A, c=C)
            same, other = _costs(given)
            first = 1 / math.sqrt(_shares(given)[0])
            rows.append(
                {
                    "epsilon_bar": budget,
                    "DP noise": round(given.spent**-0.5, 3),
                    "ADP first noise": round(first, 3),
                    "ADP / DP": round(other / same, 4),
                }
            )
        return {f"order {self.whole[0]}, T = 11700": rows}


def _shares(given: SameBudget) -> Float:
    """ADP-SGD's x_t, shape (T,)."""
    inverse = 1.0 / polynomial(given.a, given.c, given.whole[1])
    return np.asarray(given.whole[1] * given.spent * inverse / inverse.sum())


@lru_cache(maxsize=4)
def _costs(given: SameBudget) -> tuple[float, float]:
    """Of DP-SGD and of ADP-SGD, nats."""
    order, steps = given.whole
    rate = BATCH / given.rows

    chances = [math.comb(order, j) * rate**j * (1.0 - rate) ** (order - j) for j in range(2, order + 1)]

    def cost(x: Float) -> float:
        far = np.minimum(x, _LARGE)
        total = sum(chance * np.expm1(far * (j * (j - 1) / 2)) for j, chance in enumerate(chances, start=2))
        logs = np.stack([x * (j * (j - 1) / 2) + math.log(c) for j, c in enumerate(chances, start=2) if c > 0])
        return float(np.where(x < _LARGE, np.log1p(total), np.logaddexp.reduce(logs)).sum()) / (order - 1)

    return steps * cost(np.array([given.spent])), cost(_shares(given))


def shown() -> Shown:
    """The numbers shown beside the remarks on AP-SAME-BUDGET.least and AP-SAME-BUDGET.largest."""
    least, given = (SameBudget(epsilon=CONSTANT * budget) for budget in (BUDGETS[0], BUDGETS[-1]))
    (cheap, dear), (same, other) = _costs(least), _costs(given)
    first = float(_shares(given)[0] ** -0.5)
    numbers = (
        (f"noise multiplier of DP-SGD at epsilon_bar = {BUDGETS[-1]:g}", given.spent**-0.5),
        ("of ADP-SGD's first step", first),
        ("Renyi divergence of order 2, DP-SGD", same),
        ("the same, ADP-SGD", other),
        (f"ADP-SGD's over DP-SGD's at epsilon_bar = {BUDGETS[0]:g}, less 1", dear / cheap - 1.0),
    )
    return Shown(numbers=numbers, holds=0.0 < numbers[4][1] < 0.01 and first < 1.0 / 3.0 and other > 3.0 * same)
