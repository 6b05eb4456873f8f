"""What is calibrated: every statistical auditor that is registered, and settings of them that calibration alone has.

The event auditor confirms what it lists from four million trials on, which no table has time for; the variant does it
from a few draws on, where the split has most to go wrong.
"""

from __future__ import annotations

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.auditing import Auditor
from dpverify.core.registry import Registry
from tests.calibration.harness import statistical_auditors

VARIANTS = (EventAuditor(name="event-confirming", fewest_confirming=1),)


def calibrated(registry: Registry) -> list[Auditor]:
    """All of them."""
    return [*statistical_auditors(registry), *VARIANTS]
