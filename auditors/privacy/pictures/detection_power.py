"""Detection power: with which probability the draws of an audit refute the claim, against the true value.

Values are those of `auditors.privacy.detectable`, with its assumptions: estimates, not bounds.
"""

from __future__ import annotations

import math

from auditors.privacy.detectable import detectable
from auditors.privacy.recorded_statistics import alpha_of, claimed_goal, direction, real, region
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.shown.view import Chart, PlotSeries

POWERS = (0.5, 0.8, 0.95)


def detection_power(guarantee: Guarantee, evidence: Evidence) -> Chart:
    """The chart, from the counts of one event.

    Raises
    ------
    DpverifyError
        Where the evidence has no such counts, or a true value of any size would not be detected.
    """
    goal = claimed_goal(guarantee)
    counted, toward = region(evidence.statistics, alpha=alpha_of(evidence)), direction(evidence.witness)
    found = [(detectable(goal, counted, toward, power=power), power) for power in POWERS]
    claimed = goal.headline.claimed
    if "part_of_detectable" in evidence.statistics:  # of a pair whose loss was seen; a true claim is not to be refuted
        part = real(evidence.statistics, "part_of_detectable")
        found = [(max(part * value, claimed), power) for value, power in found]
    seen = [(value, power) for value, power in found if math.isfinite(value)]
    series = [
        PlotSeries(label="claimed", x=[claimed, claimed], y=[0.0, 1.0], marked=False),
        PlotSeries(label="power", x=[value for value, _ in seen], y=[power for _, power in seen]),
    ]
    return Chart(
        title="Detection power",
        x=f"true {goal.headline.label()}",
        y="probability of a refutation",
        series=series if seen else (),
        note="If all of a violation shows at the counted event. An estimate: less noise is taken to change the "
        "event's rates as it does for Gaussian or logistic noise.",
    )


def register(registry: Registry) -> None:
    """Register the picture."""
    registry.charts.add("detection power", detection_power)
