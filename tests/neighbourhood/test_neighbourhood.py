"""Data sets of no, one and two records are tried where the mechanism returns on them, and it is said where not."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.core.claim import SearchSpace
from dpverify.core.verdict import Status
from dpverify.neighbourhood.neighbourhood import of_example
from dpverify.sampling.streams import stream

DATA = [0.2, 0.9, 1.0, 0.0]


def place(relation=None, **settings):
    return of_example(DATA, relation=relation, records=None, bounds=settings.get("bounds"), unit=None)


def total(data, rng):
    return sum(data) + rng.laplace()


def mean(data, rng):
    return sum(data) / len(data) + rng.laplace()


def spread(data, rng):
    if len(data) < 2:
        raise ValueError("two records at least")
    return float(np.std(data)) + rng.laplace()


def leaks_when_alone(data, size, rng):
    noise = rng.laplace(size=size)
    return sum(data) + (noise if len(data) != 1 else 0.0 * noise)


@pytest.mark.parametrize(
    ("function", "small", "told"),
    [(total, (0, 1), ""), (mean, (1,), "has 0 records"), (spread, (), "has 0 or 1 records")],
)
def test_smallest_data_sets_are_those_on_which_it_returns(function, small, told):
    found = place().with_small(CallableMechanism(function), stream=lambda *names: stream(0, *names))
    assert found.generator.small == small
    assert (told in found.assumed[-1]) if told else (len(found.assumed) == 2)
    pairs = found.generator.candidates(SearchSpace(), limit=10, rng=np.random.default_rng(0))
    sizes = {min(len(pair.d0), len(pair.d1)) for pair in pairs}
    assert sizes & {0, 1} == set(small)
    assert all(found.generator.check(pair.d0, pair.d1) is None for pair in pairs)
    assert all(found.generator.outside(pair.d0, pair.d1) is None for pair in pairs)


def test_replaced_records_keep_the_examples_size():
    before = place("replace")
    assert before.with_small(CallableMechanism(total), stream=lambda *names: stream(0, *names)) is before


def test_a_leak_of_a_single_record_is_found():
    result = dpv.audit(leaks_when_alone, claim="PureDP(epsilon=1)", data=DATA, bounds=(0, 1), trials=20_000)
    assert result.verdict is Status.REFUTED
