"""Ranking sessions."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import load_table
from dpverify.datasets.sessions import Sessions, joined, load_sessions
from dpverify.datasets.simulated_sessions import load_simulated, load_uneven, simulate_sessions


def small() -> Sessions:
    return Sessions(
        documents=np.arange(10.0).reshape(5, 2),
        labels=np.array([0.0, 1.0, 2.0, 0.0, 1.0]),
        offsets=np.array([0, 2, 5]),
        name="small",
        sha256="ab" * 32,
    )


def test_sizes_parts_and_short_text() -> None:
    sessions = small()
    assert (sessions.count, sessions.columns, sessions.lengths.tolist()) == (2, 2, [2, 3])
    assert sessions.labels_of(1).tolist() == [2, 0, 1]
    assert sessions.documents_of(0).tolist() == [[0, 1], [2, 3]]
    assert repr(sessions) == "Sessions(small, 2 sessions, 5 x 2, sha256 abababababab...)"
    assert not sessions.labels.flags.writeable


def test_take_and_joined_keep_the_order() -> None:
    turned = small().take(np.array([1, 0]))
    assert turned.labels.tolist() == [2, 0, 1, 0, 1]
    assert turned.offsets.tolist() == [0, 3, 5]
    both = joined((small(), turned), name="both")
    assert both.offsets.tolist() == [0, 2, 5, 8, 10]
    assert np.array_equal(both.documents_of(2), small().documents_of(1))
    assert small().take(np.array([], dtype=np.int64)).count == 0


def test_other_labels_make_a_neighbour_and_nothing_else() -> None:
    sessions = small()
    other = sessions.relabelled(1, np.array([0.0, 0.0, 5.0]))
    assert other.labels.tolist() == [0, 1, 0, 0, 5]
    assert sessions.labels.tolist() == [0, 1, 2, 0, 1]
    assert np.array_equal(other.documents, sessions.documents)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("offsets", np.array([0, 2, 4]), "partition"),
        ("offsets", np.array([0, 2, 2, 5]), "partition"),
        ("offsets", np.array([0, 2.5, 5]), "partition"),
        ("offsets", np.array([1, 5]), "partition"),
        ("labels", np.zeros(4), "shape"),
        ("labels", np.array([0, 1, np.nan, 0, 1]), "finite"),
        ("documents", np.full((5, 2), np.inf), "finite"),
    ],
)
def test_bad_sessions_are_refused(field: str, value: np.ndarray, why: str) -> None:
    good = {"documents": small().documents, "labels": small().labels, "offsets": small().offsets}
    with pytest.raises(InputError, match=why):
        Sessions(**{**good, field: value})


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InputError, match="session 2"):
        small().labels_of(2)
    with pytest.raises(InputError, match="shape"):
        small().relabelled(0, np.zeros(3))
    with pytest.raises(InputError, match="label -1"):
        small().relabelled(0, np.array([-1.0, 0.0])).need_labels()
    small().need_labels()


def test_doors_for_tables_and_for_sessions_keep_apart() -> None:
    assert load_sessions("simulated-sessions") is load_simulated()
    with pytest.raises(InputError, match="Table"):
        load_sessions("breast-cancer")
    with pytest.raises(InputError, match="Sessions"):
        load_table("simulated-sessions")


def test_simulated_sessions() -> None:
    sessions = load_simulated()
    assert sessions.count == 12
    assert np.sqrt((sessions.documents**2).sum(axis=1)).max() <= 1 + 1e-12
    for j in range(sessions.count):
        labels = np.sort(sessions.labels_of(j))[::-1]
        assert labels[0] == 2
        assert not labels[2:].any()
    assert load_uneven().lengths.tolist() == [2, 2]
    again = simulate_sessions(3, longest=4, levels=2, rng=np.random.default_rng(1))
    assert set(np.unique(again.labels)) == {0.0, 1.0}
    with pytest.raises(InputError, match="at least one"):
        simulate_sessions(0, rng=np.random.default_rng(1))
