"""The repaired mechanisms: their grids, their laws, and what they cost."""

from __future__ import annotations

import itertools
import math

import flint
import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.laws.balls import working_precision
from dpverify.sampling.streams import stream
from reference_impls.floating_point.grid_laplace import GRID, GridLaplace
from reference_impls.floating_point.snapping import Snapping, epsilon_of, full_uniform

DRAWS = 400_000


def chi_square(seen, expected):
    return stats.chi2.sf(float(np.sum((seen - expected) ** 2 / expected)), seen.size - 1)


# Snapping


def test_the_grid_is_the_least_power_of_two_not_below_the_scale():
    grids = {0.1: 16.0, 0.125: 8.0, 1.0: 1.0, 0.99: 2.0}
    assert {epsilon: Snapping(epsilon=epsilon, bound=16.0).grid for epsilon in grids} == grids


@pytest.mark.parametrize("bound", [8.0, 70.0, 1024.0, math.nan])
def test_a_bound_off_the_grid_is_one_line(bound):
    with pytest.raises(InputError, match="a multiple of the grid, 16 here"):
        Snapping(epsilon=0.1, bound=bound)


@pytest.mark.parametrize("answer", [0.0, 0.3, 7.9, -64.0, 500.0])
def test_outputs_lie_on_the_grid_and_follow_the_law(answer):
    """Chi-square against the exact law, false-alarm probability 1e-9 each."""
    mechanism = Snapping(epsilon=0.1)
    out = mechanism.sample([answer], DRAWS, rng=stream(4, "snapping", str(answer)))
    places = np.arange(-4, 5) * 16.0
    assert np.isin(out, places).all()
    assert not np.signbit(out[out == 0]).any()
    seen = np.bincount(np.searchsorted(places, out), minlength=9)
    expected = np.exp(mechanism.output_law([answer]).log_probabilities) * DRAWS
    assert expected.sum() == pytest.approx(DRAWS)
    assert chi_square(seen, expected) > 1e-9


def test_the_law_is_that_of_rounded_laplace_noise():
    ends = np.array([-np.inf, *(np.arange(-4, 4) * 16.0 + 8.0), np.inf])
    shares = np.diff(stats.laplace(loc=3.0, scale=10.0).cdf(ends))
    found = np.exp(Snapping(epsilon=0.1).output_law([3.0]).log_probabilities)
    np.testing.assert_allclose(found, shares, rtol=1e-9)


@pytest.mark.parametrize(("epsilon", "bound"), [(0.1, 64.0), (1.0, 16.0), (0.7, 22.0)])
def test_no_pair_costs_more_than_claimed_and_the_worst_comes_close(epsilon, bound):
    mechanism = Snapping(epsilon=epsilon, bound=bound)
    claimed = epsilon_of(mechanism.scale(1.0), bound)
    assert 1.0 / mechanism.scale(1.0) < claimed < epsilon * (1 + 1e-9)
    found = []
    for answer in (0.0, 0.25, mechanism.grid / 2, -mechanism.grid, bound - 1):
        pair = mechanism.output_law([answer]).against(mechanism.output_law([answer + 1]))
        found += [side.epsilon(0.0) for side in (pair, pair.swap())]
    assert all(each.lower <= claimed for each in found)
    assert max(each.value for each in found) == pytest.approx(epsilon, rel=1e-9)


def test_ends_move_by_less_than_is_paid_for():
    """The uniform at which an output changes, found by bisection over doubles, against the end in exact arithmetic.

    Its logarithm times the scale may be off by 2^-48 B, which is what the claim pays for.
    """
    mechanism = Snapping(epsilon=0.1)
    scale, grid = mechanism.scale(1.0), mechanism.grid
    for answer, end in itertools.product((0.3, -17.77, 63.0), (-40.0, -24.0, 24.0, 56.0)):
        sign = 1.0 if end < answer else -1.0  # ln U < 0: S = 1 goes down
        low, high = 2.0**-60, 1.0  # beyond the end, and short of it
        while low < math.nextafter(high, 0.0):
            middle = (low + high) / 2
            output = np.rint((answer + sign * (scale * np.log(middle))) / grid) * grid
            low, high = (middle, high) if sign * (output - end) < 0 else (low, middle)
        assert 2.0**-60 < low < high < 1.0
        assert abs(sign * scale * math.log(high) - (end - answer)) < 2.0**-48 * mechanism.bound


