"""Whether arms that are compared cost the same: their certified prices, at the places that a claim's contrasts name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.core.comparing import Contrast

APART = 0.02
"""Share by which certified prices of arms that are compared may differ."""

PAYING = ("one", "own", "then")
"""Kinds of price (`dpverify.utility.experiment.Price`) of arms that pay; others are references beside any price."""


def apart(contrasts: Sequence[Contrast], prices: Mapping[str, Any]) -> str:
    """Where paying arms of one contrast do not cost the same, in words; empty where all do.

    A price that is not known is the same as no other. A contrast of one arm with itself at other places is a claim
    about prices, and needs none to be the same.

    Parameters
    ----------
    prices : mapping
        By arm: ``kind``, and by data set and place [certified epsilon or None, accountant].
    """
    for each in contrasts:
        at: dict[tuple[str, float], dict[str, float | None]] = {}
        for data, arm, _, x, _ in each.terms:
            said = prices.get(arm, {})
            if said.get("kind") in PAYING and data in said:
                at.setdefault((data, x), {})[arm] = said[data].get(f"{x:.6g}", (None,))[0]
        for (data, x), costs in at.items():
            known = [cost for cost in costs.values() if cost is not None]
            if len(costs) > 1 and (len(known) < len(costs) or max(known) > min(known) * (1 + APART)):
                told = ", ".join(
                    f"{arm} {'unknown' if cost is None else format(cost, '.4g')}" for arm, cost in costs.items()
                )
                return f"the arms are not at one price on {data} at {x:g}: epsilon of {told}"
    return ""
