import dataclasses
import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.definitions.rdp import RDP


@pytest.mark.parametrize("bound", [0.01, 0.5, 3.0])
def test_order_two_in_closed_form(bound: float) -> None:
    """With c = e^bound - 1: (p - q)^2 <= c q (1 - q) and <= c p (1 - p); the profile is their support function."""
    c = math.expm1(bound)
    claim = RDP(order=2, epsilon=bound)
    q = np.linspace(0.001, 0.999, 301)
    ahead = np.minimum(q + np.sqrt(c * q * (1 - q)), 1)
    # (p - q)^2 = c p (1 - p), solved for the larger p.
    half = (q + c / 2) / (1 + c)
    behind = half + np.sqrt(half**2 - q**2 / (1 + c))
    assert np.allclose(claim.tradeoff(q), 1 - np.minimum(ahead, behind), rtol=0, atol=2e-11)

    fixed = (1 - math.sqrt(c / (4 + c))) / 2
    kink = math.log(1 + math.sqrt(c) * (1 - 2 * fixed) / (2 * math.sqrt(fixed * (1 - fixed))))
    for epsilon in (0.0, 0.3 * kink, kink, 1.1 * kink, 2 * kink, kink + 5):
        k = math.expm1(epsilon)
        exact = 1 - (1 + math.exp(epsilon)) * fixed if epsilon <= kink else c / (math.sqrt(c + k * k) + k) / 2
        found = float(claim.delta(epsilon))
        assert exact * (1 - 1e-13) <= found <= exact * (1 + 1e-7) + 1e-11


def test_profile_is_never_above_the_textbook_conversions() -> None:
    orders, bounds = np.array([1.5, 2.0, 5.0, 20.0]), np.array([0.1, 0.2, 0.6, 4.0])
    claim = RDP(orders=tuple(orders), epsilons=tuple(bounds))
    for epsilon in (0.1, 0.5, 1.0, 3.0, 6.0, 12.0):
        # Canonne, Kamath, Steinke 2020, Proposition 12, and Mironov 2017, Proposition 3.
        tight = np.exp((orders - 1) * (bounds - epsilon)) / orders * (1 - 1 / orders) ** (orders - 1)
        mironov = np.exp((orders - 1) * (bounds - epsilon))
        assert 0 < float(claim.delta(epsilon)) <= np.min(tight) * (1 + 1e-9) < np.min(mironov)


def test_more_orders_never_enlarge_the_region() -> None:
    alphas = np.linspace(0, 1, 101)
    both = RDP(orders=(1.3, 4), epsilons=(0.1, 0.5))
    one, other = RDP(order=1.3, epsilon=0.1), RDP(order=4, epsilon=0.5)
    assert np.allclose(both.tradeoff(alphas), np.maximum(one.tradeoff(alphas), other.tradeoff(alphas)), atol=1e-10)
    epsilons = np.linspace(-2, 5, 15)
    assert np.all(both.delta(epsilons) <= np.minimum(one.delta(epsilons), other.delta(epsilons)) + 1e-10)


def test_order_near_one_approaches_kl_and_pinsker() -> None:
    # Total variation of any pair with KL <= 0.02 both ways is at most sqrt(0.02 / 2), and attained to second order.
    found = float(RDP(order=1 + 1e-9, epsilon=0.02).delta(0.0))
    assert 0.995 * 0.1 <= found <= 0.1


def test_one_order_and_a_curve_of_one_are_the_same() -> None:
    assert RDP(orders=(2,), epsilons=(0.5,)) == RDP(order=2, epsilon=0.5)
    assert RDP(orders=(2,), epsilons=(0.5,)).text() == "RDP(order=2, epsilon=0.5)"
    assert RDP(order=2, epsilon=0.5).curve == ((2.0, 0.5),)
    assert dataclasses.replace(RDP(order=2, epsilon=0.5), epsilon=1) == RDP(order=2, epsilon=1)


def test_measures_and_text() -> None:
    claim = RDP(orders=(2, math.inf), epsilons=(0.5, 1))
    assert claim.text() == "RDP(orders=(2, inf), epsilons=(0.5, 1))"
    assert claim.measures() == (
        Measure(kind="renyi", argument=2.0, claimed=0.5),
        Measure(kind="renyi", argument=math.inf, claimed=1.0),
    )


def test_a_bound_of_zero_at_any_order_is_guessing() -> None:
    claim = RDP(orders=(2, 4), epsilons=(0, 1))
    assert np.array_equal(claim.tradeoff([0, 0.3, 1]), [1, 0.7, 0])
    assert float(claim.delta(0.0)) == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "given nothing"),
        ({"order": 2}, "given order; allowed"),
        ({"orders": (2,)}, "given orders; allowed"),
        ({"order": 2, "epsilon": 1, "orders": (2,), "epsilons": (1,)}, "order and epsilon and orders"),
        ({"order": 1, "epsilon": 1}, "order = 1; allowed: a number > 1"),
        ({"order": math.nan, "epsilon": 1}, "order = nan"),
        ({"order": 2, "epsilon": -1}, "epsilon = -1"),
        ({"order": 2, "epsilon": math.inf}, "epsilon = inf"),
        ({"orders": (2, 3), "epsilons": (1,)}, "2 orders and 1 epsilons"),
        ({"orders": (3, 2), "epsilons": (1, 1)}, "strictly increasing"),
        ({"orders": (), "epsilons": []}, "given epsilons"),
        ({"orders": [], "epsilons": []}, "0 orders"),
        ({"orders": 2, "epsilons": 1}, "a tuple"),
        ({"orders": (2, 0.5), "epsilons": (1, 1)}, r"orders\[1\] = 0.5"),
    ],
)
def test_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RDP(**parameters)  # type: ignore[arg-type]


def test_scaled_bounds_at_the_same_orders():
    assert RDP(order=2, epsilon=0.5).scaled(3.0) == RDP(order=2, epsilon=1.5)
    assert RDP(orders=(2, math.inf), epsilons=(0.25, 1.0)).scaled(0.5) == RDP(
        orders=(2, math.inf), epsilons=(0.125, 0.5)
    )
