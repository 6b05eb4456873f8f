"""What the event auditor records: plain numbers, the same from every run, on exactly the planned draws."""

import json
import threading

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.claim import SearchSpace
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.definitions.pure_dp import PureDP


def test_same_seed_same_evidence_and_no_stream_is_used_twice(noise, audit):
    names: list = []
    options = {"space": SearchSpace(size=2), "trials": 8_000}
    first = audit(noise(), PureDP(epsilon=1.0), OneQuery(), names=names, **options)
    assert first == audit(noise(), PureDP(epsilon=1.0), OneQuery(), **options)
    assert first.statistics["k1"] != audit(noise(), PureDP(epsilon=1.0), OneQuery(), seed=1, **options).statistics["k1"]
    assert len(set(names)) == len(names)
    assert {parts[0] for parts in names} >= {"pairs", "screen", "select", "certify"}


def test_threads_do_not_change_a_bit(noise, pair, event_task):
    """Classifiers are trained and applied in three threads at once."""
    task = event_task(noise(scale=3.0), PureDP(epsilon=1.0), pair([0.0] * 3, [1.0] * 3, "all-queries"), trials=6000)
    expected = EventAuditor().audit(task)
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(EventAuditor().audit(task))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3


def test_certifies_on_exactly_the_planned_draws_and_selects_on_at_most_as_many(noise, pair, audit):
    drawn: dict = {}

    class Spy(noise):
        def sample(self, dataset, size, *, rng):
            stage = names[-1][0]
            drawn.setdefault((stage, float(dataset[0])), []).append(size)
            return super().sample(dataset, size, rng=rng)

    for trials in (100, 1000, 300_001):
        drawn.clear()
        names: list = []
        audit(Spy(), PureDP(epsilon=1.0), pair([0.0], [1.0]), trials=trials, names=names)
        for side in (0.0, 1.0):
            assert sum(drawn["certify", side]) == trials
            assert sum(
                sum(sizes) for (stage, value), sizes in drawn.items() if value == side and stage != "certify"
            ) <= (trials + 64)


def test_evidence_is_plain_json_with_a_picture_that_holds_the_point(noise, pair, audit):
    evidence = audit(noise(), PureDP(epsilon=0.9), pair([0.0], [1.0]), trials=50_000)
    text = json.dumps([evidence.statistics, evidence.witness, evidence.picture], allow_nan=False)
    assert json.loads(text)
    box, point = evidence.picture["rectangle"], evidence.picture["point"]
    assert box["fpr_low"] <= point["fpr"] <= box["fpr_high"]
    assert box["fnr_low"] <= point["fnr"] <= box["fnr_high"]
    claimed = evidence.picture["claimed"]
    assert claimed["beta"] == sorted(claimed["beta"], reverse=True)
    assert evidence.confidence == 1 - 1e-3
    assert evidence.trials == 50_000
    assert evidence.bound < evidence.estimate < evidence.ceiling
    assert evidence.measure.claimed < evidence.detectable < 1.2
    assert set(evidence.witness) >= {"d0", "d1", "direction", "event", "parameters"}
