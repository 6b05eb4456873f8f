"""Lyu, Su and Li's Algorithms 3 to 6 and two relatives: their wrongness by integration over the threshold noise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.known_broken import adaptive_svt_leak
from reference_impls.known_broken.adaptive_svt_leak import AdaptiveSvtLeak
from reference_impls.known_broken.sparse_vector_variants import (
    GapSparseVector,
    Svt3,
    Svt4,
    Svt5,
    Svt6,
    svt4_epsilon,
    svt6_epsilon_at_least,
    value_epsilon_at_least,
)
from reference_impls.known_broken.svt34_parallel import Svt34Parallel
from reference_impls.mechanisms.adaptive_svt import AdaptiveSvt
from reference_impls.mechanisms.sparse_vector import SparseVector


def log_chance_of_low_value(mechanism: SparseVector, queries: np.ndarray, bound: float) -> float:
    """log P(all but the last query are below, the last is above with a released value <= bound), by quadrature."""
    recipe = mechanism.recipe()
    value = np.linspace(-60 * recipe.query_scale, bound, 40_001)
    rho = value - mechanism.threshold  # the value bounds the threshold noise from above
    below = np.sum([stats.laplace.logcdf(value - q, scale=recipe.query_scale) for q in queries[:-1]], axis=0)
    density = stats.laplace.pdf(rho, scale=recipe.threshold_scale) * np.exp(below)
    step = value[1] - value[0]
    held = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2) * step])
    return math.log(np.trapezoid(stats.laplace.pdf(value - queries[-1], scale=recipe.query_scale) * held, value))


@pytest.mark.parametrize(
    ("mechanism", "rest", "last", "bound"),
    [
        (Svt3(epsilon=0.1, threshold=1.0), -9.0, 5.0, 5.0),
        (Svt3(epsilon=1.0, threshold=1.0), 0.0, 3.0, 3.0),
        (GapSparseVector(epsilon=2.0, threshold=0.0), -1.0, 1.0, 1.0),
    ],
)
def test_a_released_value_gives_the_threshold_away(
    mechanism: SparseVector, rest: float, last: float, bound: float
) -> None:
    before = np.array([rest] * 6 + [last])
    p = log_chance_of_low_value(mechanism, before, bound)
    q = log_chance_of_low_value(mechanism, before + 1.0, bound)
    assert p - q > 1.1 * mechanism.epsilon
    # The integral is the law: six standard deviations, a false alarm of at most 3e-9 (binomial), three cases.
    size = 400_000
    out = mechanism.sample(before, size, rng=stream(35, type(mechanism).__name__))
    hits = np.mean(np.all(out[:, :6] == 0, axis=1) & (out[:, 6] == 1) & (out[:, 13] <= bound))
    assert abs(hits - math.exp(p)) < 6 * math.sqrt(math.exp(p) / size)


@pytest.mark.parametrize(
    ("mechanism", "truth"),
    [
        (Svt3(epsilon=0.1, threshold=1.0), value_epsilon_at_least(Svt3(epsilon=0.1), 10)),
        (Svt34Parallel(epsilon=0.1, threshold=1.0), value_epsilon_at_least(Svt3(epsilon=0.1, cutoff=2), 10)),
        (GapSparseVector(epsilon=0.1, threshold=1.0), value_epsilon_at_least(GapSparseVector(epsilon=0.1), 10)),
        (AdaptiveSvtLeak(epsilon=0.1, threshold=1.0), adaptive_svt_leak.epsilon_at_least(0.1, 1, 10)),
    ],
    ids=["svt3", "svt34", "gap", "adaptive"],
)
def test_ten_moves_up_are_proved_to_tell(mechanism: Svt3 | Svt34Parallel | AdaptiveSvtLeak, truth: float) -> None:
    # In the bin of the lowest values every comparison and the value itself is an exponential: closed form.
    laws = [mechanism.output_law(np.full(10, level)) for level in (0.0, 1.0)]
    proof = laws[0].against(laws[1]).prove(Measure(kind="epsilon", argument=0.0, claimed=0.1))
    assert proof is not None
    assert proof.proved
    assert proof.lower == pytest.approx(truth, rel=1e-9)
    assert proof.lower > 0.2


@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("kind", [Svt3, Svt34Parallel, GapSparseVector])
def test_first_hits_follow_the_law(
    kind: type[Svt3 | Svt34Parallel | GapSparseVector], cutoff: int, hits_fit: Callable[..., bool]
) -> None:
    # False-alarm probability 1e-9 a case, six cases; of the parallel one the columns of Algorithm 3.
    queries, size = np.array([0.0, 3.0, -1.0, 1.0]), 300_000
    mechanism, weak = (kind(epsilon=2.0, threshold=2.0, cutoff=cutoff, noise_multiplier=each) for each in (1.0, 0.9))
    law = mechanism.output_law(queries)
    seen, other = (each.sample(queries, size, rng=stream(46, kind.__name__))[:, :8] for each in (mechanism, weak))
    assert hits_fit(law, seen, 2.0, {1.0: 0})
    assert not hits_fit(law, other, 2.0, {1.0: 0})


@pytest.mark.parametrize("queries", [10, 1000])
def test_algorithm_4_comes_near_its_true_epsilon_and_never_exceeds_it(queries: int) -> None:
    truth = svt4_epsilon(0.1, 1)
    assert truth == pytest.approx(0.175)
    mechanism = Svt4(epsilon=0.1)
    laws = []
    for shift in (0.0, 1.0):
        levels = np.full(queries, -1.0 + shift)
        levels[-1] = 9.0 - shift
        laws.append(mechanism.output_law(levels + mechanism.threshold))
    found = laws[0].against(laws[1]).epsilon(0.0)
    assert found.lower > (0.15 if queries == 10 else 0.1749)
    assert found.lower <= truth
    with pytest.raises(UnsupportedError, match="cutoff 1"):
        Svt4(cutoff=2).output_law([0.0])


def test_answers_of_algorithm_4_follow_its_law() -> None:
    queries = [0.0, 2.0, -1.0]
    mechanism = Svt4(epsilon=1.0)
    above = mechanism.sample(queries, 300_000, rng=stream(45)) == 1
    counts = np.bincount(np.where(above.any(axis=1), above.argmax(axis=1), 3), minlength=4)
    expected = 300_000 * np.exp(mechanism.output_law(queries).log_probabilities())
    # Pearson's chi-square test, false-alarm probability 1e-9.
    assert stats.chi2.sf(np.sum((counts - expected) ** 2 / expected), 3) > 1e-9


def test_algorithm_5_reverses_an_impossible_order() -> None:
    mechanism = Svt5(epsilon=0.1)
    seen, never = (mechanism.sample(queries, 100_000, rng=stream(36)) for queries in ([1.0, 0.5], [0.5, 1.0]))
    # First above, second below: 1235 expected of a binomial law, false alarm far below 1e-9.
    assert np.sum((seen[:, 0] == 1) & (seen[:, 1] == 0)) > 500
    assert not np.any((never[:, 0] == 1) & (never[:, 1] == 0))


def test_algorithm_6_leaks_with_the_number_of_queries() -> None:
    mechanism = Svt6(epsilon=0.1, threshold=1.0)
    recipe = mechanism.recipe()
    for queries in (2, 10, 40):
        half = queries // 2
        chances = []
        for shift in (0.0, 1.0):  # m queries up, m queries down; the answers "above" m times and "below" m times
            rho = np.linspace(-60, 60, 20_001) * recipe.threshold_scale
            up = stats.laplace.logsf(rho + mechanism.threshold - 1.0 - shift, scale=recipe.query_scale)
            down = stats.laplace.logcdf(rho + mechanism.threshold - 1.0 + shift, scale=recipe.query_scale)
            inside = stats.laplace.logpdf(rho, scale=recipe.threshold_scale) + half * (up + down)
            chances.append(np.log(np.trapezoid(np.exp(inside - inside.max()), rho)) + inside.max())
        assert chances[1] - chances[0] >= svt6_epsilon_at_least(0.1, queries)
        assert (svt6_epsilon_at_least(0.1, queries) > 0.1) == (queries > 4)


def test_the_parallel_one_is_both() -> None:
    parallel = Svt34Parallel(epsilon=0.1)
    queries = np.array([0.0, 1.0, 2.0])
    rng = stream(37)
    out = parallel.sample(queries, 50, rng=stream(37))
    np.testing.assert_array_equal(out[:, :6], Svt3(epsilon=0.1, cutoff=2).sample(queries, 50, rng=rng))
    np.testing.assert_array_equal(out[:, 6:], Svt4(epsilon=0.1, cutoff=2).sample(queries, 50, rng=rng))


def test_the_adaptive_leak_breaks_the_claim() -> None:
    # P(eight below, then far above with a value <= w): the value bounds the noisy threshold from above.
    epsilon, bound = 3.0, 3.0
    near, far = 4.0 / epsilon, 8.0 / epsilon
    sigma = far
    mechanism = AdaptiveSvtLeak(epsilon=epsilon, margin=1.0)
    before, after = np.array([-1.0] * 8 + [3.0]), np.array([0.0] * 8 + [4.0])
    chances = []
    for queries in (before, after):
        threshold = np.linspace(-40.0, bound - sigma, 40_001)
        below = stats.laplace.cdf(threshold + sigma - queries[0], scale=far)
        below = below * stats.laplace.cdf(threshold - queries[0], scale=near)
        top = stats.laplace.cdf(bound - queries[-1], scale=far)
        top = top - stats.laplace.cdf(threshold + sigma - queries[-1], scale=far)
        density = stats.laplace.pdf(threshold, scale=2.0 / epsilon)
        chances.append(float(np.trapezoid(density * below**8 * top, threshold)))
    assert math.log(chances[0] / chances[1]) > 1.4 * epsilon
    size = 400_000
    out = mechanism.sample(before, size, rng=stream(38))
    hits = np.sum(np.all(out[:, :8] == 0, axis=1) & (out[:, 8] == 3) & (out[:, 17] <= bound))
    # False-alarm probability 1e-9, by Poisson's tails; a silent sampler is outside.
    low, high = stats.poisson.ppf([5e-10, 1 - 5e-10], size * chances[0])
    assert 200 < low <= hits <= high


def test_the_adaptive_leak_is_the_law_and_the_sound_technique_is_not(hits_fit: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    queries, given = np.array([0.0, 12.0, -1.0]), {"epsilon": 4.0, "threshold": -0.5, "margin": 0.5}
    law = AdaptiveSvtLeak(**given).output_law(queries)
    leaky, sound = (kind(**given).sample(queries, 200_000, rng=stream(47)) for kind in (AdaptiveSvtLeak, AdaptiveSvt))
    assert hits_fit(law, leaky, -0.5, {3.0: 0, 1.0: 1})
    assert not hits_fit(law, sound, -0.5, {3.0: 0, 1.0: 1})
