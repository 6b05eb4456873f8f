"""All public results answer `check` in the same way."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import pytest

import dpverify
from dpverify.core.errors import AuditError, ClaimRefuted, InputError
from dpverify.core.result import CheckedResult
from dpverify.core.verdict import Status
from dpverify.frontier.result import FrontierResult
from dpverify.shown.mixin import Displayed

RESULTS = [name for name in dpverify.__all__ if name.endswith("Result")]


@dataclass
class Fixed(CheckedResult):
    status: Status
    lacks: str = ""

    @property
    def verdict(self):
        return self.status

    def finding_line(self):
        return f"it is {self.status}"

    def record(self):
        return {}

    def shortfall(self):
        return self.lacks


@pytest.mark.parametrize("status", list(Status))
def test_check_raises_for_all_but_a_pass(status):
    result = Fixed(status)
    if status is Status.REFUTED:
        with pytest.raises(ClaimRefuted, match="it is refuted"):
            result.check()
    elif status in (Status.NOT_REFUTED, Status.CERTIFIED):
        assert result.check() is result
        with pytest.raises(AuditError, match="too few"):
            Fixed(status, "too few").check(require_power=True)
    else:
        with pytest.raises(AuditError, match=f"it is {status}"):
            result.check()
    with pytest.raises(InputError, match="used as true or false"):
        bool(result)


@pytest.mark.parametrize("name", RESULTS)
def test_every_public_result_can_be_checked_and_shown(name):
    kind = getattr(dpverify, name)
    assert issubclass(kind, CheckedResult) and issubclass(kind, Displayed) and not inspect.isabstract(kind)
    assert kind.check is CheckedResult.check


def frontier(*verdicts):
    audits = [{"verdict": each, "epsilon": 1.0} for each in verdicts]
    return FrontierResult(found={"audits": audits, "gates": [], "notes": [], "metric": "accuracy", "trainer": "t"})


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [((), "inconclusive"), (("not_refuted",), "not_refuted"), (("not_refuted", "inconclusive"), "inconclusive")],
)
def test_a_frontier_passes_where_all_its_audits_do(verdicts, verdict, monkeypatch):
    monkeypatch.setattr("dpverify.frontier.result.audit_line", lambda each: each["verdict"])
    assert frontier(*verdicts).verdict == verdict
    assert frontier(*verdicts, "refuted").verdict == "refuted"
