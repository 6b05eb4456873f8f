"""What is calibrated beside the registered auditors."""

from __future__ import annotations

from types import SimpleNamespace

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.plugins import registry
from tests.calibration.harness import statistical_auditors
from tests.calibration.matrix import TRIALS
from tests.calibration.variants import VARIANTS, calibrated


def test_the_variant_confirms_at_every_budget_of_the_table_and_the_auditor_at_none():
    (variant,) = VARIANTS
    for trials in TRIALS:
        assert variant._confirming(SimpleNamespace(trials=trials)) > 0
        assert EventAuditor()._confirming(SimpleNamespace(trials=trials)) == 0
    assert EventAuditor()._confirming(SimpleNamespace(trials=2**22)) > 0


def test_variants_stand_beside_what_is_registered_under_names_of_their_own():
    names = [auditor.name for auditor in calibrated(registry())]
    assert len(set(names)) == len(names) == len(statistical_auditors(registry())) + len(VARIANTS)
