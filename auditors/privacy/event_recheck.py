"""The bound of one counted event again, from k1 of n1 and k2 of n2.

For every auditor that chooses one event and spends all of alpha on its region, or the part that the record states. That
the event was chosen on other draws cannot be seen from counts.
"""

from __future__ import annotations

from auditors.privacy.recorded_statistics import (
    alpha_of,
    claimed_goal,
    direction,
    found_again,
    real,
    region,
    same,
    within,
)
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again
from dpverify.core.subjects import Guarantee


def one_event(guarantee: Guarantee, evidence: Evidence, *, share: float | None = None) -> Again:
    """What the counts of one event say; `share` is the region's where the record does not tell it."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    toward = direction(evidence.witness)
    if "direction" in said:
        same("the direction", said["direction"], evidence.witness["direction"])
    counted = region(said, alpha=alpha, share=share)
    finding = claimed_goal(guarantee).finding(counted, toward)
    spent = real(said, "spent") if "spent" in said else alpha  # the whole, where two events shared it
    within("the counts", alpha, spent)
    return found_again(finding, alpha=spent, trials=counted.n1)
