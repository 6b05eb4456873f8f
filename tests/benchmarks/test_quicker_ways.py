"""Ways that replaced slower ones, beside them: a sum for an integral, a table search without branches.

Both contenders run in turn on the same inputs, and give the same answer; rates are by the thread's own processor time.
Nothing here asserts one. Run with ``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import flint
import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from auditors.privacy.event.cell_lookup import cell_numbers
from dpverify.laws.stopping import StoppingLaw
from dpverify.laws.stopping_ball import integrated, tallies
from dpverify.laws.stopping_sum import laplace_probability

ROUNDS = 5


def seconds(function: Callable[[], Any]) -> float:
    function()
    best = np.inf
    for _ in range(ROUNDS):
        begun = time.thread_time()
        function()
        best = min(best, time.thread_time() - begun)
    return float(best)


@pytest.mark.benchmark(group="one proved probability of the stopping law, Laplace noise")
@pytest.mark.parametrize(("levels", "distinct"), [(10, 10), (30, 4), (30, 30), (190, 190)])
def test_a_sum_beside_the_integral(benchmark: BenchmarkFixture, levels: int, distinct: int) -> None:
    values = np.linspace(-30.0, 30.0, distinct)[np.arange(levels) % distinct]
    law = StoppingLaw(noise="laplace", threshold_scale=2.0, query_scale=4.0, levels=values)
    outcomes = levels // 2, levels // 2
    with flint.ctx.workprec(128):
        tally = tallies(law, outcomes)
        slow = seconds(lambda: integrated(law, outcomes))
        ball = benchmark.pedantic(laplace_probability, args=(2.0, 4.0, *tally), rounds=ROUNDS, warmup_rounds=1)
        fast = seconds(lambda: laplace_probability(2.0, 4.0, *tally))
        assert ball.overlaps(integrated(law, outcomes))
    benchmark.extra_info["times as fast"] = slow / fast
    print(f"\n{levels} levels, {distinct} distinct: {slow / fast:.1f} times as fast as the integral")


@pytest.mark.benchmark(group="cells of 131072 numbers")
@pytest.mark.parametrize("edges", [7, 26, 300])
def test_cells_beside_searchsorted(benchmark: BenchmarkFixture, edges: int) -> None:
    rng = np.random.default_rng(0)
    values, table = rng.laplace(size=2**17), np.sort(rng.laplace(size=edges))
    found = benchmark.pedantic(cell_numbers, args=(values, table), rounds=ROUNDS, warmup_rounds=1)
    assert (found == np.searchsorted(table, values, side="right")).all()
    ratio = seconds(lambda: np.searchsorted(table, values, side="right")) / seconds(lambda: cell_numbers(values, table))
    benchmark.extra_info["times as fast"] = ratio
    print(f"\n{edges} edges: {ratio:.1f} times as fast as numpy.searchsorted")
