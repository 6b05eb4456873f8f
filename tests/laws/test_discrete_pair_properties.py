"""Pairs of drawn discrete laws, held against every event, against other libraries, and against one another."""

from __future__ import annotations

import itertools
import math

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri, rel_entr

from dpverify.laws.discrete import DiscretePair

ORDERS = [1.0, 1.000001, 1.01, 1.5, 2.0, 10.0, 500.0, 1e5, math.inf]
EPSILONS = [-0.7, 0.0, 0.1, 1.0, 4.0]


def events(p, q):
    """P(S) and Q(S) for all 2^k events."""
    masks = np.array(list(itertools.product([0, 1], repeat=len(p))), dtype=float)
    return masks @ np.asarray(p), masks @ np.asarray(q)


def naive_epsilon(p, q, delta):
    best = 0.0
    for a, b in zip(*events(p, q), strict=True):
        if a > delta * (1 + 1e-12) + 1e-15:
            best = max(best, math.inf if b == 0 else math.log((a - delta) / b))
    return best


def naive_delta(p, q, epsilon):
    a, b = events(p, q)
    return float(np.max(a - math.exp(epsilon) * b))


@st.composite
def laws(draw, largest=8, zeros=True):
    size = draw(st.integers(2, largest))
    weight = st.floats(1e-3, 1.0) if not zeros else st.one_of(st.just(0.0), st.floats(1e-3, 1.0))
    pair = []
    for _ in range(2):
        w = np.array(draw(st.lists(weight, min_size=size, max_size=size)))
        w[draw(st.integers(0, size - 1))] += 0.5
        pair.append(w / w.sum())
    return pair[0], pair[1]


# Naive twins: every event.


@given(laws(), st.sampled_from([0.0, 1e-6, 0.01, 0.2, 0.6]))
def test_epsilon_is_the_largest_over_all_events(close, pair_of, pair, delta):
    p, q = pair
    truth = naive_epsilon(p, q, delta)
    found = pair_of(p, q).epsilon(delta)
    # The twin's own rounding: P(S) - delta loses digits where the two are close.
    assert close(found, truth, 1e-12 * (1 + abs(truth)) if math.isfinite(truth) else 0.0)


@given(laws(), st.sampled_from(EPSILONS))
def test_delta_is_the_largest_over_all_events(close, pair_of, pair, epsilon):
    p, q = pair
    assert close(pair_of(p, q).delta(epsilon), naive_delta(p, q, epsilon), 1e-14 * math.exp(max(epsilon, 0)))


@settings(max_examples=40, deadline=None)
@given(laws(largest=6))
def test_tradeoff_is_the_lower_hull_of_all_events(pair_of, pair):
    p, q = pair
    misses, alarms = 1 - events(p, q)[0], events(p, q)[1]
    grid = np.linspace(0, 1, 9)
    found = pair_of(p, q).tradeoff(grid)
    assert np.all(pair_of(p, q).tradeoff(np.clip(alarms, 0, 1)) <= misses + 1e-12)
    for alpha, beta in zip(grid, found, strict=True):
        best = 1.0
        for (a0, b0), (a1, b1) in itertools.product(zip(alarms, misses, strict=True), repeat=2):
            if a0 <= alpha + 1e-15 and a1 >= alpha - 1e-15:
                share = 0.0 if a1 - a0 < 1e-13 else min(max((alpha - a0) / (a1 - a0), 0.0), 1.0)
                best = min(best, (1 - share) * b0 + share * b1 if a1 - a0 >= 1e-13 else min(b0, b1))
        assert beta == pytest.approx(best, abs=1e-11)


@settings(max_examples=40, deadline=None)
@given(laws(largest=6, zeros=False))
def test_mu_is_the_largest_over_all_events(close, pair_of, pair):
    p, q = pair
    a, b = events(p, q)
    inner = (a > 1e-9) & (a < 1 - 1e-9) & (b > 1e-9) & (b < 1 - 1e-9)
    truth = max(0.0, float(np.max(ndtri(a[inner]) - ndtri(b[inner]), initial=0.0)))
    assert close(pair_of(p, q).mu(), truth, 1e-11)


# Independent libraries: balls for Renyi, scipy for KL.


@given(laws(), st.sampled_from(ORDERS[1:-1]))
def test_renyi_agrees_with_two_hundred_digits(close, pair_of, pair, order):
    p, q = pair
    found = pair_of(p, q).renyi(order)
    if np.any((p > 0) & (q == 0)):
        assert found.value == math.inf
        return
    with flint.ctx.workprec(700):
        a = flint.arb(order)
        total = sum(
            (flint.arb(x) ** a * flint.arb(y) ** (1 - a) for x, y in zip(p, q, strict=True) if x > 0), flint.arb(0)
        )
        truth = float((total.log() / (a - 1)).mid())
    # p and q sum to 1 up to rounding only: that alone moves the truth by 2 units / (order - 1).
    assert close(found, truth, 2e-15 / (order - 1))


