"""RS-NSGD by exact laws: what falls, its repair, nine tenths of what stands."""

from __future__ import annotations

import dataclasses

import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from dpverify.core.auditing import Task
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.definitions.rdp import RDP
from dpverify.sampling.streams import stream

REGISTRY = registry()


def audited(name: str, *, factor: float = 1.0) -> Status:
    claim = REGISTRY.entries.get(name).claim
    assert isinstance(claim.guarantee, RDP)
    claim = dataclasses.replace(claim, guarantee=claim.guarantee.scaled(factor))
    task = Task(
        claim=claim,
        build=lambda **searched: REGISTRY.subject(claim.subject)(**{**claim.parameters, **searched}),
        neighbors=REGISTRY.neighbors.get("replace"),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, claim.id, *names),
        effort=0.5,
    )
    assert ExactAuditor().refuses(task) is None
    return judge(ExactAuditor().audit(task))


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("RS-NSGD.a", Status.NOT_REFUTED),
        ("RS-NSGD.b", Status.REFUTED),
        ("RS-NSGD.c", Status.REFUTED),
        ("RS-NSGD-R.last", Status.NOT_REFUTED),
        ("RS-NSGD-R.first", Status.NOT_REFUTED),
    ],
)
def test_what_falls_and_what_stands(name: str, status: Status) -> None:
    assert audited(name) is status


@pytest.mark.parametrize("name", ["RS-NSGD.a", "RS-NSGD-R.last", "RS-NSGD-R.first"])
def test_nine_tenths_of_what_stands_fall(name: str) -> None:
    assert audited(name, factor=0.9) is Status.REFUTED
