"""The trade-off picture in normal quantiles."""

import math
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpverify as dpv
from dpverify.shown.tradeoff import (
    FARTHEST,
    LEAST,
    inside,
    picture_of,
    quantile,
    rate_of,
    ticks,
    with_certified,
    with_proved,
)

NORMAL = NormalDist()


def pure(epsilon, points=127):
    alpha = [i / (points - 1) for i in range(points)]
    beta = [max(0.0, 1 - math.exp(epsilon) * a, math.exp(-epsilon) * (1 - a)) for a in alpha]
    return {"alpha": alpha, "beta": beta}


def found(low, high, epsilon=0.1):
    box = {"fpr_low": low, "fpr_high": high, "fnr_low": 1 - high, "fnr_high": 1 - low}
    return {"claimed": pure(epsilon), "rectangle": box, "point": {"fpr": (low + high) / 2, "fnr": 1 - (low + high) / 2}}


def test_rates_come_back_from_their_quantiles():
    for rate in (1e-5, 0.1, 0.5, 0.9):
        assert rate_of(quantile(rate)) == pytest.approx(rate, rel=1e-9)
    assert quantile(0.0) == NORMAL.inv_cdf(LEAST) == pytest.approx(-quantile(1.0))


def test_gaussian_curves_are_straight_lines():
    alpha = [0.001 * i for i in range(1, 1000)]
    beta = [NORMAL.cdf(-0.7 - NORMAL.inv_cdf(a)) for a in alpha]
    for x, y in picture_of({"claimed": {"alpha": alpha, "beta": beta}}).claimed:
        assert x + y == pytest.approx(-0.7, abs=0.01)


@given(st.floats(0.001, 0.9), st.floats(0.001, 0.09), st.floats(0.05, 3.0))
def test_the_window_holds_what_was_measured_and_the_claim_beside_it(low, wide, epsilon):
    picture = picture_of(found(low, low + wide, epsilon))
    window, (left, right, under, over) = picture.window, picture.box
    assert window.left <= left <= right <= window.right
    assert window.low <= under <= over <= window.high
    assert right - left <= (window.right - window.left) / (FARTHEST - 1e-6) or window.right - window.left > 4
    assert len(inside(picture.claimed, window)) >= 2


def test_a_claim_of_a_tenth_is_seen_apart_from_no_information():
    """In the unit square these two lines lie on each other: 0.01 apart at a false-positive rate of 0.1."""
    picture = picture_of(found(0.1, 0.104))
    window = picture.window
    middle = (window.left + window.right) / 2
    claimed = min(picture.claimed, key=lambda point: abs(point[0] - middle))
    assert abs(claimed[1] + claimed[0]) > 0.1 * (window.high - window.low)


@given(st.floats(0.01, 0.9), st.floats(0.001, 0.09))
def test_a_curve_is_cut_where_the_window_ends(low, wide):
    picture = picture_of(found(low, low + wide))
    cut = inside(picture.claimed, picture.window)
    xs = [x for x, _ in cut]
    assert xs == sorted(xs)
    assert xs[0] == pytest.approx(picture.window.left)
    assert xs[-1] == pytest.approx(picture.window.right)


@given(st.floats(-4, 3.8), st.floats(0.2, 8))
def test_ticks_are_rates_inside_and_apart(low, wide):
    places = ticks(low, low + wide)
    assert all(low - 1e-9 <= place <= low + wide + 1e-9 for place, _ in places)
    assert all(quantile(float(words)) == pytest.approx(place, abs=1e-3) for place, words in places)
    assert all(b - a > wide / 10 for (a, _), (b, _) in pairwise(places))


def test_without_a_curve_there_is_no_picture():
    assert picture_of({}) is None
    assert picture_of({"rectangle": found(0.1, 0.2)["rectangle"]}) is None


def test_a_small_claim_without_a_measured_region_is_seen_apart_too():
    window = picture_of({"claimed": pure(0.1)}).window
    assert window.right - window.left < 1.2
    wide = picture_of({"claimed": pure(2.0)}).window
    assert wide.right - wide.left > 6


@pytest.mark.parametrize("across", [True, False])
def test_the_window_is_wide_enough_for_the_longer_side(across):
    wide, narrow = (0.05, 0.3), (0.55, 0.56)
    (a, b), (c, d) = (wide, narrow) if across else (narrow, wide)
    box = {"fpr_low": a, "fpr_high": b, "fnr_low": c, "fnr_high": d}
    picture = picture_of({"claimed": pure(1.0), "rectangle": box})
    long = quantile(0.3) - quantile(0.05)
    assert picture.window.right - picture.window.left >= FARTHEST * long * (1 - 1e-9)


@pytest.mark.parametrize("beta", [0.0, 0.05, 0.6])
def test_rates_that_were_seen_far_below_the_claim_lie_in_the_window(beta):
    rates = [0.0, 0.1, 1.0]
    picture = picture_of({"claimed": pure(0.1), "seen": {"alpha": rates, "beta": [1.0, beta, 0.0]}})
    x, y = quantile(0.1), quantile(beta)
    assert (x, y) in picture.seen
    assert picture.window.left < x < picture.window.right and picture.window.low < y < picture.window.high


PLAIN = {"claimed": {"alpha": [0.0, 1.0], "beta": [1.0, 0.0]}, "point": {"fpr": 0.1, "fnr": 0.5}}


@pytest.mark.parametrize(
    ("kind", "argument", "bound", "definition"),
    [
        ("epsilon", 0.0, 0.7, dpv.PureDP(epsilon=0.7)),
        ("epsilon", 0.01, 1.5, dpv.ApproxDP(epsilon=1.5, delta=0.01)),
        ("delta", 1.5, 0.01, dpv.ApproxDP(epsilon=1.5, delta=0.01)),
        ("mu", math.nan, 1.2, dpv.GDP(mu=1.2)),
    ],
)
def test_it_is_the_definitions_own_curve(kind, argument, bound, definition):
    curve = with_certified(PLAIN, kind, argument, bound)["certified"]
    assert curve["beta"] == pytest.approx(definition.tradeoff(np.array(curve["alpha"])).tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("picture", "kind", "bound"),
    [
        ({}, "epsilon", 1.0),
        ({**PLAIN, "rectangle": {"fpr_low": 0.0}}, "epsilon", 1.0),
        (PLAIN, "renyi", 1.0),
        (PLAIN, "epsilon", 0.0),
        (PLAIN, "epsilon", math.inf),
    ],
)
def test_there_is_none_where_it_says_nothing_more(picture, kind, bound):
    assert "certified" not in with_certified(picture, kind, 2.0, bound)


@pytest.mark.parametrize(
    ("parameter", "delta", "definition"),
    [
        ("epsilon", 0.0, dpv.PureDP(epsilon=0.7)),
        ("epsilon", 0.01, dpv.ApproxDP(epsilon=0.7, delta=0.01)),
        ("mu", 0.0, dpv.GDP(mu=0.7)),
    ],
)
def test_what_is_proved_is_the_definitions_own_curve_beside_a_region(parameter, delta, definition):
    picture = {**PLAIN, "rectangle": {"fpr_low": 0.0, "fpr_high": 0.1, "fnr_low": 0.5, "fnr_high": 0.6}}
    curve = with_proved(picture, parameter, delta, 0.7)["proved"]
    assert curve["beta"] == pytest.approx(definition.tradeoff(np.array(curve["alpha"])).tolist(), abs=1e-9)
    assert picture_of(with_proved(picture, parameter, delta, 0.7)).proved
    assert picture_of(picture).proved == []
    assert "proved" not in with_proved({}, parameter, delta, 0.7)
