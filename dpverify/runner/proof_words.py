"""What was proved from the code, in the same words everywhere: the upper bound, and for which data sets it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
