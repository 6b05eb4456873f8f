"""All T steps of ADP-SGD on linear losses against ADPSGD Theorem 4.1, at any epsilon, n, T: ledger row AP-THM41.

Gradients G u for every record but one, which has -G u in one of the two data sets, whatever theta is: every step is
(1 - m / n) N(0, sigma^2) + (m / n) N(2 G / m, sigma^2) along u, or N(0, sigma^2) (alpha = 1, batches of m; m = 1 is
Algorithm 1). The pair is attained, so whatever tells the two apart is a lower bound on the truth; it is the same pair
whether the record is replaced or, n being public, removed. Two events say enough
(:mod:`reference_impls.papers.adpsgd.lemmas.telling_events`).

**Repaired** (``floored``): sigma is at least F / min alpha_t, F = 2 G sqrt(2 log(2.5 T / (n delta))). Proof, with
delta_1 = n delta / (2 T): each step is (epsilon_t, delta_1)-DP with epsilon_t <= 1, after the draw (log(1 +
(e^epsilon_t - 1) / n), delta_1 / n), at most (e - 1) epsilon_t / n. The squares sum to at most S = (e - 1)^2 8 log(2.5
T / (n delta)) epsilon^2 / (256 B), and Lemma 2.2 at delta' = delta / 2 gives sqrt(2 log(2 / delta) S) + S / 2 for T
delta_1 / n + delta / 2 = delta. That is 0.4 to 0.9 epsilon at section 6's n and T, delta <= 1e-3, epsilon <= 100;
`composed` computes it, and the claim says nothing where it exceeds epsilon. The floor is a proof's, not the least
noise; accountants do better (`describe`).

Not to be confused with :mod:`reference_impls.papers.adpsgd.lemmas.first_step`, the first step alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from dpverify.accounting.filters import CONSTANT, AdpSgdBudget
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, enclosed_ball, exact_ball
from reference_impls.papers.adpsgd.lemmas.telling_events import event_balls, telling_event
from reference_impls.papers.ranges import HUGE, TINY

RECORDS, DELTA, TRAINING, BUDGETS = 50000, 1e-5, 11700, (0.8, 1.2, 1.6, 3.2, 6.4)
"""Section 6's, the budgets as epsilon_bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRun(Checked):
    """Subject ``lemma-adp-sgd-whole-run``: Theorem 4.1's epsilon against the epsilon of the pair, alpha = 1, G = 1.

    Attributes
    ----------
    epsilon, delta : float
        Claimed.
    n, steps : float
        n and T once rounded.
    batch : int
        m; drawn without replacement, the noise on the mean.
    floored : bool
        Whether sigma is at least F.
    """

    epsilon: Annotated[float, Between(1e-6, HUGE)] = 12.8
    delta: Annotated[float, Between(TINY, 0.5)] = DELTA
    n: Annotated[float, Between(2, 1e12)] = float(RECORDS)
    steps: Annotated[float, Between(1, 1e12)] = float(TRAINING)
    batch: int = 1
    floored: bool = False

    def validate(self) -> None:
        """A batch is no larger than the data set."""
        Between(1, round(self.n)).checked(f"{self.called()}: batch", self.batch)

    @property
    def whole(self) -> tuple[int, int]:
        """n and T, rounded to whole numbers."""
        return round(self.n), round(self.steps)

    @property
    def covered(self) -> bool:
        """Whether (6) asks for noise at all and, if floored, the proof gives epsilon."""
        rows, steps = self.whole
        if CONSTANT * steps <= rows * self.delta * (1 + 1e-12):
            return False
        return not self.floored or (2.5 * steps > rows * self.delta and self.composed <= self.epsilon * (1 - 1e-12))

    @property
    def composed(self) -> float:
        """What the repaired proof gives."""
        log_first = math.log(2.5 * self.whole[1] / (self.whole[0] * self.delta))
        total = math.expm1(1.0) ** 2 * 8 * log_first * self.epsilon**2 / (CONSTANT**2 * self._given.b_delta())
        return math.sqrt(2 * math.log(2 / self.delta) * total) + total / 2

    @property
    def _given(self) -> AdpSgdBudget:
        rows, steps = self.whole
        return AdpSgdBudget(epsilon=self.epsilon, delta=self.delta, n=rows, steps=steps)

    @property
    def sigma(self) -> float:
        """Of (6), or the floor; as a double it is the noise that both sides speak of."""
        rows, steps = self.whole
        printed = self._given.sigma()
        return max(printed, floor(rows, steps, self.delta)) if self.floored else printed

    @property
    def rate(self) -> float:
        """The sampling ratio m / n."""
        return self.batch / self.whole[0]

    def printed(self) -> Enclosed:
        """epsilon; +inf where nothing is said."""
        return Enclosed(value=self.epsilon if self.covered else math.inf)

    def truth(self) -> Enclosed:
        """The better event's log((P - delta) / Q), at least 0."""
        if not self.covered:
            return Enclosed(value=0.0)
        value, _ = telling_event(self.rate, 2.0 / self.batch / self.sigma, self.whole[1], self.delta)
        return Enclosed(value=max(value, 0.0), error=1e-9 * (1 + abs(value)))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The event's probabilities in balls."""
        if not self.covered:
            return None
        shift = 2 / (self.batch * exact_ball(self.sigma))
        _, event = telling_event(self.rate, float(shift.mid()), self.whole[1], self.delta)
        present, absent = event_balls(event, exact_ball(self.rate), shift, self.whole[1])
        left = present - exact_ball(self.delta)
        return enclosed_ball((left / absent).log() / exact_ball(self.epsilon)) if left > 0 else None

    def describe(self) -> dict[str, Any]:
        """For section 6's epsilons: sigma of (6), the noise at which the two events show nothing, and the floor."""
        noise, reach = [], []
        for budget in (BUDGETS[0], *(CONSTANT * each for each in BUDGETS)):
            given = AdpSgdBudget(epsilon=budget, delta=DELTA, n=RECORDS, steps=TRAINING)
            least = least_noise(RECORDS, TRAINING, budget, DELTA)
            noise.append({"epsilon": budget, "sigma of (6)": given.sigma(), "at least needed": least})
        for steps in (TRAINING, RECORDS, 10**6, 10**7):
            proved, fails = reaches(RECORDS, steps, DELTA)
            reach.append({"T": steps, "(6) needs no floor up to epsilon": proved, "(6) fails from epsilon": fails})
        return {"section 6's n, T, delta": noise, "floor F": floor(RECORDS, TRAINING, DELTA), "n = 50000": reach}


