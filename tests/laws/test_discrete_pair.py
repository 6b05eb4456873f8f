from __future__ import annotations

import itertools
import math
import time

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri, rel_entr

from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.protocols import LawPair
from dpverify.laws.discrete import DiscreteLaw, DiscretePair

ORDERS = [1.0, 1.000001, 1.01, 1.5, 2.0, 10.0, 500.0, 1e5, math.inf]
EPSILONS = [-0.7, 0.0, 0.1, 1.0, 4.0]


def pair_of(p, q) -> DiscretePair:
    pair = DiscreteLaw.from_probabilities(p).against(DiscreteLaw.from_probabilities(q))
    assert isinstance(pair, DiscretePair)
    return pair


def close(found: Enclosed, truth: float, room: float = 0.0) -> bool:
    """The truth (known up to `room`) lies within the stated error."""
    if math.isinf(truth) or math.isinf(found.value):
        return found.value == truth or math.isinf(found.error)
    return abs(found.value - truth) <= found.error + room


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


# Closed forms.


def test_randomised_response_has_its_closed_forms():
    e = 1.3
    p = [math.exp(e) / (1 + math.exp(e)), 1 / (1 + math.exp(e))]
    pair = pair_of(p, p[::-1])
    assert isinstance(pair, LawPair)
    assert close(pair.epsilon(0.0), e, 1e-15)
    assert close(pair.delta(0.0), p[0] - p[1], 1e-15)
    assert close(pair.epsilon(0.1), math.log((p[0] - 0.1) / p[1]), 1e-14)
    assert close(pair.renyi(2.0), math.log(p[0] ** 2 / p[1] + p[1] ** 2 / p[0]), 1e-14)
    assert close(pair.renyi(1.0), (p[0] - p[1]) * e, 1e-15)
    assert close(pair.mu(), 2 * ndtri(p[0]), 1e-14)
    np.testing.assert_allclose(pair.tradeoff([0.0, p[1], 1.0]), [1.0, p[1], 0.0], rtol=1e-15)


