"""Throughput of the jitted samplers beside numpy's Generator: run with ``pytest tests/benchmarks --benchmark-only``.

Each group holds the same task done both ways, so the figure in parentheses in the printed table is the ratio
between the two.
Nothing here asserts a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from dpverify.sampling import fill
from dpverify.sampling.poisson_subset import poisson_subset, skip_scale
from dpverify.sampling.streams import state_from, stream
from dpverify.sampling.ziggurat import laplace, normal

pytest.importorskip("pytest_benchmark")

DRAWS = 1_000_000


@pytest.mark.parametrize("by", ["numpy", "dpverify"])
@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "laplace", "gumbel"])
def test_fill_a_million(benchmark: Any, name: str, by: str) -> None:
    benchmark.group = f"fill a million: {name}"
    if by == "numpy":
        rng = stream(0, "benchmark")
        in_place = {"uniform": rng.random, "normal": rng.standard_normal, "exponential": rng.standard_exponential}
        if name in in_place:  # numpy at its best: no array to allocate
            benchmark(in_place[name], out=np.empty(DRAWS))
        else:
            benchmark(getattr(rng, name), size=DRAWS)
        return
    state, out = state_from(stream(0, "benchmark")), np.empty(DRAWS)
    benchmark.pedantic(getattr(fill, f"fill_{name}"), (out, *state), rounds=50, warmup_rounds=2)


@njit(nogil=True)
def sum_of_noise(count: int, s0: Any, s1: Any, s2: Any, s3: Any) -> float:
    total = 0.0
    for _ in range(count):
        x, s0, s1, s2, s3 = normal(s0, s1, s2, s3)
        y, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)
        total += x + y
    return total


@pytest.mark.parametrize("by", ["numpy", "dpverify"])
def test_sum_a_million_normals_and_laplaces(benchmark: Any, by: str) -> None:
    """How an audit kernel meets the samplers: one draw at a time, nothing stored."""
    benchmark.group = "sum a million normals and a million Laplaces"
    if by == "numpy":
        rng = stream(0, "benchmark")
        benchmark(lambda: rng.standard_normal(DRAWS).sum() + rng.laplace(size=DRAWS).sum())
        return
    benchmark.pedantic(sum_of_noise, (DRAWS, *state_from(stream(0, "benchmark"))), rounds=50, warmup_rounds=2)


@pytest.mark.parametrize("by", ["numpy", "dpverify"])
def test_poisson_subset_of_a_million_at_one_percent(benchmark: Any, by: str) -> None:
    benchmark.group = "Poisson subset of a million records, rate 0.01"
    if by == "numpy":
        rng = stream(0, "benchmark")
        benchmark(lambda: np.flatnonzero(rng.random(DRAWS) < 0.01))
        return
    out, state = np.empty(DRAWS, dtype=np.int64), state_from(stream(0, "benchmark"))
    benchmark.pedantic(poisson_subset, (out, skip_scale(0.01), *state), rounds=50, warmup_rounds=2)
