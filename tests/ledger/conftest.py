"""What tests of the ledger share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from auditors.sensitivity import search
from dpverify.ledger import partial_replays
from dpverify.runner.plan import make_plan, select_entries

FULL = "AP-ADAGRAD-LARGE"
"""Of the full profile alone."""

FEW = ("BL-SENS-OBJ", "AM-SENS-X", "AM-SENS-X-R", "ACC-GAUSS-CLASSIC", "BL-SVT-LAP-RDP-EPS1", FULL)
"""Claims that tests decide again."""


@pytest.fixture
def short_search(monkeypatch):
    """A search of a tenth of the points: what is decided again here is asked for nothing else."""
    monkeypatch.setattr(search, "EXAMPLES", 30)


@cache
def plan_of_few(known, *, suite, profile, **words):
    """As `suite_plan` makes it, of `FEW` alone: nothing is drawn for these, so no share of theirs is another.

    The searches of quick ones are short, too; parts of records (tests of the full profile) are made as ever.
    """
    entries = [each for each in select_entries(known, suite=suite, profile=profile) if name(each) in FEW]
    plan = make_plan(known, entries, suite=suite, profile=profile, per_row=True, **words)
    if profile != "quick":
        return plan
    return replace(plan, units=tuple(replace(each, task=replace(each.task, effort=0.1)) for each in plan.units))


def name(entry):
    return entry.claim.id.partition(".")[0]


@pytest.fixture(scope="module")
def few_planned():
    """Plans of a few rows: one of the whole ledger takes seconds (tests/cli/test_ledger.py makes these)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial_replays, "suite_plan", plan_of_few)
        yield
