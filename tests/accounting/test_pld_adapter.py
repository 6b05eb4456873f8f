"""The adapter on dp-accounting: what it takes, and both roundings around randomised response's closed form."""

import math

import pytest

from dpverify.accounting.composition_spec import read_composition
from dpverify.core.composition import Composition
from dpverify.core.plugins import registry
from tests.accounting.pld_adapter import composed, why_not


def read(text):
    return read_composition(text, registry())


def test_what_it_takes():
    for text in ("gaussian(sigma=1)", "laplace(scale=1)", "poisson-gaussian(q=0.1, sigma=1)", "pure(epsilon=1)"):
        assert why_not(read(text).parts[0].step) is None


def test_two_roundings_of_randomised_response():
    """Two runs at epsilon = 1: delta(1) = P(2) (1 - e^-1), P(2) = (e / (1 + e))^2."""
    truth = (math.e / (1 + math.e)) ** 2 * -math.expm1(-1)
    steps = read("pure(epsilon=1)*2")
    high, low = (composed(steps, interval=0.013, pessimistic=way).get_delta_for_epsilon(1.0) for way in (True, False))
    assert low <= truth <= high
    assert high - low < 0.05


def test_nothing_costs_nothing():
    assert composed(Composition(), interval=0.1, pessimistic=True).get_delta_for_epsilon(0.0) == pytest.approx(0)
