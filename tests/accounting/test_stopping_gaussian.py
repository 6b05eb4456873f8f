"""The sound bounds against exact stopping laws, against searches of their own suprema, and against one another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtr

from dpverify.accounting import stopping_gaussian
from dpverify.accounting.stopping_gaussian import MOVES, Moves, log_moment, sound_bound
from dpverify.laws.stopping import StoppingLaw

readings = pytest.mark.parametrize("reading", MOVES)


def exact(order, levels, moved, sigma_1, sigma_2):
    """Both directions of the exact law, the larger one's lower end."""
    p, q = (
        StoppingLaw(noise="gaussian", threshold_scale=sigma_1, query_scale=sigma_2, levels=at) for at in (levels, moved)
    )
    return max(pair.renyi(order).lower for pair in (p.against(q), q.against(p)))


@readings
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_no_exact_law_is_above_the_bound(reading, data):
    moves, size = MOVES[reading], data.draw(st.integers(1, 12))
    sigma_1, sigma_2 = data.draw(st.floats(0.4, 8)), data.draw(st.floats(0.4, 8))
    centre = data.draw(st.floats(-moves.u, moves.u))
    ends = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=size, max_size=size)))
    levels = np.array(data.draw(st.lists(st.floats(-4, 3), min_size=size, max_size=size))) * sigma_2
    for order in (1.1, 2.0, 16.0):
        bound = sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=moves)
        assert exact(order, levels, levels + centre + moves.h * ends, sigma_1, sigma_2) <= bound


@pytest.mark.parametrize(("reading", "least"), [("losses", 0.0), ("bounded", -1.0)])
def test_the_moves_are_those_of_the_losses(reading, least):
    """Record added: c_i = f - h_i with one f; removed: the opposite. Losses in [least, 1]."""
    moves, centres = MOVES[reading], []
    for f in (least, 1.0):
        for sign in (-1, 1):
            ends = [sign * (f - h) for h in (least, 1.0)]
            centres.append(sum(ends) / 2)
            assert abs(ends[1] - ends[0]) == 2 * moves.h
    assert max(map(abs, centres)) == moves.u


def test_the_bound_is_not_idle():
    """Two queries moved apart: the exact law comes so near that a wrong factor would show."""
    levels = np.zeros(2)
    bound = sound_bound(1.1, sigma_1=2.0, sigma_2=2.3, max_it=2, moves=MOVES["arbitrary"])
    found = max(
        exact(1.1, levels - at, levels - at + np.array([-1.0, 1.0]), 2.0, 2.3) for at in np.linspace(0.0, 3.0, 13)
    )
    assert 0.7 * bound < found <= bound


@pytest.mark.parametrize(
    ("reading", "sigma_1", "sigma_2", "order", "centre", "met"),
    [
        ("losses", 1.0, 4.0, 16.0, 0.5, 0.92),
        ("bounded", 0.3, 1.0, 4.0, 1.0, 0.8),
        ("arbitrary", 0.3, 4.0, 16.0, 0.0, 0.66),
    ],
)
def test_the_threshold_pays_for_the_centre_and_the_shift(reading, sigma_1, sigma_2, order, centre, met):
    """All queries but the last move alike and are hard to pass: the threshold's own divergence, both of its parts."""
    moves, levels = MOVES[reading], np.full(60, 2 * sigma_2)
    moved = levels + centre + moves.h * np.append(np.ones(59), -1.0)
    bound = sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=60, moves=moves)
    assert met * bound < exact(order, levels, moved, sigma_1, sigma_2) <= bound


def test_theorem_3_fails_where_the_bound_stands():
    """Arbitrary queries moved up and down by turns: above formula (5), below the bound."""
    size, sigma_1, sigma_2, order = 2000, 1.5**0.5 * 10, 3**0.5 * 10, 4.0
    levels = np.full(size, -3.1 * sigma_2)
    moved = levels + np.where(np.arange(size) % 2, 1.0, -1.0)
    found = exact(order, levels, moved, sigma_1, sigma_2)
    bound = sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=MOVES["arbitrary"])
    assert order * 0.01 < found <= bound


