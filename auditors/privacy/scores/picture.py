"""The picture of one look: the claimed curve, and the measured rectangle by its own limits at half the error each."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditors.privacy.event_bounds import Goal
from auditors.privacy.scores.looks import Look
from dpverify.stats.region import RectangleRegion

PICTURED = 64


def picture(goal: Goal, look: Look) -> dict[str, Any]:
    """Claimed curve, rectangle and point; false positives are the event on the side where it should be rare."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, PICTURED), np.geomspace(1e-6, 1.0, PICTURED)]))
    beta = np.asarray(goal.guarantee.tradeoff(alpha, reverse=bool(look.direction)), dtype=np.float64)
    near = RectangleRegion(k1=look.k1, n1=look.n1, k2=look.k2, n2=look.n2, alpha=look.alpha)
    far = RectangleRegion(k1=look.n1 - look.k1, n1=look.n1, k2=look.n2 - look.k2, n2=look.n2, alpha=look.alpha)
    return {
        "claimed": {"alpha": alpha.tolist(), "beta": beta.tolist()},
        "rectangle": {
            "fpr_low": 1.0 - far.q_upper,
            "fpr_high": near.q_upper,
            "fnr_low": far.p_lower,
            "fnr_high": 1.0 - near.p_lower,
        },
        "point": {"fpr": look.k2 / look.n2, "fnr": 1.0 - look.k1 / look.n1},
    }
