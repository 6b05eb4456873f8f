"""A privacy claim in words, and what it allows an attacker: for readers who do not know the notation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.reporting.formatting import number_down, percent_down, percent_up
from dpverify.reporting.risk_table import guarantee_of, risk_of_claim
from dpverify.stats.attacker import PRIOR

ALARMS = "0.01"
"""False-alarm rate of the attacker whose power is told."""

_AT_MOST = "any event is at most"


def claim_words(guarantee: str, relation: str) -> str:
    """The claim as a sentence; empty for a kind of claim that has none here."""
    found = guarantee_of(guarantee)
    words = _WORDS.get(type(found).__name__)
    if found is None or words is None:
        return ""
    return f"For every two neighbouring data sets ({_beside(relation)}) {words(found)}."


def risk_words(guarantee: str) -> str:
    """Say in one line what the claimed curve allows; empty where the claim is no privacy guarantee.

    All are upper limits that follow from the claim, if it is true (`dpverify.runner.row_risk`).
    """
    found = risk_of_claim(guarantee)
    if found is None:
        return ""
    return (
        f"The claim promises: an attacker who raises false alarms in {percent_up(float(ALARMS))} of the cases finds at "
        f"most {percent_up(found['power'][ALARMS])} of the members; the advantage is at most "
        f"{percent_up(found['advantage'])}; such an alarm turns a suspicion of {percent_up(PRIOR)} into at most "
        f"{percent_up(found['posterior'][ALARMS])}."
    )


def shown_words(item: Record) -> str:
    """Say in one line an attacker's rates at the counted event; they hold together, at the bound's error.

    They are limits of two rates at one event, nothing more: what was not counted may be worse. Where the audit has no
    such limits, its bound in words, and the observed rates.
    """
    pictures = [part.get("picture") or {} for part in item["evidence"]]
    boxes = (each.get("rectangle") or {} for each in pictures)
    ends = ("fpr_high", "fnr_high")
    whole = (
        each for each in boxes if isinstance(each, dict) and all(isinstance(each.get(e), int | float) for e in ends)
    )
    box = next(whole, None)
    if box is None:
        return _bound_words(item)
    return (
        f"At the counted event an attacker raises false alarms in at most {percent_up(box['fpr_high'])} of the cases "
        f"and finds at least {percent_down(1.0 - box['fnr_high'])} of the members."
    )


def _bound_words(item: Record) -> str:
    part: Mapping[str, Any] = next(iter(item["evidence"]), {})
    measure, bound, point = part.get("measure") or {}, part.get("bound"), (part.get("picture") or {}).get("point") or {}
    if measure.get("kind") != "epsilon" or not isinstance(bound, int | float) or not 0 < bound < 700:
        return ""
    if not point.keys() >= {"fpr", "fnr"}:
        return ""
    plus = f", plus {measure['argument']:g}" if measure.get("argument") else ""
    times = math.floor(math.exp(bound) * 1000 * (1 - 1e-12)) / 1000
    return (
        f"Some event is at least e^{number_down(bound)} = {times:.5g} times as probable on one data set as on the other"
        f"{plus}. At the event of the last bets an attacker raised false alarms in {percent_up(point['fpr'])} of the "
        f"cases and found {percent_down(1.0 - point['fnr'])} of the members: estimates, no limits."
    )


def _beside(relation: str) -> str:
    kind, _, column = relation.partition(" by ")
    known = registry().relations
    if kind not in known or (column and not known.get(kind).moved):
        return relation
    return f"all records with one {column} are {known.get(kind).moved}" if column else str(known.get(kind).told())


def _pure(found: Any) -> str:
    return f"{_AT_MOST} e^{found.epsilon:g} = {math.exp(found.epsilon):.4g} times as probable on one as on the other"


def _approximate(found: Any) -> str:
    times = f"{_AT_MOST} e^{found.epsilon:g} = {math.exp(found.epsilon):.4g} times as probable on one as on the other"
    return f"{times}, plus {found.claimed_delta:g}" if found.claimed_delta else times


_WORDS: dict[str, Callable[[Any], str]] = {
    "PureDP": _pure,
    "ApproxDP": _approximate,
    "GDP": lambda found: (
        "telling the outputs on one from those on the other is at least as hard as telling a standard normal number "
        f"from one whose mean is {found.mu:g}"
    ),
    "ZCDP": lambda found: (
        f"the Renyi divergence of order a between the outputs is at most {found.rho:g} a, for every a above 1"
    ),
    "RDP": lambda found: f"the Renyi divergence between the outputs keeps to {found.text()}",
}
