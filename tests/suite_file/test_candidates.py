"""What signatures and docstrings say of functions."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dpverify.definitions.grammar import parse_guarantee
from dpverify.suite_file.candidates import guess


def noisy_sum(data: list[float], rng, epsilon=0.5): ...
def counts(votes: list[int], size, rng):
    """The number of ones, 2-DP."""


def gauss(data, rng, epsilon, delta):
    """Differentially private with epsilon = 3 and delta = 1e-6."""


def concentrated(data, rng, rho=0.25): ...
def gaussian_dp(data, rng, mu=0.5): ...
def in_words(x: list[str]):
    """An (epsilon = 0.1)-differentially private label."""


def pairs(rows: list[tuple[float, float]], rng): ...
def unknown_model(data, rng, model): ...


@pytest.mark.parametrize(
    ("function", "claim", "data", "parameters"),
    [
        (noisy_sum, "PureDP(epsilon=0.5)", [0.0, 1.0, 0.25], {}),
        (counts, "PureDP(epsilon=2)", [0, 1, 1, 0], {}),
        (gauss, "ApproxDP(epsilon=3, delta=1e-06)", [0.0, 1.0, 0.25], {"epsilon": 3.0, "delta": 1e-6}),
        (concentrated, "ZCDP(rho=0.25)", [0.0, 1.0, 0.25], {}),
        (gaussian_dp, "GDP(mu=0.5)", [0.0, 1.0, 0.25], {}),
        (in_words, "PureDP(epsilon=0.1)", ["a", "b", "a"], {}),
        (pairs, "PureDP(epsilon=1)", [[0.0, 1.0], [1.0, 0.0], [0.5, 0.25]], {}),
    ],
)
def test_claim_example_and_parameters(function, claim, data, parameters):
    found = guess(function, f"module:{function.__name__}")
    assert found is not None
    assert (found.claim, found.data, dict(found.parameters), found.problem) == (claim, data, parameters, "")
    parse_guarantee(found.claim)


def test_a_parameter_that_nothing_is_known_of_is_a_problem():
    found = guess(unknown_model, "module:unknown_model")
    assert found is not None
    assert "it needs model" in found.problem


@dataclass(frozen=True)
class Sum:
    """A noisy sum."""

    epsilon: float
    delta: float = 1e-6

    def sample(self, dataset: list[int], size, *, rng): ...


class Needs(Sum):
    def __init__(self, epsilon, bounds): ...


class Unrelated:
    def __init__(self, epsilon): ...


def test_classes_with_a_budget_and_instances():
    found = guess(Sum, "module:Sum")
    assert found is not None
    assert (found.name, found.claim, found.data) == ("Sum", "ApproxDP(epsilon=1, delta=1e-06)", [0, 1, 1, 0])
    assert (found.parameters, found.problem) == ({"epsilon": 1.0, "delta": 1e-6}, "")
    found = guess(Sum(epsilon=3.0), "module:ready")
    assert found is not None
    assert (found.claim, found.parameters) == ("ApproxDP(epsilon=3, delta=1e-06)", {})
    found = guess(Needs, "module:Needs")
    assert found is not None
    assert "it needs bounds" in found.problem
    assert guess(Unrelated, "module:Unrelated") is guess(Unrelated(1), "module:u") is None


def helper(a, b): ...
def without_data(rng): ...
def optional(data=None, rng=None): ...
async def later(data, rng): ...


@pytest.mark.parametrize("function", [helper, without_data, optional, later, len])
def test_others_are_no_mechanisms(function):
    assert guess(function, "module:f") is None


def test_bounds_are_those_of_the_examples_numbers():
    found = [guess(each, f"module:{each.__name__}").bounds for each in (noisy_sum, counts, pairs, in_words)]
    assert found == [[0.0, 1.0], [0, 1], [0.0, 1.0], []]
