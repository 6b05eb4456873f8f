"""What ADP-SGD gains over DP-SGD with b_t = sqrt(a + c t): ledger row AP-RATIO.

With S_1 = sum 1 / b_t and S_2 = sum 1 / b_t^2, t = 1 .. T, (7)'s M is S_1^2 for ADP-SGD and T S_2 for DP-SGD (Remark
4.1), so the gain is R = T S_2 / S_1^2. Both sums are had exactly: Hurwitz' zeta at 1/2 and the digamma function.

**The gain.** By integrals, with u = c T,

    log(1 + u / (a + c)) / c  <= S_2 <= log(1 + u / a) / c,
    2 (sqrt(a + c + u) - sqrt(a + c)) / c <= S_1 <= 2 (sqrt(a + u) - sqrt(a)) / c,

and T >= 5 + 4 a / c makes (a + c) / u at most 1 / 4, so that (`UPPER`: the square of the golden ratio)

    log(1 + u / (a + c)) / 4  <=  R  <=  (UPPER / 4) log(1 + u / a).

With S_2 <= (1 + log T) / c too, R <= `HIGH` log T for every a and c. Only where a / c stays bounded does the lower end
grow like log T: `LOW` log T for a = 20 c, T >= 85 = 5 + 4 a / c. As T grows, R / log T tends to 1 / 4.

Not to be confused with the accuracy of a training: a gain is a quotient of two upper bounds' last terms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import flint

from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.ranges import TINY
from reference_impls.papers.sides_in_balls import SidesInBalls

A, C, TRAININGS = 20.0, 1.0, (11700, 23400, 39000)
"""Section 6.1's b_t and T."""
UPPER = ((1.0 + math.sqrt(5.0)) / 2.0) ** 2
FIRST = 5 + 4 * A / C
"""The least T for which Proposition 5.1 speaks of section 6.1's b_t."""
HIGH = UPPER / 4.0 * (1.0 + 1.0 / math.log(5.0)) * (1.0 + 1e-12)
LOW = math.log(1.0 + C * FIRST / (A + C)) / (4.0 * math.log(FIRST)) * (1.0 - 1e-12)

RatioSide = Literal["upper", "lower"]


def inverse_sums(a: float, c: float, steps: int) -> tuple[flint.arb, flint.arb]:
    """S_1 and S_2 as balls, at the caller's working precision."""
    ratio, scale = exact_ball(a) / exact_ball(c), exact_ball(c)
    half = flint.arb(1) / 2
    first = (half.zeta(ratio + 1) - half.zeta(ratio + steps + 1)) / scale.sqrt()
    return first, ((ratio + steps + 1).digamma() - (ratio + 1).digamma()) / scale


def gain(a: float, c: float, steps: int) -> flint.arb:
    """R = M_dp / M_adp."""
    first, second = inverse_sums(a, c, steps)
    return steps * second / first**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Polynomial(SidesInBalls):
    """b_t = sqrt(a + c t), t = 1 .. T.

    Attributes
    ----------
    a, c : float
        > 0.
    steps : float
        T once rounded.
    """

    a: Annotated[float, Between(TINY, 1e9)] = A
    c: Annotated[float, Between(TINY, 1e9)] = C
    steps: Annotated[float, Between(1, 1e9)] = float(TRAININGS[0])

    @property
    def whole(self) -> int:
        """T, rounded to a whole number."""
        return round(self.steps)

    @property
    def covered(self) -> bool:
        """T >= 5 + 4 a / c: otherwise Proposition 5.1 says nothing."""
        return self.whole >= 5 + 4 * self.a / self.c

    def spread(self) -> flint.arb:
        """log(1 + c T / a), which is also B_T."""
        return (1 + exact_ball(self.c) * self.whole / exact_ball(self.a)).log()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain(Polynomial):
    """Subject ``lemma-adp-sgd-gain``: one side of LOW log T <= R <= HIGH log T.

    Attributes
    ----------
    side : "upper" or "lower"
        Which.
    """

    side: RatioSide = "upper"

    def printed_ball(self) -> flint.arb | None:
        """HIGH log T, or R."""
        if not self.covered:
            return None
        return flint.arb(self.whole).log() * HIGH if self.side == "upper" else gain(self.a, self.c, self.whole)

    def true_ball(self) -> flint.arb:
        """R, or LOW log T."""
        return gain(self.a, self.c, self.whole) if self.side == "upper" else flint.arb(self.whole).log() * LOW

    @at_working_precision
    def describe(self) -> dict[str, Any]:
        """The true gain beside the printed one, for section 6.1's trainings."""
        rows = []
        for steps in TRAININGS:
            found, printed = float(gain(A, C, steps)), 2 * math.log(1 + C * steps / A)
            rows.append(
                {
                    "T": steps,
                    "M_dp / M_adp": round(found, 4),
                    "over log T": round(found / math.log(steps), 4),
                    "printed gain (10) / (9)": round(printed, 4),
                    "printed / true": round(printed / found, 4),
                }
            )
        return {"section 6.1": rows}


def _doubled(a: float) -> int:
    """The least T with a gain of 2, c = 1."""
    low, high = 1, 1 << 30
    while high - low > 1:  # R rises with T
        middle = (low + high) // 2
        low, high = (middle, high) if gain(a, 1.0, middle) < 2 else (low, middle)
    return high


@at_working_precision
def shown_ratio() -> Shown:
    """The numbers shown beside the remark on AP-RATIO.lower."""
    doubled, wide = _doubled(A / C), 1e4
    numbers = (
        ("gain at T = 11700", float(gain(A, C, TRAININGS[0]))),
        ("log 11700", math.log(TRAININGS[0])),
        ("gain at T = 39000", float(gain(A, C, TRAININGS[-1]))),
        ("least T with a gain of 2", float(doubled)),
        ("over a / c", doubled / (A / C)),
        (f"the same where a / c is {wide:g}", _doubled(wide) / wide),
        ("constant of the upper end", UPPER / 4.0),
    )
    least = min(numbers[4][1], numbers[5][1])
    return Shown(numbers=numbers, holds=numbers[2][1] < 2 < numbers[1][1] and least > 2000)
