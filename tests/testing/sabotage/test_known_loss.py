"""The exact loss of recorded programs against closed forms; None where it is not known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.subjects import Pair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP
from dpverify.testing.boundaries import gaussian_delta
from dpverify.testing.sabotage.known_loss import known_loss

ONE = [Pair(d0=[1.0, 1.0], d1=[1.0])]
PURE = PureDP(epsilon=1.0)


def laplace(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


def normal(data, rng):
    return sum(data) + rng.normal(scale=2.0)


def several(data, rng):
    return np.array([sum(data), len(data)]) + rng.laplace(scale=2.0, size=2)


def bare(data, rng):
    return [sum(data) + rng.laplace(), len(data)]


def without_noise(data, rng):
    return float(sum(data))


def scale_of_data(data, rng):
    return rng.laplace(scale=len(data))


def winner(data, rng):
    return int(np.argmax(np.array([sum(data), 1.0]) + rng.laplace(size=2)))


def test_losses_are_the_closed_forms():
    assert known_loss(laplace, PURE, ONE) == [pytest.approx(2.0)]
    assert known_loss(several, PURE, ONE) == [pytest.approx(1.0)]
    assert known_loss(normal, PURE, ONE) == [math.inf]
    assert known_loss(normal, GDP(mu=1.0), ONE)[0] == pytest.approx(0.5)
    assert known_loss(normal, RDP(order=2.0, epsilon=1.0), ONE)[0] == pytest.approx(0.25)
    epsilon, delta = known_loss(normal, ApproxDP(epsilon=0.5, delta=1e-3), ONE)
    assert delta == pytest.approx(gaussian_delta(0.5, scale=2.0), rel=1e-6)
    assert gaussian_delta(epsilon, scale=2.0) == pytest.approx(1e-3, rel=1e-6)


def test_the_largest_over_the_pairs_is_told():
    pairs = [*ONE, Pair(d0=[3.0, 0.0], d1=[0.0])]
    assert known_loss(laplace, PURE, pairs) == [pytest.approx(6.0)]


@pytest.mark.parametrize("program", [without_noise, scale_of_data])
def test_what_is_certain_on_one_side_has_an_infinite_loss(program):
    assert known_loss(program, PURE, ONE) == [math.inf]


def test_a_program_without_noise_that_is_not_constant_loses_everything():
    """Though on each of these pairs both sides show the same."""

    def rounded(data, rng):
        return sum(data) >= 2.0

    pairs = [Pair(d0=[0.5, 0.1], d1=[0.5]), Pair(d0=[3.0, 0.1], d1=[3.0])]
    assert known_loss(rounded, PURE, pairs) == [math.inf]
    assert known_loss(rounded, PURE, pairs[:1]) == [0.0]


def test_what_is_hidden_or_late_is_not_known():
    assert known_loss(winner, PURE, ONE) is None
    assert known_loss(scale_of_data, ApproxDP(epsilon=1.0, delta=1e-5), ONE) is None