def test_differing_supports_are_infinite_without_nan_or_warning():
    pair = pair_of([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    assert pair.epsilon(0.0) == Enclosed(value=math.inf)
    assert pair.epsilon(0.25).value == math.inf
    assert pair.epsilon(0.75).value == 0.0
    assert pair.renyi(2.0).value == math.inf
    assert pair.renyi(1.0).value == math.inf
    assert pair.renyi(math.inf).value == math.inf
    assert pair.mu().value == math.inf
    assert close(pair.delta(math.inf), 0.5)
    assert close(pair.delta(50.0), 0.5)
    np.testing.assert_allclose(pair.tradeoff([0.0, 0.25, 0.5, 1.0]), [0.5, 0.25, 0.0, 0.0], atol=1e-15)


def test_a_delta_at_the_edge_of_an_impossible_outcome_admits_that_it_cannot_tell():
    for delta in (math.nextafter(0.5, 0.0), 0.5, math.nextafter(0.5, 1.0)):
        found = pair_of([0.5, 0.5, 0.0], [0.0, 0.5, 0.5]).epsilon(delta)
        assert found.value == 0.0
        assert found.upper == math.inf


def test_one_sided_support():
    pair = pair_of([0.5, 0.5], [0.25, 0.75])
    inside = pair_of([1.0, 0.0], [0.25, 0.75])
    assert close(inside.renyi(3.0), math.log(4.0), 1e-15)
    assert close(inside.renyi(1.0), math.log(4.0), 1e-15)
    assert inside.swap().renyi(1.0).value == math.inf
    assert inside.mu().value == math.inf
    assert pair.delta(-math.inf).value == 1.0


def test_outcomes_impossible_under_both_do_not_matter():
    with_nothing = pair_of([0.5, 0.5, 0.0], [0.25, 0.75, 0.0])
    without = pair_of([0.5, 0.5], [0.25, 0.75])
    for measure in ("epsilon", "delta"):
        assert getattr(with_nothing, measure)(0.1) == getattr(without, measure)(0.1)


def test_equal_laws_are_indistinguishable():
    pair = pair_of([0.3, 0.7], [0.3, 0.7])
    assert pair.epsilon(0.0).value == 0.0
    assert pair.epsilon(1e-6).value == 0.0
    assert pair.delta(0.0).value == 0.0
    assert pair.renyi(5.0).value == 0.0
    assert pair.mu().value < 1e-15
    np.testing.assert_allclose(pair.tradeoff([0.0, 0.2, 1.0]), [1.0, 0.8, 0.0], atol=1e-15)


@pytest.mark.parametrize("tiny", [1e-300, 1e-320])
def test_extreme_probabilities(tiny):
    pair = pair_of([tiny, 1.0], [2 * tiny, 1.0])
    back = pair.swap()
    assert close(back.epsilon(0.0), math.log(2.0), 1e-15 if tiny == 1e-300 else 1e-3)
    assert pair.epsilon(0.0).value == 0.0
    far = DiscretePair(log_p=np.array([-5.0, math.log1p(-math.exp(-5))]), log_q=np.array([-2000.0, 0.0]))
    assert close(far.epsilon(0.0), 1995.0)
    assert close(far.epsilon(1e-3), math.log(math.exp(-5) - 1e-3) + 2000, 1e-12)
    assert close(far.renyi(3.0), (3 * -5.0 + 2 * 2000.0) / 2, 1e-12)
    assert close(far.delta(1990.0), math.exp(-5) * (1 - math.exp(-5)), 1e-15)
    assert far.tradeoff(0.0) == pytest.approx(1.0)


# Naive twins: every event.


@settings(max_examples=60, deadline=None)
@given(laws(), st.sampled_from([0.0, 1e-6, 0.01, 0.2, 0.6]))
def test_epsilon_is_the_largest_over_all_events(pair, delta):
    p, q = pair
    truth = naive_epsilon(p, q, delta)
    found = pair_of(p, q).epsilon(delta)
    # The twin's own rounding: P(S) - delta loses digits where the two are close.
    assert close(found, truth, 1e-12 * (1 + abs(truth)) if math.isfinite(truth) else 0.0)


@settings(max_examples=60, deadline=None)
@given(laws(), st.sampled_from(EPSILONS))
def test_delta_is_the_largest_over_all_events(pair, epsilon):
    p, q = pair
    assert close(pair_of(p, q).delta(epsilon), naive_delta(p, q, epsilon), 1e-14 * math.exp(max(epsilon, 0)))


@settings(max_examples=40, deadline=None)
@given(laws(largest=6))
def test_tradeoff_is_the_lower_hull_of_all_events(pair):
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
def test_mu_is_the_largest_over_all_events(pair):
    p, q = pair
    a, b = events(p, q)
    inner = (a > 1e-9) & (a < 1 - 1e-9) & (b > 1e-9) & (b < 1 - 1e-9)
    truth = max(0.0, float(np.max(ndtri(a[inner]) - ndtri(b[inner]), initial=0.0)))
    assert close(pair_of(p, q).mu(), truth, 1e-11)


def test_no_gaussian_curve_above_the_claimed_mu_is_needed():
    rng = np.random.default_rng(3)
    p, q = rng.dirichlet(np.ones(30), size=2)
    pair, grid = pair_of(p, q), np.linspace(0.001, 0.999, 999)
    mu = pair.mu().value
    assert np.all(pair.tradeoff(grid) >= ndtr(-ndtri(grid) - mu) - 1e-12)
    assert np.any(pair.tradeoff(np.linspace(0, 1, 4001)[1:-1]) < ndtr(-ndtri(np.linspace(0, 1, 4001)[1:-1]) - 0.9 * mu))


# Independent libraries: balls for Renyi, scipy for KL, a linear program for the trade-off.


@settings(max_examples=60, deadline=None)
@given(laws(), st.sampled_from(ORDERS[1:-1]))
def test_renyi_agrees_with_two_hundred_digits(pair, order):
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
def test_kullback_leibler_agrees_with_scipy(pair):
    p, q = pair
    assert close(pair_of(p, q).renyi(1.0), float(np.sum(rel_entr(p, q))), 1e-14)


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.3, 0.9])
def test_tradeoff_agrees_with_a_linear_program(alpha):
    rng = np.random.default_rng(11)
    p, q = rng.dirichlet(np.full(20, 0.5), size=2)
    solved = linprog(p * -1, A_ub=[q], b_ub=[alpha], bounds=(0, 1))
    assert pair_of(p, q).tradeoff(alpha) == pytest.approx(1 + solved.fun, abs=1e-9)


# Properties.


