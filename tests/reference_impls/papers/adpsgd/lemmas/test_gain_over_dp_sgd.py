"""AP-RATIO: the exact sums beside naive ones, the constants, what falls and what stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import at_working_precision
from reference_impls.optimizers.adp_sgd_schedules import least_noise_cost, noise_cost, polynomial
from reference_impls.papers.adpsgd.lemmas.gain_over_dp_sgd import (
    FIRST,
    HIGH,
    LOW,
    UPPER,
    Gain,
    _doubled,
    gain,
    inverse_sums,
    shown_ratio,
)


@at_working_precision
def _sums(a: float, c: float, steps: int) -> tuple[float, ...]:
    return tuple(float(each.mid()) for each in inverse_sums(a, c, steps))


@pytest.mark.parametrize(
    ("a", "c", "steps"), [(20.0, 1.0, 11700), (0.001, 1000.0, 5), (1000.0, 0.001, 40), (3.0, 0.5, 1)]
)
def test_the_sums_are_the_naive_ones(a: float, c: float, steps: int) -> None:
    naive = [1 / math.sqrt(a + c * t) for t in range(1, steps + 1)]
    assert _sums(a, c, steps) == pytest.approx((math.fsum(naive), math.fsum(x * x for x in naive)), rel=1e-12)


def test_the_gain_is_the_quotient_of_the_costs() -> None:
    import numpy as np

    b = polynomial(20.0, 1.0, 11700)
    found = at_working_precision(gain)(20.0, 1.0, 11700)
    assert float(found) == pytest.approx(noise_cost(np.ones_like(b), b) / least_noise_cost(b), rel=1e-12)


@pytest.mark.parametrize("ratio", [1e-3, 0.1, 1.0, 20.0, 1e3])
@pytest.mark.parametrize("more", [1.0, 3.0, 100.0, 1e4])
@at_working_precision
def test_the_derived_enclosure_holds(ratio: float, more: float) -> None:
    steps = math.ceil(more * (5 + 4 * ratio))
    found = float(gain(ratio, 1.0, steps))
    assert math.log(1 + steps / (ratio + 1)) / 4 <= found <= UPPER / 4 * math.log(1 + steps / ratio)
    assert found <= HIGH * math.log(steps)


@pytest.mark.parametrize("a", [0.01, 20.0])
def test_a_gain_of_two_takes_so_many_steps(a: float) -> None:
    first = second = 0.0
    for steps in range(1, 10**5):
        first, second = first + 1 / math.sqrt(a + steps), second + 1 / (a + steps)
        if steps * second >= 2 * first * first:
            break
    assert at_working_precision(_doubled)(a) == steps


def test_the_lower_constant_is_for_every_longer_training() -> None:
    steps = [FIRST * 10 ** (k / 50) for k in range(250)]
    values = [math.log(1 + t / 21) / math.log(t) for t in steps]
    assert values == sorted(values)
    assert values[0] / 4 == pytest.approx(LOW, rel=1e-9)


def test_nothing_is_said_below_the_condition() -> None:
    assert math.isinf(Gain(steps=84.0).printed().value)
    assert math.isfinite(Gain(steps=85.0).printed().value)


@dataclass(frozen=True, slots=True, kw_only=True)
class LessGain(Gain):
    def printed_ball(self) -> flint.arb | None:
        found = Gain.printed_ball(self)
        return None if found is None else found * flint.arb(9) / 20


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_the_logarithm_stands_and_half_of_its_constant_falls(examined, side: str) -> None:
    assert judge(examined(f"AP-RATIO.{side}")) is Status.NOT_REFUTED
    assert judge(examined(f"AP-RATIO.{side}", LessGain, effort=1.0)) is Status.REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown_ratio().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="side"):
        Gain(side="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="steps"):
        Gain(steps=0.0)
