"""Pictures from the counts of an event or of bets: the power of a count, and the bound after each block of bets.

Values of detection power are those of `auditors.privacy.detectable`, with its assumptions: estimates, not bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from auditors.privacy.detectable import detectable
from auditors.privacy.sampled_evidence import alpha_of, claimed_goal, direction, entry, items, real, region
from auditors.privacy.sequential.bets import bets
from auditors.privacy.sequential.claim_chain import Target
from auditors.privacy.sequential.recheck import ROUNDING, instalments_of, moments_of, slots_of, target_of_chain
from dpverify.core.evidence import Evidence
from dpverify.core.registry import Registry
from dpverify.core.subjects import Float, Guarantee
from dpverify.shown.view import Chart, PlotSeries
from dpverify.stats.e_mixture import STOP_WEALTH

POWERS = (0.5, 0.8, 0.95)


def detection_power(guarantee: Guarantee, evidence: Evidence) -> Chart:
    """The chart, from the counts of one event.

    DpverifyError where the evidence has no such counts, or a true value of any size would not be detected.
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


def bound_by_draws(guarantee: Guarantee, evidence: Evidence) -> Chart:
    """The chart, from the counts of the blocks.

    DpverifyError where the evidence has no blocks.
    """
    said, enough = evidence.statistics, 1.0 / alpha_of(evidence)
    target = target_of_chain(claimed_goal(guarantee).guarantee, entry(said, "chain"))
    draws, bounds = [0], [0.0]
    for pairs, highest in _highest_wealth(target, said):
        reached = highest * (1.0 + ROUNDING) >= enough
        run = int(reached.size if reached.all() else np.argmin(reached))
        draws.append(pairs)
        bounds.append(float(target.values[run - 1]) if run else 0.0)
    claimed = target.measure.claimed
    return Chart(
        title="Bound by draws",
        x="draws a side that were bet on",
        y=target.measure.label(),
        series=[
            PlotSeries(label="claimed", x=[0, draws[-1]], y=[claimed, claimed], marked=False),
            PlotSeries(label="lower bound so far", x=draws, y=bounds),
        ],
        note="All of these bounds hold together, at the stated confidence: one may stop at any of them.",
    )


def _highest_wealth(target: Target, said: Any) -> Iterator[tuple[int, Float]]:
    """After each block: the pairs so far, and the highest wealth so far against each claim of the chain, shape (g,)."""
    last = np.zeros(target.values.size)
    highest, pairs = last.copy(), 0
    for stake, blocks in instalments_of(said, items(said, "blocks")):
        last = last + stake
        for block in blocks:
            slots, counts = slots_of(target, block)
            settled = bets(slots, target)
            for moment in [*moments_of(block, counts), counts]:
                with np.errstate(over="ignore"):
                    wealth = np.where(last > STOP_WEALTH, last, last * settled.wealth(moment))
                highest = np.maximum(highest, wealth)
            last, pairs = wealth, pairs + int(counts[0].sum())
            yield pairs, highest


def register(registry: Registry) -> None:
    """Register the picture."""
    registry.charts.add("detection power", detection_power)
    registry.charts.add("bound by draws", bound_by_draws)
