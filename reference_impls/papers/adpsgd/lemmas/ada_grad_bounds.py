"""What ADPSGD section 5.2 says of AdaGrad-norm's b_t, and of ADP-SGD's gain there: ledger row AP-PROP52.

    b_{t+1}^2 = b_t^2 + max(beta_t |grad f(theta_t; x_xi)|^2, nu),  |grad f| <= G

**The range.** Printed twice: b_t^2 in [b_0^2 + t nu, b_0^2 + t G]. A step adds up to max(beta_t G^2, nu), not G: for
G > 1, which is section 6.2's 2.5, a gradient of length G leaves the range in the first step; with section 6.2's
beta_t > 1 one of length 1 does. (G < 1 hides the first.) What holds: b_0^2 + sum of max(beta_s G^2, nu).

**The gain.** (11) ends in 128 G^3 eta d L B sqrt(T) / (n^2 epsilon^2 nu), (12) in 32 G^3 ... log(1 + T nu / b_0^2):
DP-SGD's term over ADP-SGD's is log(1 + T nu / b_0^2) / 4, which exceeds 1 only for T > (e^4 - 1) b_0^2 / nu. At section
6.2's b_0^2 = 20 and nu = 1e-5 that is 107 million steps; at its T = 11700 (11)'s term is 686 times (12)'s: the bound
that is to show ADP-SGD's advantage is the weaker one. The gain M_dp / M(alpha, b) itself depends on when b grows: 1.73
at T = 11700 where b^2 grows by 1 in every step, more where it waits first. And alpha_t = (b_0^2 + t C)^(1/4) is
planned, not the best for the b that comes (M_dp / M_adp, at least 1): below 1 where C plans for growth that does not
come. Theorem D.1, on which (11) and (12) rest, is not in the text at hand.

Not to be confused with :mod:`reference_impls.papers.adpsgd.lemmas.gain_over_dp_sgd`, the same for step sizes known
beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import flint
import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.optimizers.adp_sgd_schedules import boosts, noise_cost, polynomial
from reference_impls.papers.adpsgd.lemmas.gain_over_dp_sgd import gain
from reference_impls.papers.ranges import TINY
from reference_impls.papers.sides_in_balls import SidesInBalls

B0_SQUARED, NU, CLIPS, TRAININGS = 20.0, 1e-5, (1.0, 2.5), (11700, 39000)
"""Section 6.2's b_0^2, nu and clipping norms; its T, and section 6.1's largest."""

WAITED = 720
"""Steps without growth that make a large gain of it at T = 11700."""

Upper = Literal["printed", "squared", "boosted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SquaredRange(SidesInBalls):
    """Subject ``lemma-ada-grad-range``: the upper end of b_T^2's range against b_T^2 where all gradients are of length
    l.

    Attributes
    ----------
    clip : float
        G > 0.
    length : float
        l / G, in [0, 1].
    steps : float
        T once rounded, up to 10^5.
    b0_squared, nu : float
        > 0.
    beta : float
        >= 1; 1 for section 5.2.
    upper : str
        ``printed``: b_0^2 + T G; ``squared``: b_0^2 + T max(G^2, nu); ``boosted``: b_0^2 + sum of max(beta_t G^2, nu).
    """

    clip: Annotated[float, Between(TINY, 1e9)] = CLIPS[1]
    length: Annotated[float, Between(0, 1)] = 1.0
    steps: Annotated[float, Between(1, 1e5)] = 1.0
    b0_squared: Annotated[float, Between(TINY, 1e9)] = B0_SQUARED
    nu: Annotated[float, Between(TINY, 1e9)] = NU
    beta: Annotated[float, Between(1, 1e9)] = 1.0
    upper: Upper = "printed"

    @property
    def whole(self) -> int:
        """T, rounded to a whole number."""
        return round(self.steps)

    def _grown(self, length: flint.arb) -> flint.arb:
        """b_T^2 where all gradients have this length."""
        nu, total = exact_ball(self.nu), exact_ball(self.b0_squared)
        for beta, count in self._counted().items():
            total += count * (exact_ball(beta) * length**2).max(nu)
        return total

    def _counted(self) -> dict[float, int]:
        found: dict[float, int] = {}
        for beta in boosts(self.beta, self.whole).tolist():
            found[beta] = found.get(beta, 0) + 1
        return found

    def printed_ball(self) -> flint.arb | None:
        """The upper end of the range."""
        most = exact_ball(self.clip)
        if self.upper == "boosted":
            return self._grown(most)
        growth = most if self.upper == "printed" else (most**2).max(exact_ball(self.nu))
        return exact_ball(self.b0_squared) + self.whole * growth

    def true_ball(self) -> flint.arb:
        """b_T^2 of a run."""
        return self._grown(exact_ball(self.clip) * exact_ball(self.length))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedGain(SidesInBalls):
    """Subject ``lemma-ada-grad-gain``: (12)'s last term against (11)'s, without what both share.

    Attributes
    ----------
    b0_squared, nu : float
        > 0.
    steps : float
        T once rounded.
    mended : bool
        Whether nothing is said below T = (e^4 - 1) b_0^2 / nu.
    """

    b0_squared: Annotated[float, Between(TINY, 1e9)] = B0_SQUARED
    nu: Annotated[float, Between(TINY, 1e9)] = NU
    steps: Annotated[float, Between(1, 1e12)] = float(TRAININGS[0])
    mended: bool = False

    def printed_ball(self) -> flint.arb | None:
        """32 log(1 + T nu / b_0^2)."""
        if self.mended and round(self.steps) < math.expm1(4.0) * (1 + 1e-12) * self.b0_squared / self.nu:
            return None
        return 32 * (1 + round(self.steps) * exact_ball(self.nu) / exact_ball(self.b0_squared)).log()

    def true_ball(self) -> flint.arb:
        """The constant 128 of (11)."""
        return flint.arb(128)

    def describe(self) -> dict[str, Any]:
        """Both terms and the true gain at section 6.2's own numbers, b_t growing by nu or by 1 in every step."""
        rows = [
            {"T": steps, "(11) / (12)": round(128 / _twelve(steps), 3), **_true_gains(steps)} for steps in TRAININGS
        ]
        return {"section 6.2": rows, "steps until (11) is the smaller": math.expm1(4.0) * B0_SQUARED / NU}


