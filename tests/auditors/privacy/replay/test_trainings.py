"""Every registered training algorithm is replayed on neighbours under its own relation: nothing false is found.

All noise here is Gaussian or hidden, so the claim looked at is (100, 1e-5)-DP: a certain difference would refute it,
and so would one noisy release with too little noise. What declares a sensitivity must keep it, but for those that are
known to print one that is too small.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from auditors.privacy.replay.auditor import ReplayAuditor
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.runner.plan import task_streams
from tests.contracts.test_training import DATA, kind, trainings

TOO_LITTLE_NOISE = {"mp-admm", "mp-admm-repaired"}
"""At their default sigma of 0.001 the first release alone exceeds this claim: proved, and right."""

PRINTED_TOO_SMALL = {"dp-listmle"}
"""The printed sensitivity of the batch gradient is half of what one document's label can move it by."""

SLOW = {"dp-agd"}
CLAIMING = sorted(name for name, algorithm in trainings().items() if algorithm.relation and name not in SLOW)


def neighbour(relation: str, data: Any) -> Any:
    if relation == "add-remove":
        return data.without(data.rows - 1)
    if relation == "replace":
        features = data.features.copy()
        features[3] = -features[3]
        return dataclasses.replace(data, features=features)
    labels = data.labels.copy()
    labels[3] = (labels[3] + 1) % 3
    return dataclasses.replace(data, labels=labels)


def replayed(name: str) -> Evidence:
    algorithm: Any = trainings()[name]
    data = DATA[kind(algorithm)][0]()
    if "records" in {field.name for field in dataclasses.fields(algorithm)}:  # a public number, or nothing is claimed
        algorithm = dataclasses.replace(algorithm, records=data.rows)
    pair = FixedPair(d0=data, d1=neighbour(algorithm.relation, data), relation=algorithm.relation)
    source = Source(paper="test", locus="")
    guarantee = ApproxDP(epsilon=100.0, delta=1e-5)
    claim = Claim(id=name, guarantee=guarantee, relation=algorithm.relation, subject=name, source=source)
    task = Task(
        claim=claim, build=lambda: algorithm, neighbors=pair, alpha=1e-3, trials=1, stream=task_streams(0, name)
    )
    assert ReplayAuditor().refuses(task) is None
    return ReplayAuditor().audit(task)


@pytest.mark.parametrize("name", CLAIMING)
def test_nothing_false_is_found(name: str) -> None:
    evidence = replayed(name)
    expected = Status.NOT_REFUTED
    if name in TOO_LITTLE_NOISE:
        expected = Status.REFUTED
        assert evidence.witness["event"] == "the noisy values that are shown first"
    elif name in PRINTED_TOO_SMALL:
        expected = Status.INCONCLUSIVE
        assert evidence.measure.kind == "sensitivity"
    assert judge(evidence) is expected, evidence.witness["event"]
