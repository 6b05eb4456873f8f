from __future__ import annotations

import math

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.laws.epsilon_at_delta import check_delta, proved_epsilon, smallest_epsilon


def exponential(at: float) -> Enclosed:
    """delta(epsilon) = e^-epsilon: its inverse is -log(delta)."""
    return Enclosed(value=math.exp(-at), error=1e-15 * math.exp(-at))


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-300, 1.0))
def test_the_inverse_of_an_exponential(delta):
    found = smallest_epsilon(exponential, delta)
    assert abs(found.value + math.log(delta)) <= found.error + 1e-13
    assert found.error < 1e-11


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-300, 1.0))
def test_the_proved_inverse_encloses_it_and_is_sharp(delta):
    found = proved_epsilon(lambda at: (-at).exp(), delta, near=-math.log(delta))
    assert found is not None
    assert found.proved
    assert found.lower <= -math.log(delta) + 2e-13
    assert found.upper >= -math.log(delta) - 2e-13
    assert found.error < 1e-12


@pytest.mark.parametrize("near", [2.0, 2.6])
def test_a_poor_guess_gives_a_wider_proof_not_a_wrong_one(near):
    found = proved_epsilon(lambda at: (-at).exp(), 0.1, near=near)
    assert found is not None
    assert found.lower <= math.log(10) <= found.upper
    assert found.error > 0.1


def test_the_error_of_the_profile_reaches_the_answer():
    found = smallest_epsilon(lambda at: Enclosed(value=math.exp(-at), error=1e-4), 0.1)
    assert found.lower < math.log(10) - 9e-4
    assert found.upper > math.log(10) + 9e-4


def test_a_profile_that_cannot_tell_says_so():
    found = smallest_epsilon(lambda at: Enclosed(value=math.exp(-at), error=0.2), 0.1)
    assert found.upper == math.inf


def test_a_profile_that_never_falls_is_infinite_or_refused():
    assert smallest_epsilon(lambda at: Enclosed(value=0.5), 0.1).value == math.inf
    with pytest.raises(UnsupportedError, match="stays above"):
        smallest_epsilon(lambda at: Enclosed(value=0.5 if at < math.inf else 0.0), 0.1)


def test_nothing_is_proved_from_an_infinite_guess_or_useless_balls():
    assert proved_epsilon(lambda at: (-at).exp(), 0.1, near=math.inf) is None
    assert proved_epsilon(lambda at: flint.arb.nan(), 0.1, near=1.0) is None


def test_a_profile_already_small_gives_zero():
    assert smallest_epsilon(lambda at: Enclosed(value=0.05), 0.1) == Enclosed(value=0.0)
    assert proved_epsilon(lambda at: flint.arb(0.05), 0.1, near=0.0) == Enclosed(value=0.0, proved=True)


@pytest.mark.parametrize("delta", [-0.1, 1.1, math.nan])
def test_delta_outside_its_range_is_refused(delta):
    with pytest.raises(InputError, match="delta"):
        check_delta(delta)
