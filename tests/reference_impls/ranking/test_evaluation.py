"""Ranking metrics over sessions: perfect scores, and random order between worst and best."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dpverify.datasets.simulated_sessions import simulate_sessions
from dpverify.sampling.streams import stream
from reference_impls.ranking.evaluation import RandomOrder, ranked

SESSIONS = simulate_sessions(30, shortest=3, longest=9, columns=4, rng=stream(0, "evaluation"))
LINEAR = SimpleNamespace(scorer="linear")


def test_random_order_lies_between_a_ranking_and_its_reverse():
    direction = np.linalg.lstsq(SESSIONS.documents, SESSIONS.labels, rcond=None)[0]
    best, worst = (ranked(LINEAR, sign * direction, SESSIONS, SESSIONS) for sign in (1, -1))
    nothing = RandomOrder().sample(SESSIONS, 1, rng=stream(0, "r"))[0]
    middle = ranked(RandomOrder(), nothing, SESSIONS, SESSIONS)
    for metric in ("map", "ndcg@1", "ndcg@2", "ndcg@4", "ndcg@8"):
        assert 0 <= worst[metric] < middle[metric] < best[metric] <= 1
    assert middle == ranked(RandomOrder(), nothing, SESSIONS, SESSIONS)


def test_one_relevant_document_in_random_order():
    from dpverify.datasets.sessions import Sessions

    count, size = 200, 4
    labels = np.tile([1.0, 0.0, 0.0, 0.0], count)
    whole = Sessions(documents=np.zeros((count * size, 1)), labels=labels, offsets=np.arange(count + 1) * size)
    found = ranked(RandomOrder(), np.empty(0), whole, whole)
    assert found["ndcg@1"] == pytest.approx(1 / 4, abs=0.05)  # 4,000 orders: seven standard deviations
    assert found["map"] == pytest.approx(np.mean([1, 1 / 2, 1 / 3, 1 / 4]), abs=0.04)
