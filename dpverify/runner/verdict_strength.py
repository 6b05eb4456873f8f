"""What was proved from the code, in the same words everywhere: the upper bound, and for which data sets it holds.

What a pass could have seen, and what it lacks: the same words in terminal, Python, notebook, pytest and reports.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from dpverify.core.note import Kind, Note
from dpverify.core.record import ProofRecord
from dpverify.shown.rounded import upward
from dpverify.shown.tradeoff import with_proved

IDEAL = "in real arithmetic, with ideal noise"

LAW = "Proved for the stated law, on every pair of a finite relation; draws of the code agree with it."
CODE = f"Proved from the code, for every data set of the domain that is stated; {IDEAL}."
CERTIFIED = f"{LAW.removesuffix('.')}. Or p{CODE.removeprefix('P')}"
"""What the verdict "certified" means, which has two sources."""


def upper_text(proof: ProofRecord) -> str:
    """``epsilon <= 1.000000000001``."""
    return f"{proof['parameter']} <= {upward(proof['upper'])}"


def proof_line(proof: ProofRecord) -> str:
    """The bound, for which data sets it was proved, and how."""
    where = f"for every data set whose records are {proof['domain']}, under {proof['relation']}"
    return f"{upper_text(proof)}, from the code, {where}; {IDEAL}"


def proof_of(record: Mapping[str, Any]) -> ProofRecord | None:
    """The proof that a record's verdict rests on; None of one that an audit contradicts."""
    proof: ProofRecord | None = record.get("proof")
    return proof if record["verdict"] == "certified" else None


def proved_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """The lines on a proof by name, and on what it rests; none where the verdict rests on no proof."""
    proof = proof_of(record)
    return {} if proof is None else {"proved": proof_line(proof), "rests on": "; ".join(proof["rests_on"])}


def drawn_beside(picture: Mapping[str, Any], proof: ProofRecord | None) -> Mapping[str, Any]:
    """The picture of an evidence, with the curve of the proof that the verdict rests on, where its kind has one."""
    claim = {} if proof is None else proof["certificate"]["claim"]
    if proof is None or claim["kind"] not in ("PureDP", "ApproxDP", "GDP"):
        return picture
    delta = float(claim["parameters"].get("delta", 0.0))
    return with_proved(picture, proof["parameter"], delta, proof["upper"])


IF_ALL_SHOWS = "if all of the violation shows at the tested event"
SEARCHED = "for this pair and the family of events that was searched"
IN_A_BATCH = "by single calls only (draws of a batch depend on one another), "


def caught(label: str, detectable: Any, *, assumed: str = "", rarest: float | None = None) -> list[str]:
    """Say what draws would have detected with 80 % power, and the rarest leak; no text where nothing is known.

    `detectable` may be a record's (a number or "inf").
    """
    told = []
    if detectable is not None and math.isinf(float(detectable)):
        told.append(f"could not have detected any value of {label} at the tested event")
    elif detectable is not None:
        value = f"{label} ≥ {float(detectable):.4g} with 80 % power{assumed}"
        told.append(f"would have detected {value}, {IF_ALL_SHOWS} ({SEARCHED})")
    if rarest is not None:
        told.append(f"these draws cannot detect a leak of probability below {rarest:.2g}")
    return told


def missed(verdict: str, statistics: Mapping[str, Any], detectable: Any) -> bool:
    """Tell whether a pass could have detected less than was to be detected: its goal was missed."""
    sought = statistics.get("sought")
    if verdict != "not_refuted" or sought is None or detectable is None:
        return False
    return float(detectable) > float(sought)


def depends_in_a_batch(notes: Iterable[Note]) -> bool:
    """Tell whether draws of one batch depended on one another, so that only single calls were audited."""
    return any(note.kind is Kind.BATCH for note in notes)


def before_verdict(verdict: str, statistics: Mapping[str, Any], detectable: Any, notes: Iterable[Note] = ()) -> str:
    """Return the word before the verdict of a pass that says less than it seems to; empty for a full one."""
    weak = "weak, " if missed(verdict, statistics, detectable) else ""
    return weak + (IN_A_BATCH if verdict == "not_refuted" and depends_in_a_batch(notes) else "")
