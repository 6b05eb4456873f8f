"""The figure of one counted event: the claimed trade-off curve, and a confidence region for its two error rates.

The rates are those of a test that says "d0" when the event occurs: false positives and false negatives. The region's
sides are Clopper-Pearson limits, half of the error probability on each rate. It is not the joint region that gives the
bound, so it need not show a refutation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from auditors.privacy.event_bounds import Goal
from dpverify.core.subjects import Float
from dpverify.stats.joint import JointRegion
from dpverify.stats.region import RectangleRegion

PICTURED = 64
"""Points of the curve on each scale."""


def event_picture(goal: Goal, region: JointRegion, direction: int) -> dict[str, Any]:
    """The claimed curve, the confidence region and the measured point, in the event's own direction."""
    return {
        "claimed": claimed_curve(goal, direction),
        "rectangle": rectangle(region),
        "point": {"fpr": region.k2 / region.n2, "fnr": 1.0 - region.k1 / region.n1},
    }


def claimed_curve(goal: Goal, direction: int) -> dict[str, list[float]]:
    """The claimed trade-off at false positive rates evenly spaced on a linear and on a logarithmic scale."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, PICTURED), np.geomspace(1e-6, 1.0, PICTURED)]))
    beta: Float = np.asarray(goal.guarantee.tradeoff(alpha, reverse=bool(direction)), dtype=np.float64)
    return {"alpha": alpha.tolist(), "beta": beta.tolist()}


def rectangle(region: JointRegion) -> dict[str, float]:
    """The confidence region for false positives and false negatives: half of the error probability on each rate."""
    k1, k2, n1, n2 = region.k1, region.k2, region.n1, region.n2
    near = RectangleRegion(k1=k1, n1=n1, k2=k2, n2=n2, alpha=region.alpha)
    far = RectangleRegion(k1=n1 - k1, n1=n1, k2=n2 - k2, n2=n2, alpha=region.alpha)
    return {
        "fpr_low": 1.0 - far.q_upper,
        "fpr_high": near.q_upper,
        "fnr_low": far.p_lower,
        "fnr_high": 1.0 - near.p_lower,
    }
