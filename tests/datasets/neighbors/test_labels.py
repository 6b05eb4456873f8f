"""One session's labels change, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.neighbors import binary_labels, labels
from dpverify.datasets.neighbors.binary_labels import BinaryLabels
from dpverify.datasets.neighbors.labels import LabelChange, sessions
from dpverify.datasets.simulated_sessions import load_simulated, load_uneven

SPACE = SearchSpace(size=4, low=0.0, high=2.0, data="simulated-sessions")
UNEVEN = SearchSpace(size=2, low=0.0, high=1.0, data="uneven-sessions")


def test_they_are_generators() -> None:
    registry = Registry()
    for module in (labels, binary_labels):
        module.register(registry)
    assert list(registry.neighbors) == ["labels", "labels/binary"]
    for name, generator in registry.neighbors.items():
        assert isinstance(generator, NeighborGenerator)
        assert (generator.name, generator.relation) == (name, "labels")


def test_the_sessions_are_always_the_same() -> None:
    assert sessions(SPACE).count == 4
    assert np.array_equal(sessions(SPACE).documents, sessions(SPACE).documents)
    assert sessions(SearchSpace(size=99)).count == 12


@pytest.mark.parametrize("generator", [LabelChange(), BinaryLabels()], ids=lambda g: g.name)
@pytest.mark.parametrize("space", [SPACE, UNEVEN, SearchSpace(size=1, low=-1.0, high=3.0)], ids=lambda s: str(s.data))
def test_candidates_are_distinct_neighbours_in_the_range(generator: NeighborGenerator, space: SearchSpace) -> None:
    pairs = generator.candidates(space, limit=60, rng=np.random.default_rng(0))
    keys = set()
    for pair in pairs:
        assert generator.check(pair.d0, pair.d1) is None
        assert generator.check(pair.d1, pair.d0) is None
        changed = np.flatnonzero(pair.d0.labels != pair.d1.labels)
        assert changed.size
        values = np.concatenate([pair.d0.labels[changed], pair.d1.labels[changed]])
        assert space.low <= values.min() <= values.max() <= space.high
        keys.add(tuple(sorted((pair.d0.labels.tobytes(), pair.d1.labels.tobytes()))))
    assert len(keys) == len(pairs) <= 60
    again = generator.candidates(space, limit=60, rng=np.random.default_rng(0))
    assert [pair.d1.labels.tobytes() for pair in again] == [pair.d1.labels.tobytes() for pair in pairs]


def test_the_extremes_come_first() -> None:
    pairs = LabelChange().candidates(SPACE, limit=40, rng=np.random.default_rng(0))
    first = pairs[0]
    changed = first.d0.labels != first.d1.labels
    assert sorted(first.d0.labels[changed]) == sorted(first.d1.labels[changed]) == [0.0, 2.0], "one hot, elsewhere"
    told = " ".join(pair.label for pair in pairs)
    for pattern in ("reversed", "all relevant, then none", "one relevant, then none"):
        assert pattern in told


@given(st.lists(st.floats(-0.5, 1.5), min_size=6, max_size=6))
def test_every_point_of_the_box_is_a_neighbouring_pair(point: list[float]) -> None:
    pair = LabelChange().decode(SPACE, np.array(point))
    assert LabelChange().check(pair.d0, pair.d1) is None
    assert pair.d0.labels.max() <= 2
    assert pair.d1.labels.min() >= 0


def test_what_are_no_neighbours() -> None:
    data = load_simulated()
    check = LabelChange().check
    two = data.relabelled(0, np.full(6, 1.0)).relabelled(11, np.full(6, 1.0))
    assert "2 sessions" in (check(data, two) or "")
    assert "lengths" in (check(data, load_uneven()) or "")
    moved = type(data)(documents=data.documents + 1.0, labels=data.labels, offsets=data.offsets)
    assert "documents" in (check(data, moved) or "")
    assert "must be sessions" in (check(data, [1.0]) or "")
    assert check(data, data) is None
    last = data.relabelled(11, np.full(6, 1.0))
    assert check(data, last) is None
    assert "2 sessions" in (check(data.relabelled(10, np.full(5, 1.0)), last) or "")


def test_binary_labels_are_all_there() -> None:
    pairs = BinaryLabels().candidates(UNEVEN, limit=100, rng=np.random.default_rng(0))
    assert len(pairs) == 12
    same = SearchSpace(size=2, low=1.0, high=1.0, data="uneven-sessions")
    assert not BinaryLabels().candidates(same, limit=100, rng=np.random.default_rng(0))
    assert LabelChange().count(UNEVEN) is None
    assert BinaryLabels().box(UNEVEN) is None
    with pytest.raises(UnsupportedError):
        BinaryLabels().decode(UNEVEN, np.zeros(1))
