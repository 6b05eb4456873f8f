"""Seconds become draws: fewer of a slow callable, never none, and never more than a gate may make."""

from __future__ import annotations

import time

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.gate.clock import FEWEST, MOST, draws_within


def draws(function, seconds):
    subject = CallableMechanism(function)
    return draws_within(seconds, subject, [1.0], [2.0], stream=lambda _name, side: np.random.default_rng(side))


def slow(data, rng):
    time.sleep(2e-3)
    return rng.laplace()


def test_a_slow_callable_gets_what_its_seconds_allow():
    number, each = draws(slow, 30.0)
    assert each >= 2e-3
    assert number <= 30.0 / (4 * 2e-3)
    assert number >= FEWEST
    assert number == int(float(f"{number:.2g}"))  # two digits: easy to type again


def test_a_fast_one_gets_all_and_a_hopeless_one_the_fewest():
    assert draws(lambda data, size, rng: rng.laplace(size=size), 30.0)[0] == MOST
    assert draws(slow, 1e-3)[0] == FEWEST


def test_a_second_side_that_is_slower_counts():
    def uneven(data, rng):
        time.sleep(2e-3 if data[0] > 1 else 0)
        return rng.laplace()

    assert draws(uneven, 30.0)[1] >= 2e-3
