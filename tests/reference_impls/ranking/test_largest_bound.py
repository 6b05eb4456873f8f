"""The largest bound among sessions beside a pass over all of them: the same bits, for data and weights of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.datasets.sessions import Sessions
from dpverify.datasets.simulated_sessions import load_uneven, simulate_sessions
from reference_impls.ranking.largest_bound import CHUNK, chunks, largest_bound, screened
from reference_impls.ranking.privbr_repaired import PrivBrRepaired
from reference_impls.ranking.scorers.mlp import MlpScorer

ALGORITHM = PrivBrRepaired(scorer="mlp:12")


def sessions_of(documents: np.ndarray, lengths: list[int]) -> Sessions:
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Sessions(documents=documents, labels=np.zeros(len(documents)), offsets=offsets)


def compared(scorer: MlpScorer, weights: np.ndarray, sessions: Sessions) -> tuple[np.ndarray, int]:
    """All bounds; how many were looked at. The largest is found to the bit, and the screen's bounds hold."""
    seen = []

    def bound(documents: np.ndarray) -> float:
        seen.append(ALGORITHM.bound(scorer, weights, documents))
        return seen[-1]

    bounds = np.array([ALGORITHM.bound(scorer, weights, sessions.documents_of(j)) for j in range(sessions.count)])
    above, below = screened(scorer, weights, sessions)
    assert below <= bounds.max()
    assert (bounds <= np.maximum(above, below)).all()
    assert largest_bound(scorer, weights, sessions, bound) == bounds.max()
    return bounds, len(seen)


@given(
    st.integers(0, 2**32), st.sampled_from([1e-30, 1e-8, 1e-3, 1.0, 30.0, 1e4, 1e30]), st.sampled_from([0.0, 1e-6, 2.0])
)
@settings(deadline=None, max_examples=40)
def test_it_has_the_bits_of_a_pass_over_all(seed: int, size: float, bias: float) -> None:
    rng = np.random.default_rng(seed)
    columns, width = int(rng.integers(1, 6)), int(rng.integers(1, 40))
    lengths = rng.integers(1, 12, 12).tolist()
    documents = rng.normal(size=(sum(lengths), columns)) * (rng.random((sum(lengths), columns)) < 0.7)
    documents[rng.integers(0, len(documents), 5)] = documents[0]  # some coincide
    documents[rng.integers(0, len(documents), 5)] = 0.0
    scorer = MlpScorer(width=width)
    weights = size * rng.normal(size=scorer.dimension(columns))
    weights[columns * width : -width] *= bias
    compared(scorer, weights, sessions_of(documents, lengths))


def test_few_sessions_are_looked_at_closely() -> None:
    rng = np.random.default_rng(5)
    sessions = simulate_sessions(400, shortest=5, longest=60, columns=20, rng=rng)
    scorer = MlpScorer(width=64)
    weights = scorer.normalised(rng.normal(size=scorer.dimension(20)), 20)
    bounds, seen = compared(scorer, weights, sessions)
    assert 1 <= seen < 0.05 * bounds.size


def test_units_at_the_very_edge_may_be_on_or_off() -> None:
    """Hidden inputs that are 0, or round to 0 in float32, in one order of the sum or another."""
    documents = np.array([[1.0, 1.0 + 2.0**-40], [1.0, 1.0], [1.0, 1.0 - 2.0**-40]])
    scorer = MlpScorer(width=3)
    weights = np.array([1.0, -1.0, -1.0, 1.0, 0.5, 0.5, 0.0, 0.0, 1e-30, 0.7, -0.7, 0.1])
    bounds, _ = compared(scorer, weights, sessions_of(documents, [3]))
    assert bounds.min() > 0.1


@pytest.mark.parametrize("scale", [0.0, 1e25, 1e200])
def test_weights_beyond_float32_are_looked_at(scale: float) -> None:
    scorer = MlpScorer(width=2)
    for place in range(6):
        weights = np.ones(scorer.dimension(1))
        weights[place] = scale
        with np.errstate(all="ignore"):
            compared(scorer, weights, load_uneven())


def test_weights_that_are_not_finite_leave_every_session_to_the_bound() -> None:
    scorer, weights = MlpScorer(width=2), np.full(6, np.inf)
    assert largest_bound(scorer, weights, load_uneven(), lambda documents: documents[1, 0]) == 1.0


def test_chunks_hold_each_session_once() -> None:
    lengths = np.array([1, CHUNK - 1, 1, 3 * CHUNK, 2, CHUNK, 5])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    found = list(chunks(offsets))
    assert [start for start, _ in found] == [0, *(end for _, end in found[:-1])]
    assert found[-1][1] == lengths.size
    assert all(end - start == 1 or lengths[start:end].sum() <= CHUNK for start, end in found)


def test_the_algorithm_takes_it() -> None:
    sessions = simulate_sessions(40, rng=np.random.default_rng(1))
    scorer = MlpScorer(width=12)
    weights = np.random.default_rng(2).normal(size=scorer.dimension(3))
    every = [ALGORITHM.bound(scorer, weights, sessions.documents_of(j)) for j in range(40)]
    assert ALGORITHM.largest_bound(scorer, weights, sessions, np.arange(3)) == max(every)
