"""Sums of levels: binomials in closed form, brute convolution, folding, balls against both, and that they only lose."""

from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from scipy import stats

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.laws.balls import working_precision
from reference_impls.papers.accounting.lemmas.level_sums import Group, Levels, LevelSum, best, levels_at

ONE_CUT = Levels(above=(0.5,), below=(-math.inf,))


def one_group(levels, count, *, sigma=1.0, mean=1.0):
    p, q = ((Group(count=count, parts=((1.0, m),)),) for m in (mean, 0.0))
    return LevelSum(levels=levels, p=p, q=q, sigma=sigma)


def brute(levels, groups, sigma):
    total = np.ones(1)
    for group in groups:
        for _ in range(group.count):
            total = np.convolve(total, levels.probabilities(group.parts, sigma))
    return total


def test_one_cut_counts_hits_which_are_binomial():
    one = one_group(ONE_CUT, 20)
    p, q = one.laws
    for law, chance in ((p, stats.norm.sf(-0.5)), (q, stats.norm.sf(0.5))):
        np.testing.assert_allclose(law[:21], stats.binom.pmf(np.arange(21), 20, chance), atol=1e-14)


def test_levels_nest_and_their_balls_hold_their_doubles():
    levels = Levels(above=(-0.5, 0.3, 1.7), below=(-2.0, -2.5, -math.inf))
    parts = ((0.75, 0.0), (0.25, 2.0))
    found = levels.probabilities(parts, 1.3)
    x = np.linspace(-14, 16, 600_001)
    density = sum(w * stats.norm.pdf(x, m, 1.3) for w, m in parts)
    number = sum((x > a) | (x < b) for a, b in zip(levels.above, levels.below, strict=True))
    counted = np.bincount(number, weights=density) * (x[1] - x[0])
    np.testing.assert_allclose(found, counted, atol=1e-4)
    with working_precision():
        balls = levels.balls([(flint.arb(w), m) for w, m in parts], 1.3)
    np.testing.assert_allclose([float(ball.mid()) for ball in balls], found, atol=1e-15)


def test_mixed_groups_are_convolved():
    levels = Levels(above=(-1.0, 0.2, 0.9), below=(-math.inf,) * 3)
    sides = tuple(
        (Group(count=4, parts=((1.0, 0.0),)), Group(count=2, parts=((0.5, far), (0.5, 0.0)))) for far in (2.0, 1.0)
    )
    one = LevelSum(levels=levels, p=sides[0], q=sides[1], sigma=0.8)
    for law, groups in zip(one.laws, sides, strict=True):
        expected = brute(levels, groups, 0.8)
        np.testing.assert_allclose(law[: expected.size], expected, atol=1e-15)


def test_a_window_folds_what_lies_outside_and_epsilon_and_its_ball_are_of_the_folded_sum(monkeypatch):
    levels = Levels(above=(-1.0, 0.0, 1.0), below=(-math.inf,) * 3)
    monkeypatch.setattr("reference_impls.papers.accounting.lemmas.level_sums.WIDE", 1.0)
    one = one_group(levels, 40, mean=0.3)
    low, width = one.window
    assert width < 121
    folded = []
    for law, groups in zip(one.laws, (one.p, one.q), strict=True):
        whole = brute(levels, groups, 1.0)
        expected = np.roll(np.bincount(np.arange(whole.size) % width, weights=whole, minlength=width), -(low % width))
        np.testing.assert_allclose(law, expected, atol=1e-14)
        folded.append(expected)
    epsilon, place = one.epsilon(1e-2)
    assert epsilon == pytest.approx(math.log((folded[0][place:].sum() - 1e-2) / folded[1][place:].sum()), rel=1e-10)
    with working_precision():
        assert float(one.epsilon_ball(1e-2, place).mid()) == pytest.approx(epsilon, rel=1e-10)
        ball = one.renyi_ball(3)
    moment = float((folded[0] ** 3 / folded[1] ** 2).sum())
    assert float(ball.mid()) == pytest.approx(math.log(moment) / 2, rel=1e-9)
    assert one.renyi(3.0) == pytest.approx(math.log(moment) / 2, rel=1e-9)


@pytest.mark.parametrize(("count", "mean"), [(3000, 0.01), (200_000, 0.002)])
def test_frequencies_left_out_do_not_matter(count, mean):
    """The event's probability against SciPy's binomial tail, at counts where only few frequencies are computed."""
    one = one_group(ONE_CUT, count, mean=mean)
    low, width = one.window
    epsilon, place = one.epsilon(1e-3)
    tails = [stats.binom.sf(low + place - 1, count, stats.norm.sf(0.5 - m)) for m in (mean, 0.0)]
    assert epsilon == pytest.approx(math.log((tails[0] - 1e-3) / tails[1]), rel=1e-6)
    with working_precision():
        transforms, _ = one._transforms(one.p)
        ball = one.epsilon_ball(1e-3, place)
    assert len(transforms) < width // 2
    assert float(ball.rad()) < 1e-15
    assert float(ball.mid()) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("sigma", [0.7, 2.0])
def test_one_gaussian_seen_through_levels_is_no_more_than_itself_and_nearly_all(sigma):
    """Cuts at equal distances of the log-likelihood ratio, which is linear here; any event of them is a tail."""
    cuts = np.linspace(-3 * sigma, 1 + 4 * sigma, 200)
    one = one_group(levels_at(cuts, cuts, np.full(200, -math.inf)), 1, sigma=sigma)
    pair = GaussianStep(sigma=sigma).laws()[0]
    shown, _, _ = best([one], 1e-3)
    assert 0.99 * pair.epsilon(1e-3).value < shown <= pair.epsilon(1e-3).value
    assert 0.98 * pair.renyi(2.0).value < one.renyi(2.0) <= pair.renyi(2.0).value


def test_nothing_is_shown_where_delta_is_more_than_any_event():
    assert one_group(ONE_CUT, 1, mean=0.0).epsilon(0.6) == (0.0, 0)
