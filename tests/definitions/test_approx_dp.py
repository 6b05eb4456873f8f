import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.definitions.pure_dp import ApproxDP


def test_closed_form() -> None:
    claim = ApproxDP(epsilon=math.log(3), delta=0.2)
    # Corners (0, 0.8), (0.2, 0.2), (0.8, 0).
    assert np.allclose(claim.tradeoff([0, 0.1, 0.2, 0.5, 0.8, 1]), [0.8, 0.5, 0.2, 0.1, 0, 0], atol=1e-15)
    assert float(claim.delta(math.log(3))) == 0.2
    assert float(claim.delta(99.0)) == 0.2
    assert float(claim.delta(0.0)) == pytest.approx(1 - 2 * 0.2)
    assert float(claim.delta(math.log(2))) == pytest.approx(1 - 3 * 0.2)


@given(
    epsilon=st.floats(0, 6),
    delta=st.floats(0, 0.99),
    at=st.floats(-6, 12),
)
def test_profile_is_attained_by_the_three_corners(epsilon: float, delta: float, at: float) -> None:
    corner = (1 - delta) / (1 + math.exp(epsilon))
    corners = [(0, 1 - delta), (corner, corner), (1 - delta, 0), (1, 0)]
    brute = max(1 - beta - math.exp(at) * alpha for alpha, beta in corners)
    assert float(ApproxDP(epsilon=epsilon, delta=delta).delta(at)) == pytest.approx(max(brute, 0), abs=1e-13)


def test_a_delta_of_zero_epsilon_is_total_variation() -> None:
    claim = ApproxDP(epsilon=0, delta=0.1)
    assert np.allclose(claim.tradeoff([0, 0.5, 0.95]), [0.9, 0.4, 0], atol=1e-15)
    assert np.all(claim.delta([0, 1, 9]) == 0.1)


def test_the_headline_is_epsilon_and_both_measures_are_one_point() -> None:
    epsilon, delta = ApproxDP(epsilon=1, delta=1e-5).measures()
    assert (epsilon.kind, epsilon.argument, epsilon.claimed) == ("epsilon", 1e-5, 1.0)
    assert (delta.kind, delta.argument, delta.claimed) == ("delta", 1.0, 1e-5)


def test_the_parameter_is_kept_beside_the_profile() -> None:
    claim = ApproxDP(epsilon=1, delta=1e-5)
    assert claim.claimed_delta == 1e-5
    assert repr(claim) == claim.text() == "ApproxDP(epsilon=1, delta=1e-05)"
    assert [field.name for field in dataclasses.fields(claim)] == ["epsilon", "claimed_delta"]


@pytest.mark.parametrize(
    ("epsilon", "delta", "word"),
    [
        (-1, 0.1, "epsilon = -1"),
        (math.inf, 0.1, "epsilon = inf"),
        (1, 2, "delta = 2"),
        (1, 1, "delta = 1"),
        (1, -0.1, "delta"),
    ],
)
def test_refused(epsilon: float, delta: float, word: str) -> None:
    with pytest.raises(InputError, match=f"ApproxDP: {word}"):
        ApproxDP(epsilon=epsilon, delta=delta)


def test_the_headline_of_a_claim_that_epsilon_is_0_is_its_delta():
    """Else a bound would be held against a claimed value of 0, and be called one times it."""
    kinds = [
        [measure.kind for measure in ApproxDP(epsilon=epsilon, delta=delta).measures()]
        for epsilon, delta in ((0, 0.1), (1, 0.1), (0, 0))
    ]
    assert kinds == [["delta", "epsilon"], ["epsilon", "delta"], ["epsilon", "delta"]]
