"""AboveThreshold on one core: trials a second of the jitted histogram, beside vectorised numpy and a Python loop.

The task is an audit's: filled histograms of the stopping index on D and on D', epsilon = 1, ten queries at the
threshold (D) or next to it (D'), 3.4 draws a trial on average. Every contender's histograms are held against the exact
law in the same run. Rates are by the thread's own processor time, so that a busy machine does not blur them; nothing
here asserts one. Run with ``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.mechanisms.above_threshold import AboveThreshold

pytest.importorskip("pytest_benchmark")

MECHANISM = AboveThreshold(epsilon=1.0, threshold=0.0)
D = np.zeros(10)
NEIGHBOUR = np.tile([0.25, -0.25], 5)  # moves by less than one, so that a trial costs as many draws as on D
TRIALS = {"kernel": 20_000_000, "numpy": 1_000_000, "loop": 200_000}
ROUNDS = 3
FALSE_ALARM = 1e-9

Counts = NDArray[np.int64]


def kernel(levels: NDArray[np.float64], size: int, rng: np.random.Generator) -> Counts:
    return MECHANISM.counts(levels, size, rng=rng)


def vectorised(levels: NDArray[np.float64], size: int, rng: np.random.Generator) -> Counts:
    """All trials at once, in blocks that fit the cache; numpy draws all eleven noises of a trial."""
    counts = np.zeros(11, dtype=np.int64)
    for block in range(0, size, 10_000):
        rows = min(10_000, size - block)
        above = levels + rng.laplace(scale=4.0, size=(rows, 10)) >= rng.laplace(scale=2.0, size=(rows, 1))
        counts += np.bincount(np.where(above.any(axis=1), above.argmax(axis=1), 10), minlength=11)
    return counts


def loop(levels: NDArray[np.float64], size: int, rng: np.random.Generator) -> Counts:
    """One trial after another in plain Python, on noise drawn beforehand: the fairest that Python can do."""
    counts = [0] * 11
    queries = levels.tolist()
    noise = iter(rng.laplace(size=8 * size).tolist())
    for _ in range(size):
        threshold = 2.0 * next(noise)
        for index, query in enumerate(queries):
            if query + 4.0 * next(noise) >= threshold:
                counts[index] += 1
                break
        else:
            counts[10] += 1
    return np.array(counts)


CONTENDERS: dict[str, Callable[..., Counts]] = {"kernel": kernel, "numpy": vectorised, "loop": loop}


def both(name: str, rng: np.random.Generator) -> tuple[Counts, Counts]:
    return CONTENDERS[name](D, TRIALS[name], rng), CONTENDERS[name](NEIGHBOUR, TRIALS[name], rng)


def follows_the_law(counts: Counts, levels: NDArray[np.float64]) -> bool:
    """Pearson's chi-square test against the exact law; False with probability <= 1e-9 when the sampler is right."""
    expected = np.exp(MECHANISM.output_law(levels).log_probabilities()) * counts.sum()
    return bool(stats.chi2.sf(np.sum((counts - expected) ** 2 / expected), 10) > FALSE_ALARM)


def test_histograms_of_both_sides(benchmark: Any, request: pytest.FixtureRequest) -> None:
    rates = {}
    for name in CONTENDERS:
        CONTENDERS[name](D, 1_000, stream(0, "warm-up"))
        seconds = []
        for _ in range(ROUNDS):
            begun = time.thread_time()
            found = both(name, stream(0, "benchmark", name))
            seconds.append(time.thread_time() - begun)
        rates[name] = 2 * TRIALS[name] / min(seconds)
        for counts, levels in zip(found, (D, NEIGHBOUR), strict=True):
            assert counts.sum() == TRIALS[name]
            assert follows_the_law(counts, levels)
            draws = float(counts @ np.minimum(np.arange(11) + 2, 11)) / TRIALS[name]
            assert 3.3 < draws < 3.5
    benchmark.pedantic(both, ("kernel", stream(0, "benchmark", "table")), rounds=1)
    benchmark.extra_info.update({f"{name}, million trials a second": rate / 1e6 for name, rate in rates.items()})
    lines = [f"\nAboveThreshold, 10 queries, {draws:.2f} draws a trial, one core, best of {ROUNDS}"]
    for name, rate in rates.items():
        lines.append(
            f"  {name:7s} {rate / 1e6:8.2f} million trials a second, kernel {rates['kernel'] / rate:6.1f} times"
        )
    for line in lines:
        request.config.get_terminal_writer().line(line)


def test_a_deficient_sampler_would_fail_the_check() -> None:
    wide = 16.0 * NEIGHBOUR  # at the threshold itself the law would not depend on the scale
    weak = AboveThreshold(epsilon=1.0, threshold=0.0, noise_multiplier=0.95)
    assert not follows_the_law(weak.counts(wide, 2_000_000, rng=stream(0, "weak")), wide)
    assert follows_the_law(MECHANISM.counts(wide, 2_000_000, rng=stream(0, "right")), wide)
