"""How a bound follows from the counts in its record, with its numbers, so that a reader can follow it by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpverify.reporting.formatting import number, number_down
from dpverify.shown.rounded import rounded_bound
from dpverify.stats.intervals import clopper_pearson_lower, clopper_pearson_upper

_COUNTS = ("k1", "n1", "k2", "n2")


def bound_steps(item: Mapping[str, Any]) -> list[str]:
    """One step a line; where the leading evidence has no counts of one event, what the bound rests on instead."""
    if not item["evidence"]:
        return []
    leading = item["evidence"][0]
    said = leading["statistics"]
    found = f"Bound: {item['measure']} >= {number_down(item['bound'], 6)}; claimed {number(item['claimed'], 6)}."
    level = said.get("alpha_of_this_look", said.get("alpha"))
    if level is None or not all(isinstance(said.get(name), int) for name in _COUNTS):
        drawn = leading.get("confidence") is not None
        rests = "It rests on draws" if drawn else "It rests on exact or enclosed computation, not on draws"
        return [f"{rests}; `dpverify recheck` computes it again from the statistics below.", found]
    first, _, second = str(said.get("direction", "the first side against the second")).partition(" against ")
    second = second or "the other"
    k1, n1, k2, n2 = (said[name] for name in _COUNTS)
    p = float(clopper_pearson_lower(k1, n1, alpha=level / 2.0))
    q = float(clopper_pearson_upper(k2, n2, alpha=level / 2.0))
    low, high = rounded_bound(p, up=False), rounded_bound(q, up=True)
    rates = f"{k1} of {n1} fresh draws on {first} ({k1 / n1:.4g}), in {k2} of {n2} on {second} ({k2 / n2:.4g})"
    steps = [
        f"The event came in {rates}.",
        f"With probability 1 - {number(level)} its probability is at least {low} on {first}, and at most {high} on "
        f"{second}: Clopper-Pearson limits, half of the error for each.",
    ]
    measure = leading.get("measure") or {}
    delta = measure.get("argument", 0.0)
    if measure.get("kind") == "epsilon" and p > delta:
        ratio = f"({low} - {number(delta)}) / {high}" if delta else f"{low} / {high}"
        steps.append(f"From these limits alone: epsilon >= ln({ratio}) = {number_down(math.log((p - delta) / q), 6)}.")
    if (said.get("region") or {}).get("kind") == "joint":
        steps.append(
            "The bound is the least value over the joint region of both probabilities at the same error. That region "
            "leaves out that both limits are reached together; its bound is most often larger."
        )
    return [*steps, found]