@at_working_precision
def _true_gains(steps: int) -> dict[str, float]:
    slow, fast = (float(gain(B0_SQUARED, growth, steps)) for growth in (NU, 1.0))
    return {"M_dp / M_adp - 1, growth nu": slow - 1, "M_dp / M_adp, growth G^2 = 1": round(fast, 4)}


def _twelve(steps: int) -> float:
    return 32 * math.log1p(steps * NU / B0_SQUARED)


def _followed_gain(waited: int, growth: float) -> float:
    """M_dp / M(alpha, b) at T = 11700, b^2 growing by nu for `waited` steps and by 1 after, alpha_t^2 = sqrt(b_0^2 +
    growth t), or b_t itself for growth 0."""
    grown = np.where(np.arange(TRAININGS[0]) < waited, NU, 1.0)
    b = np.sqrt(B0_SQUARED + np.cumsum(grown))
    alpha = np.sqrt(polynomial(B0_SQUARED, growth, TRAININGS[0]) if growth else b)
    return noise_cost(np.ones_like(b), b) / noise_cost(alpha, b)


def shown_gain() -> Shown:
    """The numbers shown beside the remark on AP-PROP52.tighter."""
    true, late = _followed_gain(0, 0.0), _followed_gain(WAITED, 0.0)
    missed = _followed_gain(TRAININGS[0], 1.0)
    numbers = (
        ("(11) over (12), last terms, T = 11700", 128 / _twelve(TRAININGS[0])),
        ("the same, T = 39000", 128 / _twelve(TRAININGS[1])),
        ("T from which (11) is smaller", math.expm1(4.0) * B0_SQUARED / NU),
        ("over b_0^2 / nu", math.expm1(4.0)),
        ("M_dp / M_adp at T = 11700, b^2 growing by 1 a step", true),
        (f"the same, b^2 growing by nu for {WAITED} steps first", late),
        ("M_dp / M(alpha, b), alpha planned with C = 1, b^2 growing by nu", missed),
    )
    apart = numbers[1][1] > 100 and numbers[2][1] > TRAININGS[1]
    return Shown(numbers=numbers, holds=apart and missed < 1 < true < 2 < late)


def shown_range() -> Shown:
    """The numbers shown beside the remark on AP-PROP52.range."""
    subject = SquaredRange()
    numbers = (("printed upper end of b_1^2", subject.printed().value), ("b_1^2", subject.truth().value))
    return Shown(numbers=numbers, holds=numbers[1][1] > numbers[0][1])


def shown_boosted() -> Shown:
    """The numbers shown beside the remark on AP-PROP52.range-squared."""
    subject = SquaredRange(clip=CLIPS[0], beta=512.0, upper="squared")
    numbers = (("upper end of b_1^2 with G^2", subject.printed().value), ("b_1^2", subject.truth().value))
    return Shown(numbers=numbers, holds=numbers[1][1] > numbers[0][1])
