"""What every registered auditor owes: a way to compute its bound again, and cases that try it both ways.

A new auditor is one file. This walk then asks for what it lacks, in a sentence that says where it goes:

- an auditor that counts draws offers `recheck`, and has a small audit among the recheck cases
  (`tests.auditors.privacy.recheck_cases`), whose record is changed in every way that should be noticed;
- some boundary of the calibration is its own to examine (`tests.calibration.boundaries`), where it may refute no more
  often than its alpha; and one whose noise can be turned down (`tests.power.sweep`), where it must find that;
- an auditor that computes a law or searches has no counts: its records name the command that computes them again. Some
  known-broken mechanism, or some claim of a suite, is its own to examine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest

from dpverify.core.auditing import Auditor, Rechecks
from dpverify.core.plugins import registry
from dpverify.runner.plan import make_plan
from tests.auditors.privacy.recheck_cases import CASES, fresh
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import refusal
from tests.calibration.plain import Plain
from tests.power.known_broken import CONFIDENCE, SEED, TRIALS, broken_entries
from tests.power.sweep import swept


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """Where cases are looked for: methods with a recheck case, and boundaries of calibration and power."""

    rechecked: frozenset[str]
    calibrated: tuple[Boundary, ...]
    powered: tuple[Boundary, ...]


@cache
def every_case() -> Cases:
    return Cases(
        rechecked=frozenset(fresh(name)["method"] for name in CASES),
        calibrated=boundaries(),
        powered=tuple(swept()),
    )


def examines(auditor: Auditor, found: tuple[Boundary, ...]) -> bool:
    return any(refusal(auditor, each, alpha=0.2, trials=min(TRIALS, each.most or TRIALS)) is None for each in found)


def examines_an_entry(name: str) -> bool:
    known = registry()
    return any(
        make_plan(known, [entry], suite="s", seed=SEED, confidence=CONFIDENCE, trials=TRIALS, methods=(name,))
        .units[0]
        .auditors
        for entry in chain(broken_entries(known), (entry for _, entry in known.entries.items()))
    )


def owed(name: str, auditor: Any, cases: Cases) -> list[str]:
    """What is missing, a sentence each."""
    if not auditor.statistical:
        if isinstance(auditor, Rechecks) or examines_an_entry(name):
            return []
        return [
            f"the auditor {name!r} counts nothing and examines no entry of any suite: register one that it finds broken"
        ]
    found = []
    if not isinstance(auditor, Rechecks):
        found.append(
            f"the auditor {name!r} counts draws and has no method `recheck`: give it one that computes the bound again "
            "from its evidence's statistics (see dpverify.core.auditing.Rechecks), or nobody can check its records"
        )
    if name not in cases.rechecked:
        found.append(f"the auditor {name!r} has no small audit in tests/auditors/privacy/recheck_cases.py: add one")
    if not examines(auditor, cases.calibrated):
        found.append(
            f"the auditor {name!r} examines no boundary of tests/calibration/boundaries.py: add one of its own"
        )
    if not examines(auditor, cases.powered):
        found.append(
            f"the auditor {name!r} examines no boundary whose noise can be turned down (tests/power/sweep.py): give "
            "the subject of one a field `power` or `noise_multiplier`"
        )
    return found


@pytest.mark.parametrize("name", list(registry().auditors))
def test_every_auditor_can_be_rechecked_and_has_its_cases(name: str) -> None:
    assert owed(name, registry().auditors.get(name), every_case()) == []


def test_every_recheck_case_is_of_a_registered_auditor_that_counts() -> None:
    counting = {name for name, auditor in registry().auditors.items() if auditor.statistical}
    assert every_case().rechecked == counting


def test_what_is_missing_is_asked_for() -> None:
    """The walk can fail: for an auditor with nothing, and for one case that is taken away."""
    (no_recheck, no_case) = owed("plain", Plain(), every_case())
    assert "has no method `recheck`" in no_recheck
    assert "recheck_cases.py: add one" in no_case
    event, cases = registry().auditors.get("event"), every_case()
    without = {
        "recheck_cases.py": Cases(rechecked=frozenset(), calibrated=cases.calibrated, powered=cases.powered),
        "boundaries.py": Cases(rechecked=cases.rechecked, calibrated=(), powered=cases.powered),
        "sweep.py": Cases(rechecked=cases.rechecked, calibrated=cases.calibrated, powered=()),
    }
    for place, fewer in without.items():
        (said,) = owed("event", event, fewer)
        assert place in said


def test_an_auditor_without_counts_must_have_something_to_examine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.contracts.test_auditors.examines_an_entry", lambda _name: False)
    (said,) = owed("exact", SimpleNamespace(statistical=False), every_case())
    assert "examines no entry of any suite" in said
