import math

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.evidence import Measure
from dpverify.laws import first_hit_ball
from dpverify.laws.first_hit import Branch, FirstHitLaw
from dpverify.laws.first_hit_ball import PRECISION, probability

EDGES = st.lists(st.integers(-40, 40).map(lambda n: n / 4), max_size=3, unique=True).map(sorted)


@st.composite
def branches(draw):
    release = draw(st.sampled_from(["gap", "value", "fresh"]))
    offset = draw(st.integers(-8, 16)) / 4
    edges = [edge for edge in draw(EDGES) if release != "gap" or edge > offset]
    scale = draw(st.floats(0.3, 6.0))
    fresh = draw(st.floats(0.3, 6.0)) if release == "fresh" else math.nan
    return Branch(scale=scale, offset=offset, release=release, edges=tuple(edges), fresh_scale=fresh)


@st.composite
def laws(draw):
    levels = draw(st.lists(st.integers(-40, 40).map(lambda n: n / 8), min_size=1, max_size=5))
    tries = draw(st.lists(branches(), min_size=1, max_size=2))
    return FirstHitLaw(threshold_scale=draw(st.floats(0.3, 6.0)), levels=np.array(levels), branches=tuple(tries))


# Closed form


def test_the_lowest_values_have_a_closed_form():
    subject = FirstHitLaw(
        threshold_scale=2.0,
        levels=np.array([4.0, 0.0, -1.0]),
        branches=(Branch(scale=3.0, release="value", edges=(-40.0,)),),
    )
    with flint.ctx.workprec(PRECISION):
        ball = probability(subject, 4)  # two below, then a value below -40
        rate, scale = flint.arb(1) / 2 + flint.arb(2) / 3, flint.arb(3)
        expected = (-40 * rate).exp() * (-flint.arb(4) / scale).exp() / 2**5 * (-flint.arb(39) / scale).exp()
        expected *= 1 / rate - 1 / (rate + 1 / scale)
        assert ball.overlaps(expected)
        assert ball.rad() < ball * 1e-19
        assert not ball.overlaps(expected * flint.arb("1.0000000000000001"))


def test_equal_noises_are_a_race():
    branch = Branch(scale=3.0)
    subject = FirstHitLaw(threshold_scale=3.0, levels=np.full(2, 0.0), branches=(branch, branch))
    with flint.ctx.workprec(PRECISION):
        for number, share in enumerate((2, 6, 12, 20, 5)):
            assert probability(subject, number).contains(flint.arb(1) / share)


# The float law lies within its stated error of the balls: an independent computation


@given(subject=laws())
@settings(max_examples=40, deadline=None)
def test_floats_err_by_no_more_than_they_say_and_balls_sum_to_one(subject):
    logs, errors = subject.log_probabilities(), subject.log_errors()
    with flint.ctx.workprec(PRECISION):
        balls = [probability(subject, number) for number in range(logs.size)]
        total = sum(balls, flint.arb(0))
        assert total.contains(1)
        assert total.rad() < 1e-17
        for ball, log, error in zip(balls, logs.tolist(), errors.tolist(), strict=True):
            assert ball.rad() < ball * 1e-18
            assert abs(ball.log() - log) < error


@pytest.mark.parametrize(
    "tries",
    [
        (Branch(scale=2.0, edges=(0.5, 2.0)),),
        (Branch(scale=2.0, release="value", edges=(-3.0, 0.0, 2.0)),),
        (Branch(scale=1.0, offset=-2.0, edges=(-1.0, 1.5)), Branch(scale=3.0, release="fresh", fresh_scale=0.7)),
    ],
    ids=["gap", "value", "two"],
)
def test_what_lies_outside_the_stretch_is_in_the_ball(monkeypatch, tries):
    """A stretch that ends where e^-5 of an outcome may be left: what the tails hold is seen, and bounded."""
    subject = FirstHitLaw(threshold_scale=1.5, levels=np.array([1.0, -2.0, 0.5]), branches=tries)
    numbers = range(subject.log_probabilities().size)
    with flint.ctx.workprec(PRECISION):
        sharp = [probability(subject, number) for number in numbers]
        monkeypatch.setattr(first_hit_ball, "_TAIL", 5.0)
        blunt = [probability(subject, number) for number in numbers]
        assert all(wide.contains(narrow) for wide, narrow in zip(blunt, sharp, strict=True))
        total = sum(blunt, flint.arb(0))
        assert total.contains(1)
        assert 1e-6 < total.rad() < 0.01


def test_a_thousandth_part_of_a_deep_tail():
    subject = FirstHitLaw(
        threshold_scale=1.0,
        levels=np.full(40, 30.0),
        branches=(Branch(scale=1.0, release="value", edges=(-10.0, 60.0)),),
    )
    number = 3 * 39
    log = subject.log_probabilities()[number]
    assert log < -1500
    with flint.ctx.workprec(PRECISION):
        ball = probability(subject, number).log()
        assert abs(ball - log) < subject.log_errors()[number]
        assert ball.rad() < 1e-18


def test_products_that_no_double_holds():
    # 2499 answers "below" a threshold of at most 0.5: e^-930 on panels where nothing else is small.
    branch = Branch(scale=1.0, release="value", edges=(0.5,))
    subject = FirstHitLaw(threshold_scale=1.0, levels=np.zeros(2500), branches=(branch,))
    number = 2 * 2499
    log = subject.log_probabilities()[number]
    assert log < -900
    with flint.ctx.workprec(PRECISION):
        assert abs(probability(subject, number).log() - log) < subject.log_errors()[number]


def test_kinks_that_no_ball_holds_prove_nothing():
    # 1e-300 - 1 has a thousand bits.
    subject = FirstHitLaw(threshold_scale=1.0, levels=np.array([1e-300]), branches=(Branch(scale=1.0, offset=1.0),))
    with flint.ctx.workprec(PRECISION):
        assert probability(subject, 0) is None
    assert subject.against(subject).prove(Measure(kind="epsilon", argument=0.0, claimed=1.0)) is None


@pytest.mark.parametrize("bits", [64, 400])
def test_any_precision_is_sound(bits):
    subject = FirstHitLaw(threshold_scale=2.0, levels=np.array([0.5, 1.0]), branches=(Branch(scale=1.0, edges=(2.0,)),))
    with flint.ctx.workprec(PRECISION):
        sharp = [probability(subject, number) for number in range(5)]
    with flint.ctx.workprec(bits):
        for number in range(5):
            assert probability(subject, number).overlaps(sharp[number])
