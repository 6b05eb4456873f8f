"""One run against an (epsilon, delta) claim: golden values, the naive twin, mechanisms of known law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.stats.one_run import _largest_share, one_run_epsilon_lower, one_run_p_value


def naive(v, r, m, epsilon, delta):
    """The theorem as the paper's own listing has it."""
    q = 1 / (1 + math.exp(-epsilon))
    beta, best, total = stats.binom.sf(v - 1, r, q), 0.0, 0.0
    for i in range(1, v + 1):
        total += stats.binom.pmf(v - i, r, q)
        best = max(best, total / i)
    return min(1.0, beta + 2 * m * delta * best)


@pytest.mark.parametrize(
    ("canaries", "guesses", "correct", "delta", "wanted"),
    [
        (1000, 1000, 900, 0.0, 2.021233),
        (1000, 1000, 900, 1e-5, 2.020646),
        (1000, 100, 95, 1e-5, 2.165176),
        (5000, 1000, 1000, 1e-5, 5.672882),
        (100, 100, 50, 1e-5, 0.0),
    ],
)
def test_golden_values(canaries, guesses, correct, delta, wanted):
    found = one_run_epsilon_lower(correct, guesses, canaries, alpha=0.05, delta=delta)
    assert found == pytest.approx(wanted, abs=1e-5)


@given(st.data())
def test_the_naive_twin_agrees_from_below(data):
    r = data.draw(st.integers(1, 60))
    m = r + data.draw(st.integers(0, 60))
    v = data.draw(st.integers(1, r))
    epsilon, delta = data.draw(st.floats(0, 6)), data.draw(st.sampled_from([0.0, 1e-9, 1e-5, 1e-2, 0.3]))
    found, wanted = one_run_p_value(v, r, m, epsilon=epsilon, delta=delta), naive(v, r, m, epsilon, delta)
    assert wanted - 1e-15 <= found <= wanted * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize(("guesses", "correct"), [(3000, 2999), (3000, 2300), (3000, 1600), (2000, 2000), (500, 3)])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
def test_the_delta_term_is_the_largest_of_all(guesses, correct, epsilon):
    """Every i, where the search looks at a few."""
    q, i = 1 / (1 + math.exp(-epsilon)), np.arange(1, correct + 1)
    beta = stats.binom.sf(correct - 1, guesses, q)
    wanted = np.max((stats.binom.sf(correct - i - 1, guesses, q) - beta) / i)
    assert _largest_share(correct, guesses, 1 - q, beta) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("values", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_randomised_response_attains_the_bound(values, epsilon):
    """Guesses on randomised response are right with probability e^epsilon / (e^epsilon + values - 1), independently."""
    q = math.exp(epsilon) / (math.exp(epsilon) + values - 1)
    for v in (1, 7, 12, 20):
        found = one_run_p_value(v, 20, 30, epsilon=epsilon, values=values)
        assert found == pytest.approx(stats.binom.sf(v - 1, 20, q), rel=1e-7)


def tail_of_global_leak(v, r, epsilon, delta):
    """With probability delta every coin is published, else randomised response: (epsilon, delta) exactly."""
    q = 1 / (1 + math.exp(-epsilon))
    return delta + (1 - delta) * stats.binom.sf(v - 1, r, q)


def tail_of_single_leaks(v, r, epsilon, delta):
    """Each coin is published with probability delta on its own, else randomised response."""
    q = 1 / (1 + math.exp(-epsilon))
    return stats.binom.sf(v - 1, r, delta + (1 - delta) * q)


@pytest.mark.parametrize("tail", [tail_of_global_leak, tail_of_single_leaks])
@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
def test_what_leaks_with_probability_delta_stays_below(tail, delta, epsilon):
    for r in (1, 5, 40, 200):
        for v in {1, r // 2 + 1, (9 * r) // 10 + 1, r} - {r + 1}:
            assert tail(v, r, epsilon, delta) <= one_run_p_value(v, r, r, epsilon=epsilon, delta=delta) + 1e-12


def test_without_the_term_in_delta_the_same_check_fails():
    """Sabotage: the binomial tail alone, as if delta were 0."""
    assert tail_of_global_leak(40, 40, 1.0, 1e-3) > one_run_p_value(40, 40, 40, epsilon=1.0, delta=0.0) + 1e-12


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 300), st.floats(0, 1), st.sampled_from([0.0, 1e-6, 1e-3]), st.sampled_from([0.2, 0.05, 1e-3, 1e-9])
)
def test_every_epsilon_below_the_bound_is_refuted_and_the_next_is_not(guesses, part, delta, alpha):
    correct = round(guesses * (0.5 + 0.5 * part))
    bound = one_run_epsilon_lower(correct, guesses, guesses + 5, alpha=alpha, delta=delta)
    for epsilon in np.linspace(0.0, bound, 12)[:-1] if bound > 0 else []:
        assert one_run_p_value(correct, guesses, guesses + 5, epsilon=float(epsilon), delta=delta) <= alpha
    assert one_run_p_value(correct, guesses, guesses + 5, epsilon=bound + 1e-5, delta=delta) > alpha


def test_a_perfect_attack_gives_a_finite_bound_near_its_cap():
    found = one_run_epsilon_lower(1000, 1000, 1000, alpha=0.05)
    assert found == pytest.approx(math.log(1000 / math.log(1 / 0.05)), abs=0.01)
    assert math.isfinite(one_run_epsilon_lower(1, 1, 1, alpha=0.9))


@pytest.mark.parametrize(
    "words",
    [
        {"correct": 11, "guesses": 10, "canaries": 20},
        {"correct": 1, "guesses": 10, "canaries": 5},
        {"correct": 0, "guesses": 0, "canaries": 5},
        {"correct": 1, "guesses": 2, "canaries": 5, "values": 1},
        {"correct": 1, "guesses": 2, "canaries": 5, "delta": 1.0},
        {"correct": 1, "guesses": 2, "canaries": 5, "delta": 0.1, "values": 3},
        {"correct": 1, "guesses": 2, "canaries": 5, "epsilon": -1.0},
    ],
)
def test_bad_input_is_one_line(words):
    counts = [words.pop(name) for name in ("correct", "guesses", "canaries")]
    with pytest.raises(InputError) as caught:
        one_run_p_value(*counts, **{"epsilon": 1.0, **words})
    assert "\n" not in str(caught.value)
