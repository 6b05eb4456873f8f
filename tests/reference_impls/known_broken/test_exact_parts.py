"""Outputs that are noisy in part: what goes out exactly tells everything, the rest no more than its noise allows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.sampling.streams import stream
from reference_impls.known_broken.domain_from_data import DomainFromData
from reference_impls.known_broken.smart_sum_exact_blocks import SmartSumExactBlocks

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def proved(mechanism: SmartSumExactBlocks | DomainFromData, d0: ArrayLike, d1: ArrayLike) -> float:
    pair = mechanism.output_law(np.asarray(d0, dtype=float)).against(mechanism.output_law(np.asarray(d1, dtype=float)))
    found = pair.prove(PURE)
    assert found is not None
    assert found.proved
    assert pair.epsilon(0.0).value == pytest.approx(found.value)
    return found.value


@pytest.mark.parametrize(("moved", "truth"), [(0, math.inf), (2, math.inf), (8, math.inf), (9, 0.5)])
def test_a_moved_entry_shows_once_its_block_is_finished(moved: int, truth: float) -> None:
    entries = np.arange(10.0)
    assert proved(SmartSumExactBlocks(epsilon=0.5, block=3), entries, entries + np.eye(10)[moved]) == truth


def test_entries_that_change_places_in_a_block_show_by_their_noise_only() -> None:
    """[1, 2, 3] and [2, 1, 3] have one sum; two noisy entries move by 1."""
    assert proved(SmartSumExactBlocks(epsilon=0.5, block=3), [1, 2, 3], [2, 1, 3]) == 1.0
    assert proved(SmartSumExactBlocks(epsilon=0.5, block=4), [1, 2, 3], [1, 2, 4]) == 0.5  # no block is finished


def test_block_sums_in_the_law_are_those_that_are_sampled(follows: Callable[..., bool]) -> None:
    # False-alarm probability 4e-9.
    entries = np.array([0.1, 0.2, 0.3, 0.7, 0.11, 0.13, 5.0])
    mechanism = SmartSumExactBlocks(epsilon=0.5, block=3)
    point, noise = mechanism.output_law(entries).laws
    out = mechanism.sample(entries, 50_000, rng=stream(71))
    np.testing.assert_array_equal(out[:, [2, 5]], np.broadcast_to(point.place, (50_000, 2)))
    steps = np.column_stack([out[:, 0], out[:, 1] - out[:, 0], out[:, 3] - out[:, 2], out[:, 4] - out[:, 3]])
    for column in range(4):
        assert follows(steps[:, column], stats.laplace(noise.locations[column], noise.scales[column]).cdf)


def test_a_new_bin_shows_and_a_known_one_does_not() -> None:
    mechanism = DomainFromData(epsilon=0.5, width=5)
    assert proved(mechanism, [0.0, 3.5], [0.0, 3.5, 2.0]) == 0.5
    assert proved(mechanism, [0.0, 3.5], [0.0, 3.5, 4.0]) == math.inf
    assert proved(mechanism, [], [0.0]) == math.inf


@pytest.mark.parametrize("name", ["bad-smart-sum", "domain-from-data"])
def test_claims_are_broken_by_proof(name: str, registered: Registry) -> None:
    entry = registered.entries.get(name)
    mechanism = registered.subject(entry.claim.subject)(**entry.claim.parameters)
    d0, d1 = (np.zeros(10), np.eye(10)[4]) if name == "bad-smart-sum" else ([1.0], [1.0, 3.0])
    assert registered.neighbors.get(entry.claim.relation).check(d0, d1) is None
    assert proved(mechanism, d0, d1) > entry.claim.guarantee.measures()[0].claimed
    assert entry.expectation == "broken"
