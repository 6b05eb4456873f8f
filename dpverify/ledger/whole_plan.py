"""The plan of the whole ledger, from which rows are taken: so a row's share of the false-alarm budget is always the
same, whichever rows are decided."""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.runner.plan import Plan, suite_plan

SUITE = "papers"


def ledger_plan(registry: Registry, *, profile: str, seed: int) -> Plan:
    """All rows that the profile has."""
    described = registry.suite(SUITE)
    return suite_plan(
        registry,
        suite=SUITE,
        profile=profile,
        seed=seed,
        confidence=described.confidence,
        trials=described.trials,
        methods=described.methods,
    )
