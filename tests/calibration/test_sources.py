"""The digest that cells of the calibration are kept by; how they are followed: `tests/runner/row_sources`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.one_run.auditor import OneRunAuditor
from dpverify.core.errors import AuditError
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


def test_a_cell_has_the_same_digest_in_every_process():
    """Else a run in another process would find the cells stale: sets are told in order, nothing by its place."""
    script = (
        "from tests.calibration.sources import deciding; from tests.calibration.boundaries import boundaries;"
        "from tests.calibration.harness import statistical_auditors; from dpverify.core.plugins import registry;"
        "known = [boundaries()[0], boundaries()[-1]];"
        "print([deciding(each, one) for each in statistical_auditors(registry()) for one in known])"
    )
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    told = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": other},
        cwd=sources.ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    known = [boundaries()[0], boundaries()[-1]]
    here = [sources.deciding(each, one) for each in statistical_auditors(registry()) for one in known]
    assert told == str(here)


def test_all_that_is_calibrated_can_be_told():
    """An object that has no text which is the same in every process is an error, not a digest."""
    for auditor in statistical_auditors(registry()):
        for boundary in boundaries():
            assert len(sources.deciding(auditor, boundary)) == 12
    with pytest.raises(AuditError, match="cannot be told"):
        sources.digest([object()])
