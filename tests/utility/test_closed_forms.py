"""Closed forms against the definitions and conversions that they come from."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting import order_search
from dpverify.definitions.gdp import GDP
from dpverify.utility.closed_forms import OneOrder, Profile, Stated, gaussian_profile, replaced


def test_one_part_is_a_gaussian() -> None:
    profile = gaussian_profile(np.array([0.7]), np.array([1.0]))
    for epsilon in (0.0, 0.5, 2.0):
        assert profile.delta(epsilon).upper == pytest.approx(float(GDP(mu=0.7).delta(epsilon)), rel=1e-8)
    found = profile.epsilon(1e-6).upper
    assert 0.99999e-6 <= float(GDP(mu=0.7).delta(found)) <= 1e-6


def test_a_mixture_lies_between_its_parts() -> None:
    mixed = gaussian_profile(np.array([0.2, 1.0, 0.0]), np.array([0.5, 0.25, 0.25]))
    assert mixed.delta(0.3).upper == pytest.approx(
        0.5 * float(GDP(mu=0.2).delta(0.3)) + 0.25 * float(GDP(mu=1.0).delta(0.3)), rel=1e-8
    )
    assert mixed.epsilon(1e-5).upper < float(gaussian_profile(np.array([1.0]), np.array([1.0])).epsilon(1e-5).upper)


def test_the_inverse_errs_upwards_and_says_where_it_ends() -> None:
    profile = Profile(curve=lambda epsilon: math.exp(-epsilon))
    assert profile.epsilon(0.01).upper == pytest.approx(math.log(100), rel=1e-8)
    assert profile.delta(profile.epsilon(0.01).upper).upper <= 0.01
    assert profile.epsilon(0.0).upper == math.inf
    assert Profile(curve=lambda _: 0.5).epsilon(0.1).upper == math.inf
    assert Profile(curve=lambda _: 0.5).epsilon(0.6).upper == 0.0


def test_one_order_is_the_tight_conversion() -> None:
    kept = OneOrder(order=20.0, bound=0.3)
    expected = order_search.tight_epsilon(np.array([20.0]), np.array([0.3]), 1e-5)[0]
    assert kept.epsilon(1e-5).upper == expected
    assert kept.delta(float(expected)).upper == pytest.approx(1e-5, rel=1e-9)


def test_a_replaced_record_is_two_records() -> None:
    gaussian = gaussian_profile(np.array([0.5]), np.array([1.0]))
    found = replaced(gaussian).epsilon(1e-5).upper
    exact = gaussian_profile(np.array([1.0]), np.array([1.0])).epsilon(1e-5).upper
    assert exact < found < 1.5 * exact


def test_what_is_stated_is_stated_at_one_delta() -> None:
    stated = Stated(value=2.0, at=1e-6)
    assert (stated.epsilon(1e-5).upper, stated.epsilon(1e-7).upper) == (2.0, math.inf)
    assert (stated.delta(2.0).upper, stated.delta(1.0).upper) == (1e-6, 1.0)
