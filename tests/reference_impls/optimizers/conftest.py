"""A lemma of the ledger audited, maybe with another subject in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditors.accounting.lemma import LemmaAuditor
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.sampling.streams import stream


def _examined(
    name: str, subject: Callable[..., Any] | None = None, *, effort: float = 0.1, **settings: Any
) -> Evidence:
    known = registry()
    claim = known.entries.get(name).claim
    build = subject or known.subject(claim.subject)
    task = Task(
        claim=claim,
        build=lambda **searched: build(**{**claim.parameters, **settings, **searched}),
        neighbors=Numbers(),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, claim.id, *names),
        effort=effort,
    )
    auditor = LemmaAuditor()
    assert auditor.refuses(task) is None
    return auditor.audit(task)


@pytest.fixture(scope="session")
def examined() -> Callable[..., Evidence]:
    """``examined("AP-OPT.least", subject=None, effort=0.1, **settings)``: the lemma auditor's evidence."""
    return _examined
