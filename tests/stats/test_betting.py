"""The event e-process: exact expectation by enumeration, a naive twin, blocks, type I error and power."""

import copy
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.stats.betting import EventProcess, average_e_values

PAIRS = list(itertools.product((0, 1), repeat=2))


def naive_wealth(pairs, epsilon, delta, cap, *, peek=False):
    """The process written out, one pair at a time; `peek` bets with the present pair in view, which is not allowed."""
    slope, seen, wealth, path = math.exp(epsilon), [], 1.0, []
    for x, y in pairs:
        payoff = x - slope * y - delta
        known = [*seen, payoff] if peek else seen
        bet = sum(known) / (1.0 + sum(z * z for z in known))
        wealth *= 1.0 + min(max(bet, 0.0), cap / (slope + delta)) * payoff
        seen.append(payoff)
        path.append(wealth)
    return path


def expectation_and_crossing(epsilon, delta, q, alpha, *, length, peek=False):
    """Expected final wealth and the chance of ever reaching 1/alpha at the boundary p = e^epsilon q + delta, summed."""
    p = math.exp(epsilon) * q + delta
    chance = {(x, y): (p if x else 1.0 - p) * (q if y else 1.0 - q) for x, y in PAIRS}
    expected = crossing = 0.0
    for pairs in itertools.product(PAIRS, repeat=length):
        path = naive_wealth(pairs, epsilon, delta, 0.75, peek=peek)
        mass = math.prod(chance[pair] for pair in pairs)
        expected += mass * path[-1]
        crossing += mass * (max(path) >= 1.0 / alpha)
    return expected, crossing


@pytest.mark.parametrize(("epsilon", "delta", "q"), [(1.0, 0.0, 0.2), (0.3, 0.1, 0.4), (2.0, 0.05, 0.05)])
def test_wealth_has_expectation_one_at_the_boundary(epsilon, delta, q):
    expected, crossing = expectation_and_crossing(epsilon, delta, q, 0.7, length=6)
    assert expected == pytest.approx(1.0, abs=1e-12)
    assert crossing <= 0.7


def test_betting_on_the_present_pair_is_caught():
    """Sabotage: a bet that sees the pair it is for has an expectation above 1."""
    expected, _ = expectation_and_crossing(1.0, 0.0, 0.2, 0.7, length=5, peek=True)
    assert expected > 1.05


def test_first_bets_in_closed_form():
    process = EventProcess.start([1.0], cap=0.5)
    process = process.update([1], [0])
    assert process.wealth.tolist() == [1.0]  # nothing known, nothing bet
    process = process.update([1], [0])
    assert process.wealth[0] == pytest.approx(1.0 + 0.5 / math.e)  # 1/2 clipped to cap / e
    process = process.update([0], [1])
    assert process.wealth[0] == pytest.approx((1.0 + 0.5 / math.e) * 0.5)
    assert process.peak[0] == pytest.approx(1.0 + 0.5 / math.e)
    assert process.pairs == 3


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(PAIRS), max_size=60),
    st.lists(st.integers(0, 60), max_size=5),
    st.sampled_from([0.0, 0.01, 0.3]),
    st.sampled_from([0.5, 0.9]),
)
def test_naive_twin_and_any_split_into_blocks(pairs, cuts, delta, cap):
    grid = [0.0, 0.7, 3.0]
    x, y = np.array([p[0] for p in pairs], dtype=bool), np.array([p[1] for p in pairs], dtype=bool)
    whole = EventProcess.start(grid, delta=delta, cap=cap).update(x, y)
    parts = EventProcess.start(grid, delta=delta, cap=cap)
    edges = [0, *sorted(min(c, len(pairs)) for c in cuts), len(pairs)]
    for low, high in itertools.pairwise(edges):
        parts = copy.deepcopy(parts).update(x[low:high], y[low:high])
    for field in ("counts", "wealth", "peak"):
        assert np.array_equal(getattr(whole, field), getattr(parts, field))
    for g, epsilon in enumerate(grid):
        path = naive_wealth(pairs, epsilon, delta, cap)
        assert whole.wealth[g] == pytest.approx(path[-1] if path else 1.0, rel=1e-10)
        assert whole.peak[g] == pytest.approx(max([1.0, *path]), rel=1e-10)