@settings(max_examples=60, deadline=None)
@given(laws(), st.data())
def test_merging_outcomes_never_increases_any_divergence(pair, data):
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


@settings(max_examples=60, deadline=None)
@given(laws())
def test_renyi_rises_with_the_order_up_to_the_largest_ratio(pair):
    whole = pair_of(*pair)
    found = [whole.renyi(order) for order in ORDERS]
    for lower, upper in itertools.pairwise(found):
        assert lower.value <= upper.value + lower.error + upper.error
    assert found[-1] == whole.epsilon(0.0)


@settings(max_examples=60, deadline=None)
@given(laws())
def test_delta_falls_and_is_convex_in_the_factor(pair):
    whole = pair_of(*pair)
    factors = np.linspace(0.05, 4, 12)
    found = np.array([whole.delta(math.log(t)).value for t in factors])
    assert np.all(np.diff(found) <= 1e-14)
    assert np.all(np.diff(found, 2) >= -1e-14)


@settings(max_examples=60, deadline=None)
@given(laws(), st.sampled_from([1e-9, 0.01, 0.1, 0.5]))
def test_epsilon_and_delta_are_each_others_inverse(pair, delta):
    whole = pair_of(*pair)
    found = whole.epsilon(delta)
    if math.isinf(found.upper):
        assert whole.delta(math.inf).upper >= delta
        return
    assert whole.delta(found.upper).lower <= delta
    if found.value > 0:
        assert whole.delta(found.lower).upper >= delta


@settings(max_examples=60, deadline=None)
@given(laws())
def test_tradeoff_and_delta_are_conjugates(pair):
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
def test_swapping_twice_changes_nothing(pair):
    whole = pair_of(*pair)
    twice = whole.swap().swap()
    assert twice.epsilon(0.1) == whole.epsilon(0.1)
    assert twice.renyi(2.0) == whole.renyi(2.0)
    curve, back = whole.tradeoff(np.linspace(0, 1, 5)), whole.swap()
    assert np.all(back.tradeoff(np.clip(curve, 0, 1)) <= np.linspace(0, 1, 5) + 1e-12)


def check_direction(pair: LawPair) -> None:
    """P = (1/2, 1/2, 0), Q = (1/4, 1/4, 1/2): finite one way, infinite the other."""
    assert pair.epsilon(0.0).value == pytest.approx(math.log(2))
    assert pair.delta(math.log(2)).value == pytest.approx(0.0, abs=1e-14)
    assert pair.renyi(2.0).value == pytest.approx(math.log(2))
    assert pair.swap().epsilon(0.0).value == math.inf
    np.testing.assert_allclose(pair.tradeoff([0.25, 0.5]), [0.5, 0.0], atol=1e-15)


def test_the_direction_is_of_p_from_q_and_a_swapped_pair_is_caught():
    pair = pair_of([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
    check_direction(pair)
    with pytest.raises(AssertionError):
        check_direction(pair.swap())


@settings(max_examples=30, deadline=None)
@given(laws(zeros=False), st.floats(1e-12, 1e-3), st.integers(0, 2**16))
def test_the_stated_error_covers_perturbed_probabilities(pair, error, seed):
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


@pytest.mark.parametrize(
    ("kind", "argument"), [("epsilon", -0.1), ("epsilon", 1.1), ("delta", math.nan), ("renyi", 0.5), ("tradeoff", 1.5)]
)
def test_arguments_outside_their_range_are_refused(kind, argument):
    with pytest.raises(InputError):
        getattr(pair_of([0.5, 0.5], [0.4, 0.6]), kind)(argument)


def test_no_proof_without_enclosures():
    assert pair_of([0.5, 0.5], [0.4, 0.6]).prove(Measure(kind="epsilon", argument=0.0, claimed=1.0)) is None


@pytest.mark.slow
def test_five_thousand_outcomes_take_less_than_a_millisecond():
    rng = np.random.default_rng(0)
    pair, grid = pair_of(*rng.dirichlet(np.ones(5001), size=2)), np.linspace(0, 1, 101)
    for call in (
        lambda: pair.epsilon(0.0),
        lambda: pair.epsilon(1e-3),
        lambda: pair.delta(1.0),
        lambda: pair.renyi(2.0),
        lambda: pair.tradeoff(grid),
        pair.mu,
    ):
        best = math.inf
        for _ in range(20):
            start = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - start)
        assert best < 1e-3
