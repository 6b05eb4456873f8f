"""The proof beside an audit: the code is read before anything is drawn, and nothing that goes wrong there stops one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audits.question import Question
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.note import Kind, Note
from dpverify.core.read_untrusted import parse_json
from dpverify.core.record import ProofRecord
from dpverify.core.subjects import Guarantee
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.derivation.derive import Derivation, derived_from
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.programs.mechanism import CommandMechanism
from dpverify.proofs.certificate import MEASURED
from dpverify.proofs.told import told_of
from dpverify.shown.rounded import upward

BESIDE_A_PROOF = 0.3
"""Seconds of an audit beside a proof, where nobody said how long it may take: its draws check the assumptions."""

READING = 30.0
"""Seconds that the reading of the code, and the runs of the code beside its proof, may take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromCode:
    """Keeps what was derived from the code: a proof, or lines that say why there is none.

    `shown` are lines with values that may be read off the example.
    """

    proof: ProofRecord | None = None
    told: tuple[Note, ...] = ()
    shown: tuple[Note, ...] = ()


def from_code(
    question: Question, subject: CallableMechanism, place: Neighbourhood, claim: Guarantee, limit: TimeLimit
) -> FromCode:
    """The proof of an audited callable, or why there is none; of programs, and of a pair alone, nothing is said."""
    neighbours = place.generator
    if not isinstance(neighbours, OfExample) or isinstance(subject, CommandMechanism):
        return FromCode()
    try:
        if question.call is not None:
            raise InputError("it is said how it is called (call)", allowed="a call by the names of its parameters")
        reading = f"the reading of {subject.name}"
        with limit.calls_within(READING), foreign_call(reading, limit, allowed="code that can be read"):
            return _told(derived_from(subject.function, question.data, neighbours, claim), claim)
    except DpverifyError as problem:
        return FromCode(told=(Note(Kind.UNPROVED, one_line(str(problem))),))


def _told(found: Derivation, claim: Guarantee) -> FromCode:
    if found.outcome == "proved":
        text = json.dumps(found.certificate(), allow_nan=False)
        return FromCode(proof=told_of(parse_json(text)))
    if found.outcome == "above the claim" and found.upper is not None:
        above = f"{MEASURED[type(claim).__name__]} <= {upward(found.upper)} was derived, which refutes nothing"
        return FromCode(told=(Note(Kind.ABOVE, one_line(f"{above}: {found.why}")),))
    condition = (Note(Kind.UNPROVED, one_line(found.condition)),) if found.condition else ()
    return FromCode(told=(Note(Kind.UNPROVED, one_line(found.why)),), shown=condition)
