"""How long the gate takes to refute a mechanism of a millisecond a call, at its default settings."""

import statistics
import time

import numpy as np
import pytest

import dpverify as dpv

SEEDS = 20


def recorded(data, rng):
    """Half the noise; its generator can be recorded."""
    time.sleep(0.001)
    return sum(data) + rng.laplace(scale=0.5)


def opaque(data):
    """Half the noise, from a generator of its own."""
    time.sleep(0.001)
    return sum(data) + np.random.default_rng().laplace(scale=0.5)


@pytest.mark.benchmark(group="a mechanism of 1 ms a call with half the noise")
@pytest.mark.parametrize("mechanism", [recorded, opaque], ids=lambda each: each.__name__)
def test_refuted(benchmark, mechanism):
    seconds = []

    def all_seeds():
        for seed in range(SEEDS):
            begun = time.perf_counter()
            result = dpv.audit(mechanism, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3], seed=seed)
            seconds.append(time.perf_counter() - begun)
            assert result.verdict == "refuted"

    benchmark.pedantic(all_seeds, rounds=1)
    benchmark.extra_info["median seconds to a verdict"] = statistics.median(seconds)
    print(f"\n{mechanism.__name__}: median {statistics.median(seconds):.1f} s, longest {max(seconds):.1f} s")