@pytest.mark.parametrize("spread", [(-0.5, 0.5), (0.0, 1.0), (-0.05, 0.15), (-1e-4, 1e-4)])
@pytest.mark.parametrize("order", [1.01, 2.0, 8.0])
@pytest.mark.parametrize("size", [1, 4])
def test_the_moment_is_the_supremum(spread, order, size):
    """V_m by scipy's optimiser, both ends of every move: never above the lattice's, and at most a thousandth below."""
    excess = 0.0
    for _ in range(size):
        excess = max(_best(order, move, excess) for move in spread)
    found = math.expm1(log_moment(order, size, *spread))
    assert excess * (1 - 1e-9) <= found <= excess * 1.001


def _best(order, move, excess):
    def less(t):
        stop, stopped, on, gone = (float(ndtr(at)) for at in (-t, -t - move, t, t + move))
        total = 0.0
        for p, q in ((stop, stopped), (on, gone)):
            x = (p - q) / q
            total += q * (math.expm1(order * math.log1p(x)) - order * x)
        return -(total + excess * math.exp(order * log_ndtr(t) + (1 - order) * log_ndtr(t + move)))

    starts = np.linspace(-14, 14, 113)
    around = starts[int(np.argmin([less(t) for t in starts]))]
    found = minimize_scalar(less, bounds=(around - 0.3, around + 0.3), method="bounded", options={"xatol": 1e-9})
    return max(-float(found.fun), excess)


@pytest.mark.parametrize("move", [-1.3, 0.7])
def test_inner_moves_never_beat_the_ends(move):
    """The sum is convex in the move: the lattice looks at the two ends only."""
    inner = np.linspace(-1, 1, 8)[1:-1] * abs(move)
    ends = log_moment(2.0, 5, -abs(move), abs(move))
    assert all(log_moment(2.0, 5, float(at), float(at)) <= ends for at in inner)


@given(st.floats(0.1, 50), st.floats(0.1, 50), st.integers(1, 2000), st.floats(1.01, 500), st.sampled_from(list(MOVES)))
def test_the_three_bounds_are_finite_and_rise(sigma_1, sigma_2, size, order, reading):
    moves = MOVES[reading]
    bound = sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=moves)
    assert 0 < bound < math.inf
    assert bound <= sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=2 * size, moves=moves) * (1 + 1e-9)
    assert bound <= sound_bound(2 * order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=moves) * (1 + 1e-4)
    wider = Moves(h=1.1 * moves.h, u=moves.u)
    assert bound <= sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=wider) * (1 + 1e-4)


@readings
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_the_vector_bound_by_enumeration(reading, size):
    """Every vertex, by the covariance matrix."""
    moves, sigma_1, sigma_2 = MOVES[reading], 0.7, 1.9
    inverse = np.linalg.inv(sigma_2**2 * np.eye(size) + sigma_1**2 * np.ones((size, size)))
    worst = 0.0
    for centre in (-moves.u, moves.u):
        for bits in range(2**size):
            c = centre + moves.h * np.array([1.0 if bits >> i & 1 else -1.0 for i in range(size)])
            worst = max(worst, float(c @ inverse @ c))
    assert stopping_gaussian.vector_bound(3.0, sigma_1, sigma_2, size, moves) == pytest.approx(1.5 * worst, rel=1e-12)


def test_the_closed_bound_is_formula_5_and_a_logarithm():
    sigma_1, sigma_2, order, size = 0.2, 0.3, 50.0, 30
    printed = order * (4 * sigma_1**2 + sigma_2**2) / (2 * sigma_1**2 * sigma_2**2)
    found = sound_bound(order, sigma_1=sigma_1, sigma_2=sigma_2, max_it=size, moves=MOVES["arbitrary"])
    assert found == pytest.approx(printed + math.log(size + 1) / (order - 1), rel=1e-8)


def test_the_lattice_is_not_used_where_it_would_lie():
    assert log_moment(2.0, 5, -1e-9, 1e-9) == math.inf
    assert log_moment(100.0, 5, -1.0, 1.0) == math.inf
    assert log_moment(2.0, 10**6, -2.0, 2.0) == math.inf  # overflow on the way
