import math
from collections import Counter

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.laws.stopping import StoppingLaw
from dpverify.laws.stopping_ball import integrated, range_probability, tallies
from dpverify.laws.stopping_sum import MOST_LEVELS, laplace_probability

PRECISION = 128


def law(levels, *, threshold_scale=2.0, query_scale=4.0):
    return StoppingLaw(
        noise="laplace", threshold_scale=threshold_scale, query_scale=query_scale, levels=np.array(levels)
    )


def closed(subject, outcomes):
    return laplace_probability(subject.threshold_scale, subject.query_scale, *tallies(subject, outcomes))


def narrow(ball):
    return ball.rad() < ball.mid() * flint.arb(2) ** (4 - PRECISION)


# Closed form


@pytest.mark.parametrize("scale", [3.0, 0.1, 1e12])
def test_equal_noises_at_one_level_give_exact_fractions(scale):
    subject = law([0.0] * 6, threshold_scale=scale, query_scale=scale)
    with flint.ctx.workprec(PRECISION):
        for k in range(6):
            ball = closed(subject, (k, k))
            assert ball.contains(flint.arb(1) / ((k + 1) * (k + 2)))
            assert narrow(ball)
        assert closed(subject, (6, 6)).contains(flint.arb(1) / 7)
        assert closed(subject, (2, 4)).contains(flint.arb(1) / 6)
        assert not closed(subject, (0, 0)).contains(flint.arb(0.5) + flint.arb(2) ** -120)


@pytest.mark.parametrize("level", [-3.0, 0.0, 0.5, 700.0])
@pytest.mark.parametrize(("b", "s"), [(2.0, 4.0), (4.0, 2.0), (1.0, 1e3)])
def test_one_level_is_a_difference_of_two_laplace(level, b, s):
    """P(rho - nu <= a): for scales b != s the tail at x >= 0 is (b^2 e^(-x/b) - s^2 e^(-x/s)) / (2 (b^2 - s^2))."""
    with flint.ctx.workprec(PRECISION):
        x, wide, narrow_scale = abs(flint.arb(level)), flint.arb(b), flint.arb(s)
        tail = (wide**2 * (-x / wide).exp() - narrow_scale**2 * (-x / narrow_scale).exp()) / (
            2 * (wide**2 - narrow_scale**2)
        )
        ball = closed(law([level], threshold_scale=b, query_scale=s), (0, 0))
        assert ball.overlaps(1 - tail if level >= 0 else tail)
        assert narrow(ball)


def test_one_level_at_equal_scales_where_a_rate_is_exactly_zero():
    """The limit s -> b: the tail of a sum of two Laplace is e^(-x) (2 + x) / 4 at x = a / b."""
    with flint.ctx.workprec(PRECISION):
        ball = closed(law([1.5], threshold_scale=0.3, query_scale=0.3), (0, 0))
        x = flint.arb(1.5) / flint.arb(0.3)
        assert ball.overlaps(1 - (-x).exp() * (2 + x) / 4)
        assert narrow(ball)


def test_scales_a_hair_apart_keep_their_digits():
    """A rate next to 0 cancels in the exponent, not in the ball."""
    with flint.ctx.workprec(PRECISION):
        ball = closed(law([1.5], threshold_scale=0.3, query_scale=math.nextafter(0.3, 1)), (0, 0))
        assert narrow(ball)
        assert abs(ball - closed(law([1.5], threshold_scale=0.3, query_scale=0.3), (0, 0))) < 1e-15


# Naive twin: the integral, by an algorithm that shares nothing with the sum but the integrand


@given(
    threshold_scale=st.floats(0.05, 20.0),
    levels=st.lists(st.sampled_from([0.0, 1.0, -7.0]) | st.floats(-60.0, 60.0), min_size=1, max_size=7),
    ends=st.tuples(st.integers(0, 7), st.integers(0, 7)),
)
@settings(max_examples=30, deadline=None)
def test_sum_and_integral_agree(threshold_scale, levels, ends):
    subject = law(levels, threshold_scale=threshold_scale, query_scale=1.0)
    first, last = sorted(min(end, len(levels)) for end in ends)
    if (first, last) == (0, len(levels)):
        return
    with flint.ctx.workprec(PRECISION):
        ball, other = closed(subject, (first, last)), integrated(subject, (first, last))
        assert ball.overlaps(other)
        assert narrow(ball)
        assert other.rad() < other.mid() * 1e-18


@pytest.mark.parametrize("spread", [0.0, 3.0, 400.0])
@pytest.mark.parametrize("outcomes", [(0, 0), (20, 20), (20, 29), (39, 39), (40, 40), (3, 40)])
def test_sum_and_integral_agree_on_forty_levels(spread, outcomes):
    subject = law(np.sin(np.arange(40.0)) * spread)
    with flint.ctx.workprec(PRECISION):
        ball = closed(subject, outcomes)
        assert ball.overlaps(integrated(subject, outcomes))
        assert narrow(ball)


# Properties


@given(levels=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12), threshold_scale=st.floats(1e-3, 1e3))
@settings(max_examples=40, deadline=None)
def test_probabilities_sum_to_one(levels, threshold_scale):
    subject = law(levels, threshold_scale=threshold_scale, query_scale=1.0)
    with flint.ctx.workprec(PRECISION):
        total = sum((closed(subject, (k, k)) for k in range(len(levels) + 1)), flint.arb(0))
        assert total.contains(1)
        assert total.rad() < 1e-35


def test_the_most_levels_keep_the_promised_digits():
    rng = np.random.default_rng(0)
    subject = law(rng.uniform(-5, 5, MOST_LEVELS - 1))
    with flint.ctx.workprec(PRECISION):
        assert narrow(closed(subject, (MOST_LEVELS // 2, MOST_LEVELS // 2)))
        assert narrow(closed(subject, (MOST_LEVELS - 1, MOST_LEVELS - 1)))


def test_levels_are_counted_whatever_their_order():
    levels = [3.0, -1.0, 3.0, 0.0, 3.0]
    before, stopping = tallies(law(levels), (3, 4))
    assert before == sorted(Counter(levels[:3]).items())
    assert stopping == [(0.0, 1), (3.0, 1)]


def test_the_precision_of_the_caller_comes_back():
    with flint.ctx.workprec(90):
        closed(law([1.0, 2.0]), (0, 1))
        assert flint.ctx.prec == 90


# Who calls it


@pytest.mark.parametrize("size", [MOST_LEVELS, MOST_LEVELS + 1])
def test_range_probability_changes_over_without_a_jump(size):
    subject = law(np.repeat([4.0, -2.0], [size - 1, 1]))
    with flint.ctx.workprec(PRECISION):
        ball = range_probability(subject, (size - 1, size - 1))
        assert ball.overlaps(integrated(subject, (size - 1, size - 1)))
        assert narrow(ball) == (size <= MOST_LEVELS)
