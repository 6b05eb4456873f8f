"""Whole curves beside their points: every definition's trade-off curve, and the divergences of a discrete pair.

Both contenders give the same numbers; rates are by the thread's own processor time. Nothing here asserts one. Run with
``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.core.subjects import PrivacyGuarantee
from dpverify.definitions.grammar import built_in
from dpverify.laws.discrete import DiscreteLaw

ROUNDS = 5
RATES = np.linspace(0.0, 1.0, 1000)
CURVES = {
    name: example
    for name, definition in built_in().items()
    for example in definition.examples()[:1]
    if isinstance(example, PrivacyGuarantee)
}


def seconds(function: Callable[[], Any]) -> float:
    function()
    best = np.inf
    for _ in range(ROUNDS):
        begun = time.thread_time()
        function()
        best = min(best, time.thread_time() - begun)
    return float(best)


@pytest.mark.benchmark(group="a claimed trade-off curve at 1000 rates")
@pytest.mark.parametrize("name", CURVES)
def test_a_curve_beside_its_points(benchmark: BenchmarkFixture, name: str) -> None:
    curve = CURVES[name]
    found = benchmark.pedantic(curve.tradeoff, args=(RATES,), rounds=ROUNDS, warmup_rounds=1)
    few = RATES[::50]
    assert found[::50] == pytest.approx([float(curve.tradeoff(rate)) for rate in few], abs=1e-9)
    ratio = seconds(lambda: [curve.tradeoff(rate) for rate in few]) * 50 / seconds(lambda: curve.tradeoff(RATES))
    benchmark.extra_info["times as fast as point by point"] = ratio
    print(f"\n{curve.text()}: {ratio:.0f} times as fast as point by point")


@pytest.mark.benchmark(group="a divergence of two laws with 5001 outcomes")
@pytest.mark.parametrize("kind", ["epsilon", "delta", "renyi", "tradeoff"])
def test_a_divergence_beside_the_bare_sum(benchmark: BenchmarkFixture, kind: str) -> None:
    p, q = np.random.default_rng(0).dirichlet(np.ones(5001), size=2)
    pair = DiscreteLaw.from_probabilities(p).against(DiscreteLaw.from_probabilities(q))
    argument: Any = np.linspace(0, 1, 101) if kind == "tradeoff" else 2.0 if kind == "renyi" else 1e-3
    benchmark.pedantic(getattr(pair, kind), args=(argument,), rounds=ROUNDS, warmup_rounds=1)
    ratio = seconds(lambda: getattr(pair, kind)(argument)) / seconds(lambda: np.maximum(p - 2.0 * q, 0.0).sum())
    benchmark.extra_info["times the bare sum"] = ratio
    print(f"\n{kind}: {ratio:.1f} times one pass over the outcomes")
