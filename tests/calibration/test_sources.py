"""The digest that cells of the calibration are kept by; how sources are followed: `tests/runner/test_deciding.py`."""

from __future__ import annotations

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


def test_nothing_that_decides_is_told_by_its_place_in_memory():
    """Else each run would find all cells stale."""
    for auditor in statistical_auditors(registry()):
        assert " at 0x" not in repr(auditor)
    for boundary in boundaries():
        assert " at 0x" not in repr((boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space))
        assert " at 0x" not in repr(boundary.parameters)