def test_update_leaves_the_earlier_state_alone():
    start = EventProcess.start([1.0])
    start.update([1, 1, 1], [0, 0, 0])
    assert start.pairs == 0
    assert start.wealth.tolist() == [1.0]


def test_wealth_stops_before_it_overflows():
    process = EventProcess.start([0.0, 1.0, 200.0]).update(np.ones(20_000), np.zeros(20_000))
    assert np.isfinite(process.wealth).all()
    assert process.wealth[0] > 1e249
    assert process.epsilon_lower(alpha=1e-200) == 1.0


def test_lower_bound_is_the_unbroken_run():
    """A rejection beyond a gap does not count: it would make the bound a union of tests."""
    start = EventProcess.start([0.1, 0.2, 0.3, 0.4])
    peak = np.array([30.0, 25.0, 3.0, 99.0])
    state = EventProcess(
        epsilons=start.epsilons, delta=0.0, cap=0.75, counts=start.counts, wealth=start.wealth, peak=peak
    )
    assert state.rejected(alpha=0.05).tolist() == [True, True, False, True]
    assert state.epsilon_lower(alpha=0.05) == 0.2
    assert state.epsilon_lower(alpha=0.01) == 0.0
    assert state.epsilon_lower(alpha=0.5) == 0.4


def test_e_value_is_the_wealth_of_its_claim():
    process = EventProcess.start([0.5, 1.0]).update([1, 1, 1], [0, 0, 0])
    assert process.e_value(1.0) == pytest.approx(process.wealth[1], rel=1e-12)
    assert process.e_value(1.0) < process.wealth[1]
    with pytest.raises(InputError, match="grid"):
        process.e_value(0.7)


def test_averages():
    assert average_e_values([1.0, 3.0]) == 2.0
    assert average_e_values([1.0, 3.0], weights=[0.25, 0.75]) == 2.5
    for bad in ([], [-1.0], [[1.0]]):
        with pytest.raises(InputError, match="e-values"):
            average_e_values(bad)
    for weights in ([0.5, 0.6], [1.0], [-0.5, 1.5]):
        with pytest.raises(InputError, match="weights"):
            average_e_values([1.0, 2.0], weights=weights)


@pytest.mark.parametrize(
    "settings_", [{"epsilons": [1.0, 0.5]}, {"epsilons": []}, {"epsilons": [-1.0]}, {"delta": 1.0}, {"cap": 1.0}]
)
def test_bad_settings_are_told(settings_):
    with pytest.raises(InputError, match="allowed"):
        EventProcess.start(**({"epsilons": [1.0]} | settings_))


@pytest.mark.parametrize(("x", "y"), [([1, 0], [1]), ([2], [0]), ([0.5], [0]), ([[1]], [[0]])])
def test_bad_pairs_are_told(x, y):
    with pytest.raises(InputError, match="only 0 and 1"):
        EventProcess.start([1.0]).update(x, y)


def test_type_one_error_at_the_exact_boundary():
    """Randomised response that is exactly 1-DP, 1500 runs of 3000 pairs, looked at after every pair.

    False alarm of this test: at most 1e-9 (a binomial quantile at the nominal rate).
    """
    rng, runs, alpha, p = np.random.default_rng(20260501), 1500, 0.05, math.e / (1.0 + math.e)
    rejected = 0
    for _ in range(runs):
        draws = rng.random((2, 3000)) < [[p], [1.0 - p]]
        rejected += bool(EventProcess.start([1.0]).update(*draws).rejected(alpha=alpha)[0])
    assert rejected <= stats.binom.isf(1e-9, runs, alpha)
    assert rejected > 0  # of about 50: a process that never bets would pass the line above


def test_power_against_a_claim_of_one():
    """Randomised response with epsilon 1.2: 200 runs, all caught within 5000 pairs, half within 1200.

    A run escapes 5000 pairs with probability well below 1e-3 and 1200 with about 0.2: false alarm below 1e-9.
    """
    rng, p = np.random.default_rng(20260502), math.exp(1.2) / (1.0 + math.exp(1.2))
    late = escaped = 0
    for _ in range(200):
        x, y = rng.random((2, 5000)) < [[p], [1.0 - p]]
        early = EventProcess.start([1.0]).update(x[:1200], y[:1200])
        late += not early.rejected(alpha=0.05)[0]
        escaped += not early.update(x[1200:], y[1200:]).rejected(alpha=0.05)[0]
    assert late <= 100
    assert escaped <= 10
