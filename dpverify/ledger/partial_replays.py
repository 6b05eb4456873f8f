"""The small parts of ledger rows that records carry, and are replayed by (`dpverify.runner.partial_replay`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import joblib

from dpverify.core.plugins import registry as installed
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.ledger.whole_plan import ledger_plan
from dpverify.runner.partial_replay import partial_replay
from dpverify.runner.plan import Plan


def with_parts(registry: Registry, records: Mapping[str, Record], *, jobs: int) -> dict[str, Record]:
    """The records, each with its part in ``code``; those in which nothing was decided stay as they are."""
    decided = {name: item for name, item in records.items() if item["evidence"]}
    made = parts(registry, decided.values(), jobs=jobs)
    return {
        name: {**item, "code": {**item["code"], "part": made[name]}} if name in made else item
        for name, item in records.items()
    }


def parts(registry: Registry, records: Iterable[Record], *, jobs: int) -> dict[str, dict[str, str]]:
    """The part of each record's row, made now, by id."""
    todo = sorted(records, key=lambda item: -item["seconds"])  # what lasts long is begun first
    if jobs == 1 or len(todo) < 2 * jobs or registry is not installed():
        made = [_part(registry, item) for item in todo]
    else:
        made = joblib.Parallel(n_jobs=jobs, batch_size=1)(joblib.delayed(_part_there)(_short(item)) for item in todo)
    return {item["id"]: found for item, found in zip(todo, made, strict=True)}


def _short(item: Record) -> dict[str, Any]:
    """Return the part of a record that `_part` reads."""
    evidence = [{"auditor": each["auditor"]} for each in item["evidence"]]
    return {"id": item["id"], "seed": item["seed"], "evidence": evidence, "witness": item["witness"]}


def _part_there(item: Record) -> dict[str, str]:
    """`_part` in a worker process, with the code that is installed there."""
    return _part(installed(), item)


def _part(registry: Registry, item: Record) -> dict[str, str]:
    unit = next(unit for unit in _plan(registry, item["seed"]).units if unit.entry.claim.id == item["id"])
    spoke = [each["auditor"] for each in item["evidence"]]
    auditors = [auditor for auditor in unit.auditors if auditor.name in spoke]
    return partial_replay(unit.task, auditors, {spoke[0]: item["witness"] or {}})


@cache
def _plan(registry: Registry, seed: int) -> Plan:
    """The full profile has every row."""
    return ledger_plan(registry, profile="full", seed=seed)
