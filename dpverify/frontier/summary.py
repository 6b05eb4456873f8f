"""From cells and audits to what a reader sees: means with bands, paired differences, dominated points, verdict lines.

Bands are 95 % intervals of a mean over independent random splits (Student's t); differences between the trainer and a
reference are taken split by split. A point is dominated where another arm costs no more and is better on the same
splits, its interval of the difference above 0. A refuted trainer stands at its audited bound, below which its price is
not, and dominates nothing. Intervals are not corrected for their number: the page compares, and its verdicts are those
of the audits and of ``at least``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Float = NDArray[np.float64]
LEVEL = 0.95

REFUTED = "refuted"


def interval(values: Sequence[float] | Float) -> dict[str, float]:
    """``mean``, ``low`` and ``high`` of two or more independent numbers."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    half = float(stats.t.isf((1 - LEVEL) / 2, found.size - 1) * found.std(ddof=1) / math.sqrt(found.size))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def points_of(
    values: Mapping[str, Mapping[float, Sequence[float]]], audits: Mapping[float, Mapping[str, Any]], trainer: str
) -> list[dict[str, Any]]:
    """One point an arm and epsilon: where it stands, its band, and who dominates it (`dominated`)."""
    found = []
    for arm, by_epsilon in values.items():
        for epsilon, row in by_epsilon.items():
            refuted = arm == trainer and audits[epsilon]["verdict"] == REFUTED
            found.append(
                {
                    "arm": arm,
                    "epsilon": epsilon,
                    "at": audits[epsilon]["lower"] if refuted else epsilon,
                    "refuted": refuted,
                    **interval(row),
                    "values": list(row),
                }
            )
    return found


def dominated(points: list[dict[str, Any]], *, larger: bool) -> None:
    """Put the arms that dominate a point into its ``dominated``."""
    for point in points:
        point["dominated"] = []
        for other in points:
            if other["arm"] == point["arm"] or other["refuted"] or other["at"] > point["at"]:
                continue
            ahead = np.subtract(other["values"], point["values"]) * (1.0 if larger else -1.0)
            if interval(ahead)["low"] > 0 and other["arm"] not in point["dominated"]:
                point["dominated"].append(other["arm"])


def differences(points: Sequence[Mapping[str, Any]], trainer: str, *, larger: bool) -> list[dict[str, Any]]:
    """Return by how much the trainer is ahead of each reference at each epsilon; below 0 it is behind."""
    mine = {point["epsilon"]: point for point in points if point["arm"] == trainer}
    return [
        {
            "epsilon": point["epsilon"],
            "against": point["arm"],
            **interval(np.subtract(mine[point["epsilon"]]["values"], point["values"]) * (1.0 if larger else -1.0)),
        }
        for point in points
        if point["arm"] != trainer
    ]


def gates(
    points: Sequence[Mapping[str, Any]], trainer: str, at_least: Mapping[float | None, float]
) -> list[dict[str, Any]]:
    """Say of each demanded mean whether it is met, and whether the band lies on one side of it."""
    found = []
    for point in points:
        if point["arm"] != trainer:
            continue
        wanted = at_least.get(point["epsilon"], at_least.get(None))
        if wanted is None:
            continue
        met = point["mean"] >= wanted
        sure = point["low"] > wanted or point["high"] < wanted
        found.append({"epsilon": point["epsilon"], "at_least": wanted, "mean": point["mean"], "met": met, "sure": sure})
    return found