def floor(rows: int, steps: int, delta: float) -> float:
    """The factor F over G, below which sigma does not go."""
    return 2.0 * math.sqrt(2.0 * math.log(2.5 * steps / (rows * delta)))


def least_noise(rows: int, steps: int, epsilon: float, delta: float) -> float:
    """The noise over G, to 1e-3, below which an event tells more than `epsilon` at `delta`: what any theorem must
    ask."""
    low, high = 1e-4, 1e2
    while high / low > 1 + 1e-3:
        middle = math.sqrt(low * high)
        told = telling_event(1.0 / rows, 2.0 / middle, steps, delta)[0] > epsilon
        low, high = (middle, high) if told else (low, middle)
    return high


def unfloored(rows: int, steps: int, delta: float) -> float:
    """The epsilon up to which (6) is above the floor."""
    return AdpSgdBudget(epsilon=1.0, delta=delta, n=rows, steps=steps).sigma() / floor(rows, steps, delta)


def reaches(rows: int, steps: int, delta: float) -> tuple[float, float]:
    """The epsilon up to which (6) is above the floor, and the least (to 1e-3) at which an event tells more; nan if
    none."""

    def fails(epsilon: float) -> bool:
        run = WholeRun(epsilon=epsilon, delta=delta, n=float(rows), steps=float(steps))
        return run.truth().lower > epsilon

    proved = unfloored(rows, steps, delta)
    low, high = proved, 1e3
    if not fails(high):
        return proved, math.nan
    while high / low > 1 + 1e-3:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if fails(middle) else (middle, high)
    return proved, high


def shown(epsilon: float) -> Shown:
    """What the proof needs of a step, and what a step has: at section 6's n, T and delta."""
    run = WholeRun(epsilon=epsilon)
    rows, steps = run.whole
    told = telling_event(run.rate, 2.0 / run.sigma, steps, run.delta)[0]
    numbers = (
        ("sigma of (6) over G", run.sigma),
        ("the proof needs at least", floor(rows, steps, run.delta)),
        ("epsilon_1 of a step by Lemma 2.1, to be at most 1", floor(rows, steps, run.delta) / run.sigma),
        ("probability that the record is drawn", -math.expm1(steps * math.log1p(-run.rate))),
        ("epsilon of all steps (alpha = 1), at least", told),
        ("epsilon claimed", epsilon),
        ("epsilon up to which (6) needs no more, T = n^2", unfloored(rows, rows**2, run.delta)),
    )
    said = numbers[2][1] > 1 and 19.5 < numbers[6][1] < 20.5
    return Shown(numbers=numbers, holds=said and numbers[3][1] > run.delta and told > epsilon)
