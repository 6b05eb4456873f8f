"""The figure of a refutation by fresh runs: the claimed curve, and where the event's error rates lie."""

from __future__ import annotations

from typing import Any

from auditors.privacy.event_bounds import Goal
from auditors.privacy.picture import claimed_curve, event_picture
from auditors.privacy.replay.counts import ALPHA
from auditors.privacy.replay.laws import ReplayBound
from dpverify.stats.joint import JointRegion


def runs_picture(goal: Goal, found: ReplayBound, direction: int) -> dict[str, Any]:
    """The claimed curve, the region and the point, as of `event_picture`; empty where no fresh run was made.

    Of an event by the recorded laws the region says what the fresh runs leave open: how often the noise-free values
    are others.
    """
    size = found.fresh
    if found.hits is not None:
        k1, k2 = found.hits
        return event_picture(goal, JointRegion(k1=k1, n1=size, k2=k2, n2=size, alpha=ALPHA), direction)
    if found.laws is None or not size:
        return {}
    p, q = found.laws
    others = 1.0 - ALPHA ** (1.0 / size)
    return {
        "claimed": claimed_curve(goal, direction),
        "rectangle": {
            "fpr_low": q * (1.0 - others),
            "fpr_high": min(q + others, 1.0),
            "fnr_low": max(1.0 - p - others, 0.0),
            "fnr_high": 1.0 - p * (1.0 - others),
        },
        "point": {"fpr": q, "fnr": 1.0 - p},
    }
