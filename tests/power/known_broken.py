"""Which auditor finds which known-broken mechanism: every pair of the two that does not refuse, at a small budget.

Pairs follow from the registry: suite entries that are expected to be broken, and all auditors. "Found" is refuted by
this auditor alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.runner.plan import make_plan
from dpverify.runner.unit import run_unit

TRIALS, CONFIDENCE, SEED = 10_000, 0.999, 3


def broken_entries(registry: Registry) -> list[SuiteEntry]:
    """Of every suite, quick ones only."""
    return [
        entry for _, entry in registry.entries.items() if entry.expectation == "broken" and entry.profile == "quick"
    ]


def looks(registry: Registry, auditor: str, *, trials: int = TRIALS, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """What one auditor says of each, alone."""
    for entry in broken_entries(registry):
        yield look(registry, auditor, entry, trials=trials, seed=seed)


def look(
    registry: Registry, auditor: str, entry: SuiteEntry, *, trials: int = TRIALS, seed: int = SEED
) -> dict[str, Any]:
    """What one auditor says of one, alone: ``refuted``, another verdict, or why it refused."""
    plan = make_plan(
        registry,
        [entry],
        suite="known-broken",
        seed=seed,
        confidence=CONFIDENCE,
        trials=trials,
        methods=(auditor,),
    )
    (unit,) = plan.units
    cell = {"auditor": auditor, "claim": entry.claim.id, "trials": trials, "seed": seed}
    if not unit.auditors:
        return {**cell, "verdict": "refused", "reason": "; ".join(unit.refusals)}
    row = run_unit(unit, plan, report=lambda _message, _share: None)
    return {
        **cell,
        "verdict": str(row.verdict.status),
        "reason": row.verdict.reason,
        "seconds": round(row.seconds, 2),
    }
