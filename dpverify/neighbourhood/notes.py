"""What the gate's steps found, one line each, and how much noise would have been enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpverify.core.evidence import Evidence
from dpverify.core.note import Kind, Note
from dpverify.core.verdict import Status
from dpverify.runner.row import Row
from dpverify.runner.verdict_strength import IF_ALL_SHOWS, missed

OTHER_THAN_NUMBERS = "outputs differ in type, keys or exceptions, too, and more noise does not mend what these show"
TOTAL = "the event never came on one side, and more noise of the same kind need not mend that"


def gate_notes(row: Row) -> tuple[Note, ...]:
    """Notes on a row of the auditor ``gate``; none for other rows."""
    leading = row.verdict.leading
    if leading is None or "steps" not in leading.statistics:
        return ()
    lines = [Note(Kind.STEPS, _line(step)) for step in leading.statistics["steps"]]
    lines += _raised(leading)
    if row.verdict.status is Status.REFUTED:
        lines += enough_noise(leading)
    elif row.verdict.status is Status.NOT_REFUTED:
        lines += _weak(leading)
    if row.verdict.status in (Status.NOT_REFUTED, Status.INCONCLUSIVE):
        lines += _left(row, leading)
    return tuple(lines)


def enough_noise(evidence: Evidence) -> list[Note]:
    """Estimate how many times the noise this evidence would not refute; nothing where no amount is known."""
    claimed, bound = evidence.measure.claimed, evidence.bound
    if not (0 < claimed < bound < math.inf) or evidence.measure.kind not in ("epsilon", "mu"):
        return []
    if {"forms", "errors"} & set(evidence.witness):
        return [Note(Kind.NOISE, OTHER_THAN_NUMBERS)]
    if _total(evidence):
        return [Note(Kind.NOISE, TOTAL)]
    told = (
        "if the loss is in inverse proportion to the noise, the claim stays false with less than "
        f"{bound / claimed:.3g} times the noise"
    )
    seen = _seen(evidence)
    if seen is None or seen <= bound:
        return [Note(Kind.NOISE, told)]
    needed = f"about {seen / claimed:.3g} times are needed (an estimate)"
    return [Note(Kind.NOISE, f"{told}; by the loss that was seen, {needed}")]


def _seen(evidence: Evidence) -> float | None:
    """The loss at the event by the observed rates, or by the recorded laws of the noise; None where it is not known."""
    laws = evidence.statistics.get("laws")
    if evidence.estimate is not None or laws is None or evidence.measure.kind != "epsilon":
        return evidence.estimate
    above, q = laws["p"] - evidence.measure.argument, laws["q"]
    return math.log(above / q) if above > 0.0 and q > 0.0 else None


def _total(evidence: Evidence) -> bool:
    """Tell whether the event never came on one side: the bound then rises with the draws."""
    if evidence.estimate is not None and math.isinf(evidence.estimate):
        return True
    counts = evidence.statistics.get("counts", evidence.statistics)
    return 0 in [counts.get(name) for name in ("k1", "k2")]


def _raised(evidence: Evidence) -> list[Note]:
    """A line where the mechanism failed on pairs of the search: whether it does is an output, too."""
    for step in evidence.statistics["steps"]:
        if step["step"] == "search" and step["raised"]:
            told = (
                f"the mechanism raised an exception on {step['raised']} of {step['pairs_searched']} pairs, "
                "which were left out; raising on one data set and not on its neighbour shows a record: audit it with "
                "exceptions as outputs (--on-error output)"
            )
            return [Note(Kind.RAISED, told)]
    return []


def _line(step: Mapping[str, Any]) -> str:
    if step["step"] == "search":
        pairs, draws = step["pairs_searched"], step["draws"]
        return f"search: {pairs} pairs, {draws} draws a side each, on which no verdict rests"
    if step["step"] == "second look":
        pairs = f"{step['pairs']} pair{'' if step['pairs'] == 1 else 's'}"
        return f"second look, for what is rare: {step['draws']} draws a side on {pairs}, on which no verdict rests"
    if step["step"] == "closer look":
        told = f"closer look: {step['draws']} draws a side, on which no verdict rests"
        if "loss" in step:
            told += f"; what is lost on this pair is about {step['loss']:.3g}, at most"
        return told + ("; an event looked beyond the claim, so all draws count it" if step["beyond"] else "")
    told = f"{step['step']} (false-alarm probability {step['level']:.2g}): {str(step['found']).replace('_', ' ')}"
    if "draws" not in step or not step["draws"]:
        return told
    return f"{told}, {step['draws']} draws a side"


def _weak(evidence: Evidence) -> list[Note]:
    """A line where the pass could detect something, and less than was sought."""
    if not missed(Status.NOT_REFUTED.value, evidence.statistics, evidence.detectable):
        return []
    needed = evidence.statistics.get("would_do")
    more = f"trials={needed} might do (an estimate)" if needed else "no number of draws does at this event"
    told = f"it would have detected {evidence.measure.label()} = {evidence.detectable:.4g} with 80 % power, "
    told += f"{IF_ALL_SHOWS}, and {evidence.statistics['sought']:.4g} was to be detected; {more}"
    return [Note(Kind.WEAK, told)]


def _left(row: Row, evidence: Evidence) -> list[Note]:
    """A line on the draws that were not made, and on what passes for its rarity."""
    left, rarest = evidence.statistics.get("left", 0), row.rarest
    if not left or rarest is None:
        return []
    told = (
        f"{left} draws a side were not made; a leak in fewer than one of {math.floor(1 / rarest)} outputs may "
        "pass (seconds or trials that are given are spent to half, to find what is rarer)"
    )
    return [Note(Kind.LEFT, told)]
