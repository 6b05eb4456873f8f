"""A new entry is one short file: it makes a question, and one way leads to its finding.

The entry below audits a query on rows of a CSV text. What it takes is all that it has to say.
"""

from __future__ import annotations

import csv
import inspect
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dpverify as dpv
from auditors.privacy.gate.auditor import GateAuditor
from dpverify.audits.audit import answer
from dpverify.audits.audit_result import AuditResult
from dpverify.audits.question import Question
from dpverify.audits.settle import settle
from dpverify.pytest_plugin.audits import Audits
from dpverify.pytest_plugin.settings import settings_of

HOME = Path(dpv.__file__).parent.parent
LINES, RETURNS, CALLS = 60, 4, 15
TEXT = "age,paid\n30,0.5\n41,0.0\n28,1.0\n"


def audit_query(text: str, query: Any, *, claim: str, **words: Any) -> AuditResult:
    """Audit ``query(rows, rng)`` on the rows of a CSV text."""
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]
    return answer(settle(Question(query, claim=claim, data=rows, **words)))


def paid(scale):
    def query(rows, rng):
        return sum(min(max(row["paid"], 0.0), 1.0) for row in rows) + rng.laplace(scale=scale)

    return query


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "certified"), (0.2, "refuted")])
def test_a_new_entry_has_all_that_others_have(scale, verdict):
    result = audit_query(TEXT, paid(scale), claim="PureDP(epsilon=1)", trials=20_000, bounds={"paid": (0, 1)})
    assert result.verdict == verdict
    assert result.row.reproduce and result.notes
    assert result.record()["verdict"] == verdict
    with pytest.raises(dpv.InputError, match="data beside d0 and d1"):
        audit_query(TEXT, paid(1.0), claim="PureDP(epsilon=1)", d0=[1], d1=[2])


def noisy(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def test_the_way_from_a_test_to_its_auditor_is_short(request, monkeypatch):
    """Fewer than 15 functions, each of at most 60 lines, with at most four returns."""
    way: list[Any] = []
    item = SimpleNamespace(
        stash=pytest.Stash(), nodeid="a", config=request.config, user_properties=[], iter_markers=lambda _: ()
    )
    real = GateAuditor.audit

    def audit(self, task):
        frame, seen = sys._getframe(1), bool(way) or "noisy" not in task.claim.subject
        while not seen and frame is not None and frame.f_code is not test.__code__:
            if Path(frame.f_code.co_filename).is_relative_to(HOME):
                way.append(frame.f_code)
            frame = frame.f_back
        return real(self, task)

    def test():
        Audits(item, settings_of(request.config))(
            noisy, claim="PureDP(epsilon=1)", data=[0.0, 1.0], trials=4_000, isolate=False
        )

    monkeypatch.setattr(GateAuditor, "audit", audit)
    with pytest.warns(dpv.VacuousAuditWarning):
        test()
    assert 5 < len(way) < CALLS, way
    for code in way:
        source = inspect.getsource(code)
        assert source.count("\n") <= LINES, code.co_qualname
        assert source.count("return ") <= RETURNS, code.co_qualname
