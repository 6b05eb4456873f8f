from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.partial_sum import SUM_SENSITIVITY
from reference_impls.mechanisms.smart_sum import SmartSum, noised_quantities, running_sums

ENTRIES = st.lists(st.floats(-10, 10), min_size=1, max_size=11)


def twin(entries: list[float], noise: np.ndarray, block: int) -> list[float]:
    """The published loop (LightDP's SmartSum) on recorded noise."""
    following = running = finished = 0.0
    out = []
    for i, entry in enumerate(entries):
        if (i + 1) % block == 0:
            finished = finished + running + entry + noise[i]
            following, running = finished, 0.0
        else:
            following += entry + noise[i]
            running += entry
        out.append(following)
    return out


@given(entries=ENTRIES, block=st.integers(2, 4))
def test_without_noise_the_sums_are_exact(entries: list[float], block: int) -> None:
    sums = running_sums(noised_quantities(np.array(entries), block)[None, :], block)
    np.testing.assert_allclose(sums[0], np.cumsum(entries), atol=1e-12)


@given(entries=ENTRIES, block=st.integers(2, 4))
def test_outputs_are_those_of_the_published_loop(entries: list[float], block: int) -> None:
    mechanism = SmartSum(epsilon=0.5, block=block)
    noise = with_laplace(np.zeros(len(entries)), 2.0 * SUM_SENSITIVITY, 3, rng=stream(20, "same"))
    out = mechanism.sample(entries, 3, rng=stream(20, "same"))
    for row in range(3):
        np.testing.assert_allclose(out[row], twin(entries, noise[row], block), atol=1e-9)


def test_an_entry_inside_a_block_costs_two_epsilon_and_the_last_one_epsilon() -> None:
    mechanism = SmartSum(epsilon=0.1, block=3)
    base = np.zeros(7)
    costs = []
    for i in range(7):
        moved = base.copy()
        moved[i] = 1.0
        costs.append(mechanism.output_law(base).against(mechanism.output_law(moved)).epsilon(0.0).value)
    np.testing.assert_allclose(costs, [0.2, 0.2, 0.1, 0.2, 0.2, 0.1, 0.1], rtol=1e-8)
    assert max(costs) <= 0.2


def test_blocks_of_one_are_refused() -> None:
    with pytest.raises(InputError):
        SmartSum(block=1)
