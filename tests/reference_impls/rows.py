"""A row of the ledger decided in a test: by the auditors that would look at it, on its own subject or on a mutant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.runner.plan import Unit, make_plan

ALPHA = 1e-9
"""Of each statistical audit in a test."""


def evidence(
    id: str,
    auditor: str,
    *,
    subject: Callable[..., Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    effort: float = 0.2,
    trials: int = 100_000,
) -> Evidence:
    """What `auditor` says of the row `id`, its subject replaced by `subject`, with `parameters` on top of its own."""
    rows = registry()
    plan = make_plan(rows, [rows.entries.get(id)], suite="papers")
    unit: Unit = plan.units[0]
    claim = replace(unit.task.claim, parameters={**unit.task.claim.parameters, **(parameters or {})})
    factory = subject or rows.subject(claim.subject)
    task = replace(
        unit.task,
        claim=claim,
        build=lambda **searched: factory(**{**claim.parameters, **searched}),
        alpha=ALPHA,
        effort=effort,
        trials=trials,
    )
    (chosen,) = (each for each in unit.auditors if each.name == auditor)
    return chosen.audit(task)


def status(id: str, auditor: str, **changes: Any) -> Status:
    """The verdict of that evidence."""
    return judge(evidence(id, auditor, **changes))
