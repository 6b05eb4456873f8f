import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import log_ndtr

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.stopping import StoppingLaw

NOISES = ("laplace", "gaussian")


def law(levels, *, noise="laplace", threshold_scale=2.0, query_scale=4.0):
    return StoppingLaw(noise=noise, threshold_scale=threshold_scale, query_scale=query_scale, levels=levels)


def log_difference_tail(t, b1, b2):
    """log P(X > t) for t >= 0 and X the difference of Laplace noises of scales b1 != b2 (partial fractions)."""
    wide, narrow = max(b1, b2), min(b1, b2)
    rest = (narrow / wide) ** 2 * math.exp(t / wide - t / narrow)
    return -t / wide + math.log1p(-rest) - math.log(2 * (1 - (narrow / wide) ** 2))


# Closed form


@pytest.mark.parametrize("level", [0.0, 0.7, -3.0, 40.0, -1200.0, 2000.0])
@pytest.mark.parametrize("scales", [(2.0, 4.0), (5.0, 1.0), (0.1, 3.0)])
def test_one_level_with_laplace_noise_is_the_law_of_a_difference(level, scales):
    found = law([level], threshold_scale=scales[0], query_scale=scales[1])
    tail = log_difference_tail(abs(level), *scales)
    rest = math.log1p(-math.exp(tail))
    expected = [rest, tail] if level >= 0 else [tail, rest]
    np.testing.assert_allclose(found.log_probabilities(), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("level", [0.0, 1.3, -2.0, 60.0, -600.0])
@pytest.mark.parametrize("scales", [(1.2, 1.7), (0.05, 2.0), (30.0, 1.0)])
def test_one_level_with_normal_noise_is_the_law_of_a_difference(level, scales):
    found = law([level], noise="gaussian", threshold_scale=scales[0], query_scale=scales[1])
    z = level / math.hypot(*scales)
    np.testing.assert_allclose(found.log_probabilities(), log_ndtr([z, -z]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("size", [1, 7, 300, 5000])
def test_equal_noises_and_levels_make_every_rank_equally_likely(noise, size):
    found = law(np.zeros(size), noise=noise, threshold_scale=3.0, query_scale=3.0)
    k = np.arange(size)
    expected = np.append(1.0 / ((k + 1) * (k + 2)), 1.0 / (size + 1))
    np.testing.assert_allclose(np.exp(found.log_probabilities()), expected, rtol=1e-11)


# Naive twin: one quadrature an outcome


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("levels", [[0.5, -1.0], [3.0, 3.0, -8.0], [-2.0, 5.0, 1.0, 0.0, 9.0]])
def test_agrees_with_one_quadrature_for_each_outcome(noise, levels):
    threshold = (stats.laplace if noise == "laplace" else stats.norm)(scale=2.0)
    query = (stats.laplace if noise == "laplace" else stats.norm)(scale=4.0)

    def integrand(z, outcome):
        value = threshold.pdf(z) * np.prod([query.cdf(z - level) for level in levels[:outcome]])
        return value * (query.sf(z - levels[outcome]) if outcome < len(levels) else 1.0)

    points = sorted({0.0, *levels})
    pieces = list(zip([-90.0, *points], [*points, 110.0], strict=True))
    expected = [
        sum(integrate.quad(integrand, *piece, args=(outcome,), epsabs=1e-13, limit=200)[0] for piece in pieces)
        for outcome in range(len(levels) + 1)
    ]
    found = law(levels, noise=noise)
    np.testing.assert_allclose(np.exp(found.log_probabilities()), expected, rtol=1e-8)
    broken = law(levels, noise=noise, query_scale=4.0 * 0.999)
    assert np.max(np.abs(np.exp(broken.log_probabilities()) / expected - 1)) > 1e-5


# Properties

SCALES = st.floats(1e-3, 1e3)


@given(
    noise=st.sampled_from(NOISES),
    scales=st.tuples(SCALES, SCALES),
    levels=st.lists(st.floats(-300.0, 300.0), min_size=1, max_size=12),
)
def test_probabilities_sum_to_one_and_errors_are_small(noise, scales, levels):
    found = law(np.array(levels) * scales[1], noise=noise, threshold_scale=scales[0], query_scale=scales[1])
    logs, errors = found.log_probabilities(), found.log_errors()
    assert np.all(np.isfinite(logs))
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(errors < 1e-10 + 1e-13 * np.abs(logs))


@given(
    noise=st.sampled_from(NOISES),
    blocks=st.lists(st.tuples(st.floats(-30.0, 30.0), st.integers(1, 40)), min_size=1, max_size=4),
    factor=st.floats(0.01, 100.0),
)
@settings(max_examples=40, deadline=None)
def test_scaling_and_cutting_change_nothing(noise, blocks, factor):
    levels = np.concatenate([np.full(count, level) for level, count in blocks])
    whole = law(levels, noise=noise).log_probabilities()
    scaled = law(levels * factor, noise=noise, threshold_scale=2.0 * factor, query_scale=4.0 * factor)
    np.testing.assert_allclose(scaled.log_probabilities(), whole, rtol=1e-9, atol=1e-10)
    half = (levels.size + 1) // 2
    cut = law(levels[:half], noise=noise).log_probabilities()
    np.testing.assert_allclose(cut[:half], whole[:half], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("noise", NOISES)
def test_runs_and_nearly_equal_levels_give_the_same_law(noise):
    rng = np.random.default_rng(5)
    levels = np.repeat([4.0, -9.0, 1.0], [20, 5, 15])
    apart = levels + rng.uniform(-1e-9, 1e-9, levels.size)
    np.testing.assert_allclose(
        law(apart, noise=noise).log_probabilities(), law(levels, noise=noise).log_probabilities(), atol=2e-8
    )


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("levels", [np.full(30, 1e4), np.repeat([4e3, -4e3], 15), np.linspace(-1e4, 1e4, 30)])
def test_absurd_levels_stay_finite(noise, levels):
    logs = law(levels, noise=noise, threshold_scale=1.22, query_scale=1.73).log_probabilities()
    assert np.all(np.isfinite(logs))
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)
    if levels[0] == levels[-1]:
        assert np.all(np.diff(logs[:-1]) < 0)


def test_thousands_of_different_levels():
    rng = np.random.default_rng(0)
    for noise in NOISES:
        found = law(rng.normal(size=1500) * 4, noise=noise)
        assert np.exp(found.log_probabilities()).sum() == pytest.approx(1.0, abs=1e-12)
        assert found.log_errors().max() < 1e-9


@pytest.mark.parametrize(
    "broken",
    [
        {"noise": "cauchy"},
        {"threshold_scale": 0.0},
        {"query_scale": -1.0},
        {"query_scale": math.inf},
        {"levels": []},
        {"levels": [[1.0]]},
        {"levels": [math.nan]},
        {"levels": [math.inf]},
    ],
)
def test_bad_input_is_refused(broken):
    good = {"noise": "laplace", "threshold_scale": 2.0, "query_scale": 4.0, "levels": [0.0]}
    with pytest.raises(InputError):
        StoppingLaw(**{**good, **broken})


# Pairs


def test_pair_divergences_are_those_of_the_outcomes():
    p, q = law([1.0, 0.0]), law([0.0, 1.0])
    pair, a, b = p.against(q), np.exp(p.log_probabilities()), np.exp(q.log_probabilities())
    assert pair.epsilon(0.0).value == pytest.approx(np.log(a / b).max(), rel=1e-12)
    assert pair.delta(0.05).value == pytest.approx(np.maximum(a - math.exp(0.05) * b, 0).sum(), rel=1e-10)
    assert pair.renyi(3.0).value == pytest.approx(math.log((a**3 / b**2).sum()) / 2, rel=1e-9)
    assert pair.swap().epsilon(0.0).value == pytest.approx(np.log(b / a).max(), rel=1e-12)
    assert pair.tradeoff([0.0, 1.0]).tolist() == pytest.approx([1.0, 0.0])
    assert pair.mu().value > 0
    assert pair.epsilon(0.0).error < 1e-12
    assert not pair.epsilon(0.0).proved


def test_above_threshold_is_epsilon_dp_and_nearly_attains_it():
    base = np.append(np.full(9, 60.0), -10.0)
    pair = law(base).against(law(base + np.append(-np.ones(9), 1.0)))
    worst = max(pair.epsilon(0.0).value, pair.swap().epsilon(0.0).value)
    assert 0.95 < worst <= 1.0 + 1e-12


def test_unlike_laws_are_not_compared():
    with pytest.raises(UnsupportedError):
        law([0.0]).against(law([0.0, 1.0]))
    with pytest.raises(UnsupportedError):
        law([0.0]).against(DiscreteLaw.from_probabilities([0.5, 0.5]))


# Statistics: chi-square at level 1e-9 with a fixed seed


@pytest.mark.parametrize("noise", NOISES)
def test_simulated_runs_follow_the_law(noise):
    rng, runs = np.random.default_rng(1), 200_000
    levels = np.array([-3.0, 2.0, 2.0, -6.0, 5.0])
    draw = rng.laplace if noise == "laplace" else rng.normal
    above = levels + draw(scale=4.0, size=(runs, 5)) >= draw(scale=2.0, size=(runs, 1))
    index = np.where(above.any(axis=1), above.argmax(axis=1), 5)
    counts = np.bincount(index, minlength=6)

    def p_value(found):
        expected = runs * np.exp(found.log_probabilities())
        return stats.chi2.sf(np.sum((counts - expected) ** 2 / expected), df=5)

    assert p_value(law(levels, noise=noise)) > 1e-9
    assert p_value(law(levels, noise=noise, query_scale=4.0 * 0.9)) < 1e-9
