"""How a bound follows from the counts in its record, with its numbers, so that a reader can follow it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.reporting.formatting import number, number_down
from dpverify.shown.rounded import rounded_bound

_COUNTS = ("k1", "n1", "k2", "n2")


def bound_steps(item: Mapping[str, Any]) -> list[str]:
    """One step a line; where the leading evidence has no counts of one event, what the bound rests on instead."""
    if not item["evidence"]:
        return []
    leading = item["evidence"][0]
    said = leading["statistics"]
    found = f"Bound: {item['measure']} >= {number_down(item['bound'], 6)}; claimed {number(item['claimed'], 6)}."
    if not all(isinstance(said.get(name), int) for name in _COUNTS):
        rests = "draws" if leading.get("confidence") is not None else "exact or enclosed computation, without draws"
        return [f"It rests on {rests}; `dpverify recheck` computes it again from the statistics below.", found]
    first, _, second = str(said.get("direction", "the first side against the second")).partition(" against ")
    second = second or "the other"
    k1, n1, k2, n2 = (said[name] for name in _COUNTS)
    rates = f"{k1} of {n1} fresh draws on {first} ({k1 / n1:.4g}), in {k2} of {n2} on {second} ({k2 / n2:.4g})"
    steps = [f"The event came in {rates}."]
    level = said.get("alpha", None if leading.get("confidence") is None else 1.0 - leading.get("confidence"))
    if level is not None:
        joint = (said.get("region") or {}).get("kind") == "joint"
        lie = "both probabilities lie in a region" if joint else "each probability lies between limits"
        steps.append(f"With probability 1 - {number(level)}, {lie} that follows exactly from these counts.")
    box = (leading.get("picture") or {}).get("rectangle")
    if box:
        least, most = number_down(1 - box["fnr_high"]), rounded_bound(box["fpr_high"], up=True)
        steps.append(f"It reaches down to {least} on {first}, and up to {most} on {second}.")
    steps.append("The bound is the least value of the measure there: never above the truth, but for that probability.")
    return [*steps, found]
