from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.steps.approx import ApproxStep
from dpverify.core.errors import InputError


@given(st.floats(0, 100), st.floats(0, 0.999))
def test_the_laws_attain_the_guarantee_and_no_more(epsilon, delta):
    step = ApproxStep(epsilon=epsilon, delta=delta)
    (pair,) = step.laws()
    for direction in (pair, pair.swap()):
        found = direction.delta(epsilon)
        assert found.lower <= delta <= found.upper
        assert (
            epsilon == 0
            or direction.delta(epsilon * 0.99).lower > delta
            or epsilon < 1e-9
            or delta > 0.99
            or epsilon > 30
        )


def test_the_laws_by_hand():
    (pair,) = ApproxStep(epsilon=math.log(3), delta=0.2).laws()
    assert pair.delta(0.0).value == pytest.approx(0.2 + 0.8 * 0.5, rel=1e-14)
    assert pair.delta(math.inf).value == pytest.approx(0.2, rel=1e-14)


@pytest.mark.parametrize("numbers", [(-1, 0.1), (math.inf, 0.1), (1, -0.1), (1, 1), (1, math.nan)])
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        ApproxStep(epsilon=numbers[0], delta=numbers[1])
