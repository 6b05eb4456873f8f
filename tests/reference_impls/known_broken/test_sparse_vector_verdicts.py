"""Sparse-vector claims through the runner: the exact auditor finds every broken one by itself, and no sound one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.runner.row import Row

EFFORT = 0.1  # of a quick run's search: enough for these, and a tenth of the time
QUICK = ["bad-adaptive-sparse-vector", "bad-gap-sparse-vector", "svt3-0.1", "svt34-parallel-0.1", "svt4"]
SOUND = ["above-threshold", "adaptive-svt", "numerical-svt-1", "svt1", "svt2"]


def audited(name: str) -> Row:
    known = registry()
    plan = make_plan(known, [known.entries.get(name)], profile="quick")
    (unit,) = plan.units
    exact = tuple(auditor for auditor in unit.auditors if auditor.name == "exact")
    assert exact
    unit = replace(unit, auditors=exact, task=replace(unit.task, effort=EFFORT))
    return next(iter(execute(replace(plan, units=(unit,)))))


@pytest.mark.parametrize("name", [*QUICK, *(f"{name}-noise-0.9" for name in SOUND)])
def test_a_broken_one_is_refuted_with_proof(name: str) -> None:
    row = audited(name)
    assert row.verdict.status is Status.REFUTED
    assert row.verdict.leading is not None
    assert row.verdict.leading.proved
    assert row.entry.expectation == "broken"
    assert row.entry.profile == ("quick" if name in QUICK else "full")


@pytest.mark.parametrize("name", [*SOUND, "numerical-svt"])
def test_a_sound_one_is_not_and_nearly_reached(name: str) -> None:
    row = audited(name)
    assert row.verdict.status is Status.NOT_REFUTED
    found = row.verdict.leading
    assert found is not None
    # At cutoff 2 the first hit costs a third of epsilon for the threshold and half of the other two.
    low, high = (0.6, 2 / 3) if name == "numerical-svt" else (0.97, 1.0)
    assert low < found.bound / found.measure.claimed < high
