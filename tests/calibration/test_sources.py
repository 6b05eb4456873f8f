"""The digest that cells of the calibration are kept by; how sources are followed: `tests/runner/test_deciding.py`."""

from __future__ import annotations

import os
import subprocess
import sys

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.one_run.auditor import OneRunAuditor
from dpverify.core.plugins import registry
from tests.calibration import sources
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import statistical_auditors


def test_a_cell_hangs_on_its_auditor_its_subject_and_its_claim():
    known = {boundary.name: boundary for boundary in boundaries()}
    found = {
        sources.deciding(auditor, known[name])
        for auditor in (EventAuditor(), OneRunAuditor(), OneRunAuditor(guesses=((10, 10),)))
        for name in ("laplace", "gaussian", "gaussian-mu", "canaries")
    }
    assert len(found) == 12
    again = {boundary.name: boundary for boundary in boundaries()}
    assert sources.deciding(EventAuditor(), again["laplace"]) == sources.deciding(EventAuditor(), known["laplace"])


def test_sets_are_told_in_order_whatever_the_hashes_of_words():
    """Else a run in another process would find the cells stale."""
    words = [f"word{number}" for number in range(20)]
    script = f"from tests.calibration.sources import told; print(told(frozenset({words}), 1, frozenset(), 'a'))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=sources.ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    ordered = ", ".join(map(repr, sorted(words)))
    assert seen == {f"(frozenset({{{ordered}}}), 1, frozenset(), 'a')\n"}


def test_nothing_that_decides_is_told_by_its_place_in_memory():
    """Else each run would find all cells stale."""
    for auditor in statistical_auditors(registry()):
        assert " at 0x" not in repr(auditor)
    for boundary in boundaries():
        assert " at 0x" not in repr((boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space))
        assert " at 0x" not in repr(boundary.parameters)
