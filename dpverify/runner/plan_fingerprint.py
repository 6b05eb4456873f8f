"""Fingerprint of all that a plan's numbers depend on: machines with the same one compute identical numbers.

It covers the code, packages, kind of machine, available data sets, and the plan as made here: its claims, budgets,
auditors and the saved failures that they replay. The number of cores makes no difference. Limits: data sets are
identified by name (loaders verify their checksums), and compiled extensions by version.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

from dpverify.code_key.modules import code_digest
from dpverify.core.plugins import registry
from dpverify.runner.environment import environment
from dpverify.runner.plan import Plan
from dpverify.runner.regressions import digest


def fingerprint(plan: Plan) -> dict[str, str]:
    """Fingerprint of all units of the plan, as named values that can be printed."""
    units, saved = [], []
    for unit in plan.units:
        budget = (unit.task.alpha, unit.task.trials, unit.task.numbers, unit.task.effort, unit.task.seed)
        auditors = [(auditor.name, auditor.version) for auditor in unit.auditors]
        units.append([unit.entry.claim.id, digest(unit.entry.claim), repr(budget), auditors, unit.refusals])
        saved.append([_replayed(auditor) for auditor in unit.auditors])
    replayed = _short(saved) if any(any(each) for each in saved) else "none"
    return {**of_machine(), "saved failures": replayed, "plan": _short(units)}


def of_machine() -> dict[str, str]:
    """Fingerprint of the code, the packages, the kind of machine, and the data sets that are there."""
    data = ", ".join(name for name, dataset in registry().datasets.items() if dataset.available())
    environment_here = {name: value for name, value in environment().items() if name not in ("cores", "cpu")}
    return {**environment_here, "data sets": data, "code": code_digest()}


def known_by(plan: Plan, *, only: str, **more: Any) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return by what a store knows a run of the plan: suite, arguments and fingerprint; `more` as JSON values."""
    return plan.suite, {**dict(plan.words()), "only": only, **more}, fingerprint(plan)


def _replayed(auditor: Any) -> list[dict[str, Any]]:
    return [dataclasses.asdict(each) for each in getattr(auditor, "saved", ())]


def _short(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