@pytest.mark.parametrize(("epsilon", "bound"), [(0.1, 64.0), (0.1, 16.0), (0.5, 16.0), (1.0, 16.0)])
def test_what_moved_ends_may_cost_is_paid_for_and_not_sixteen_times_over(epsilon, bound):
    """In balls: every output, on answers a quarter apart, where both ends of its interval are moved by 2^-48 B,
    outwards under one answer and inwards under its neighbour. A term of 2^-49 B in the claim would not do."""
    mechanism = Snapping(epsilon=epsilon, bound=bound)
    scale, grid, steps = mechanism.scale(1.0), mechanism.grid, round(bound / mechanism.grid)

    def beyond(place):
        part = (-abs(place) / scale).exp() / 2
        return part if place > 0 else 1 - part

    def share(answer, step, outwards):
        low = 1 if step == -steps else beyond((step - 0.5) * grid - outwards - answer)
        return low - (0 if step == steps else beyond((step + 0.5) * grid + outwards - answer))

    with working_precision(300):
        moved = flint.arb(2.0**-48 * bound)
        answers = [flint.arb(-bound + place / 4) for place in range(round(8 * bound) - 3)]
        worst = max(
            float((share(one, step, moved) / share(other, step, -moved)).log().upper() - 1 / flint.arb(scale))
            for answer in answers
            for one, other in ((answer, answer + 1), (answer + 1, answer))
            for step in range(-steps, steps + 1)
        )
        paid = float(epsilon_of(scale, bound) - 1 / flint.arb(scale))
    assert 2.0**-49 * bound / scale < worst < paid
    assert worst > paid / 4


def test_the_uniform_has_all_its_bits_near_zero():
    """Uniform by Kolmogorov-Smirnov (1e-9), and with odd significands in the lowest binades that came, as a
    multiple of 2^-53 has not."""
    out = full_uniform(DRAWS, rng=stream(5))
    assert ((out > 0) & (out < 1)).all()
    assert stats.kstest(out, "uniform").pvalue > 1e-9
    small = out[out < 2.0**-8]
    assert small.size > 100
    assert np.mean(small * 2.0**53 == np.rint(small * 2.0**53)) < 0.1


# Laplace noise on a grid


@pytest.mark.parametrize("answer", [0.0, 0.1, -3.7])
def test_outputs_are_multiples_of_the_grid_with_the_two_sided_geometric_law(answer):
    mechanism = GridLaplace(epsilon=50.0)  # few places, so that they can be counted
    out = mechanism.sample([answer], DRAWS, rng=stream(6, str(answer))) / GRID
    assert (out == np.rint(out)).all()
    steps = (out - np.rint(answer / GRID)).astype(np.int64)
    ratio = math.exp(-GRID * 50.0)
    shares = np.array([(1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-150, 151)])
    seen = np.bincount(np.clip(steps, -150, 150) + 150, minlength=301)
    tail = ratio**150 / (1 + ratio)
    shares[[0, -1]] = tail
    assert shares.sum() == pytest.approx(1.0)
    assert chi_square(seen, shares * DRAWS) > 1e-9


def test_answers_at_most_one_apart_stay_so_when_rounded():
    mechanism = GridLaplace()
    rng = stream(7)
    for answer in rng.uniform(-10, 10, 200):
        for other in (answer + 1.0, answer + rng.uniform(-1, 1)):
            assert abs(mechanism.query([other])[0] - mechanism.query([answer])[0]) <= 1.0
