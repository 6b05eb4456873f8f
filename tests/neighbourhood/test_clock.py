"""Seconds become draws: fewer of a slow callable, never none, and never more than a gate may make."""

from __future__ import annotations

import time

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.neighbourhood import neighbourhood
from dpverify.neighbourhood.clock import FEWEST, MOST, draws_within, expected_seconds


def draws(function, seconds):
    subject = CallableMechanism(function)
    return draws_within(seconds, subject, [1.0], [2.0], stream=lambda _name, side: np.random.default_rng(side))


def slow(data, rng):
    time.sleep(2e-3)
    return rng.laplace()


def test_a_slow_callable_gets_what_its_seconds_allow():
    number, each = draws(slow, 30.0)
    assert each >= 2e-3
    assert number <= 30.0 / (2 * 2e-3)  # two sides
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


def test_what_the_fewest_draws_take_is_said_before():
    assert expected_seconds(FEWEST, 0.05) == pytest.approx(0.05 * (2.7 * FEWEST + 150), rel=1e-3)
    assert expected_seconds(4 * FEWEST, 0.05) > 2.4 * expected_seconds(FEWEST, 0.05)
    words = {"claim": "PureDP(epsilon=1)", "data": [0.0, 1.0]}
    told = []
    dpv.audit(slow, seconds=0.5, progress=lambda line, _share: told.append(line), **words)
    (line,) = (each for each in told if "were asked for" in each)
    assert f"trials={FEWEST} a side at most" in line and "not the 0.5 s that were asked for" in line


def test_a_mechanism_that_fails_slowly_is_tried_on_one_pair(monkeypatch):
    calls = []

    def failing(data, rng):
        calls.append(1)
        raise ValueError("no")

    for patience, times in ((-1.0, 1), (60.0, 6)):
        calls.clear()
        monkeypatch.setattr(neighbourhood, "PATIENCE", patience)
        with pytest.raises(dpv.InputError, match="raised ValueError"):
            dpv.audit(failing, claim="PureDP(epsilon=1)", data=[0.0, 1.0])
        assert (len(calls) == 1) is (times == 1)