@settings(max_examples=40, deadline=None)
@given(laws())
def test_kullback_leibler_agrees_with_scipy(close, pair_of, pair):
    p, q = pair
    assert close(pair_of(p, q).renyi(1.0), float(np.sum(rel_entr(p, q))), 1e-14)


# Properties.


@given(laws(), st.data())
def test_merging_outcomes_never_increases_any_divergence(pair_of, pair, data):
    p, q = pair
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(p), max_size=len(p))))
    merged = pair_of(*[[w[groups == g].sum() for g in range(3)] for w in (p, q)])
    whole = pair_of(p, q)
    for kind, arguments in (("epsilon", [0.0, 0.05]), ("delta", EPSILONS), ("renyi", ORDERS)):
        for argument in arguments:
            coarse, fine = getattr(merged, kind)(argument), getattr(whole, kind)(argument)
            assert coarse.value <= fine.value + fine.error + coarse.error + 2e-15
    grid = np.linspace(0, 1, 11)
    assert np.all(merged.tradeoff(grid) >= whole.tradeoff(grid) - 1e-13)


@given(laws())
def test_renyi_rises_with_the_order_up_to_the_largest_ratio(pair_of, pair):
    whole = pair_of(*pair)
    found = [whole.renyi(order) for order in ORDERS]
    for lower, upper in itertools.pairwise(found):
        assert lower.value <= upper.value + lower.error + upper.error
    assert found[-1] == whole.epsilon(0.0)


@given(laws())
def test_delta_falls_and_is_convex_in_the_factor(pair_of, pair):
    whole = pair_of(*pair)
    factors = np.linspace(0.05, 4, 12)
    found = np.array([whole.delta(math.log(t)).value for t in factors])
    assert np.all(np.diff(found) <= 1e-14)
    assert np.all(np.diff(found, 2) >= -1e-14)


@given(laws(), st.sampled_from([1e-9, 0.01, 0.1, 0.5]))
def test_epsilon_and_delta_are_each_others_inverse(pair_of, pair, delta):
    whole = pair_of(*pair)
    found = whole.epsilon(delta)
    if math.isinf(found.upper):
        assert whole.delta(math.inf).upper >= delta
        return
    assert whole.delta(found.upper).lower <= delta
    if found.value > 0:
        assert whole.delta(found.lower).upper >= delta


@given(laws())
def test_tradeoff_and_delta_are_conjugates(pair_of, pair):
    whole = pair_of(*pair)
    ratios = whole.log_p - whole.log_q
    knees = [float(r) for r in ratios if math.isfinite(r)]
    grid = np.linspace(0, 1, 7)
    tangents = [1 - whole.delta(r).value - math.exp(r) * grid for r in knees] + [np.zeros(7)]
    if np.any(np.isinf(ratios)):
        tangents.append(1 - whole.delta(math.inf).value - 1e15 * grid)
    tangents.append(1 - whole.delta(-40.0).value - math.exp(-40.0) * grid)
    # The curve is the upper envelope of its tangents, and its knees have the slopes -p_i / q_i.
    np.testing.assert_allclose(whole.tradeoff(grid), np.max(tangents, axis=0), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(laws())
def test_swapping_twice_changes_nothing(pair_of, pair):
    whole = pair_of(*pair)
    twice = whole.swap().swap()
    assert twice.epsilon(0.1) == whole.epsilon(0.1)
    assert twice.renyi(2.0) == whole.renyi(2.0)
    curve, back = whole.tradeoff(np.linspace(0, 1, 5)), whole.swap()
    assert np.all(back.tradeoff(np.clip(curve, 0, 1)) <= np.linspace(0, 1, 5) + 1e-12)


@settings(max_examples=30, deadline=None)
@given(laws(zeros=False), st.floats(1e-12, 1e-3), st.integers(0, 2**16))
def test_the_stated_error_covers_perturbed_probabilities(pair_of, pair, error, seed):
    p, q = pair
    rng = np.random.default_rng(seed)
    # Perturb in pairs so that the sums stay 1: the largest outcome pays for the others.
    moved = []
    for w in (p, q):
        v = w * np.exp(rng.uniform(-error, error, w.size) / 4)
        top = int(np.argmax(w))
        v[top] = 1 - (v.sum() - v[top])
        moved.append(v)
    if any(abs(math.log(a[i] / b[i])) > error for a, b in zip(moved, pair, strict=True) for i in range(p.size)):
        return
    blurred = DiscretePair(log_p=np.log(p), log_q=np.log(q), error=error)
    truth = pair_of(*moved)
    for kind, arguments in (("epsilon", [0.0, 0.01, 0.3]), ("delta", EPSILONS), ("renyi", ORDERS)):
        for argument in arguments:
            a, b = getattr(blurred, kind)(argument), getattr(truth, kind)(argument)
            assert abs(a.value - b.value) <= a.error + b.error or math.isinf(a.error)
    assert abs(blurred.mu().value - truth.mu().value) <= blurred.mu().error + truth.mu().error
