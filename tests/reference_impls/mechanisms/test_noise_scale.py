from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from reference_impls.mechanisms.inputs import category, query_vector, records, single_answer
from reference_impls.mechanisms.noise_scale import EpsilonScaled

POSITIVE = st.floats(1e-3, 1e3)


@given(epsilon=POSITIVE, sensitivity=POSITIVE)
@settings(deadline=None)
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


def test_query_vectors() -> None:
    np.testing.assert_array_equal(query_vector([1, 2]), [1.0, 2.0])
    np.testing.assert_array_equal(query_vector(3.0), [3.0])
    np.testing.assert_array_equal(single_answer([3]), [3.0])
    for bad in ([], [[1.0]], [math.nan], "text", [1, [2]]):
        with pytest.raises(InputError):
            query_vector(bad)
    with pytest.raises(InputError, match="one"):
        single_answer([1.0, 2.0])


def test_records_may_be_none_at_all() -> None:
    assert records([]).shape == (0,)
    for bad in ([[1.0]], [math.inf], "text"):
        with pytest.raises(InputError):
            records(bad)


def test_categories() -> None:
    assert category(2, 3) == 2
    assert category(np.array([1.0]), 3) == 1
    for bad in (3, -1, 0.5, [1, 2]):
        with pytest.raises(InputError):
            category(bad, 3)
