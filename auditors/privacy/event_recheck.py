"""Computes the bound of one counted event again, from k1 of n1 and k2 of n2.

It serves every auditor that chooses one event and spends alpha (or the part in the record) on its region. Counts cannot
show that the event was chosen on other draws.
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
    """The bound from the counts of one event; `share` is the region's share where the record has none."""
    said, alpha = evidence.statistics, alpha_of(evidence)
    toward = direction(evidence.witness)
    if "direction" in said:
        same("the direction", said["direction"], evidence.witness["direction"])
    counted = region(said, alpha=alpha, share=share)
    finding = claimed_goal(guarantee).finding(counted, toward)
    spent = real(said, "spent") if "spent" in said else alpha  # of the whole audit, where two events shared it
    within("the counts", alpha, spent)
    return found_again(finding, alpha=spent, trials=counted.n1)
