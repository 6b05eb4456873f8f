from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from reference_impls.mechanisms.noise_scale import EpsilonScaled, SigmaScaled

POSITIVE = st.floats(1e-3, 1e3)


@given(epsilon=POSITIVE, sensitivity=POSITIVE)
def test_the_scale_is_the_least_double_that_meets_the_claim(epsilon: float, sensitivity: float) -> None:
    scale = EpsilonScaled(epsilon=epsilon).scale(sensitivity)
    assert Fraction(scale) * Fraction(epsilon) >= Fraction(sensitivity)
    below = Fraction(math.nextafter(scale, 0.0)) * Fraction(epsilon)
    assert below < Fraction(sensitivity)


def test_plain_division_would_round_some_scales_down() -> None:
    # The fault that the rounding is there for: without it, exact methods would refute such claims.
    epsilons = [0.1 * i for i in range(1, 100)]
    assert any(Fraction(1.0 / epsilon) * Fraction(epsilon) < 1 for epsilon in epsilons)


def test_the_multiplier_multiplies_the_scale() -> None:
    assert EpsilonScaled(epsilon=0.5, noise_multiplier=0.9).scale(3.0) == pytest.approx(0.9 * 6.0, rel=1e-15)


@pytest.mark.parametrize("bad", [{"epsilon": 0.0}, {"epsilon": math.nan}, {"noise_multiplier": -1.0}])
def test_bad_parameters_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError, match="finite number > 0"):
        EpsilonScaled(**bad)


def test_a_sigma_is_above_zero() -> None:
    assert SigmaScaled(sigma=2.0).noise_multiplier == 1.0
    with pytest.raises(InputError, match=r"SigmaScaled: sigma = 0\.0; allowed: a finite number > 0"):
        SigmaScaled(sigma=0.0)
