"""A proof as a record tells it, held against what the record says elsewhere; no code is needed for that."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from dpverify.core.numpy_random import GLOBAL
from dpverify.core.record import ProofRecord
from dpverify.core.subjects import Guarantee
from dpverify.definitions.parameters import sentence
from dpverify.proofs.certificate import MEASURED, checked
from dpverify.proofs.operations import TEXT, ProofError

ASSUMPTIONS = (
    "arithmetic of doubles is exact, and noise is ideal: rounding of sums and of noise is not covered",
    "fewer than 2**32 records",
    "where the code takes a size, it is read with size 1: what a longer batch returns is not covered",
    "globals, closures and attributes that the code reads keep the values that they had",
    "numpy reports errors of arithmetic as it does by default (numpy.seterr), and warnings are no output and no errors",
    "Python and numpy are as published: nothing in the process patches them, reaches into their objects or traces the "
    "code, and assertions are carried out (python -O leaves them out)",
    "where the code takes rng, it is given one",
    "the generator draws fresh, independent numbers, and nobody else sees its state",
    "a number of Python's and the same number of numpy's are one output; time and memory are none",
)
"""What every proof rests on, beside its rules."""

SEEDED_BY_NOBODY = (
    "numpy's global generator (numpy.random), which the code draws from, draws fresh, independent numbers: nobody "
    "seeds it, and nobody else sees its state"
)


def assumptions_of(paths: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say on what a proof rests, declared noise included, from the operations of its paths."""
    draws = [node["params"] for path in paths for node in path["nodes"] if node["op"] == "draw"]
    found = sorted({(str(each["declared"]), str(each["law"])) for each in draws if "declared" in each})
    told = (
        "adds fresh, independent {} noise of the scale it is given to each number, and does nothing else, as declared"
    )
    own = [f"{name} {told.format(law)}" for name, law in found if name != GLOBAL]
    return [*ASSUMPTIONS, *([SEEDED_BY_NOBODY] if len(own) < len(found) else []), *own]


SHOWN = 4
"""Texts that the words of a domain name, and ranges of one array that they name by its columns."""


MOST_GROUPS = 16
"""Ranges of an array with more columns that are named with how many columns have them."""


def parameters_of(claim: Guarantee) -> dict[str, Any]:
    """The numbers of a claim by name."""
    named = {each.name.removeprefix("claimed_"): getattr(claim, each.name) for each in fields(claim)}  # type: ignore[arg-type]
    return {name: value for name, value in named.items() if isinstance(value, int | float)}


def told_of(certificate: Mapping[str, Any]) -> ProofRecord:
    """The record of a certificate: all of it follows from what the rules read there, and no word is the file's own."""
    claim = certificate["claim"]
    return {
        "parameter": MEASURED[claim["kind"]],
        "upper": float(certificate["upper"]),
        "claim": sentence(str(claim["kind"]), **claim["parameters"]),
        "domain": domain_words(certificate["domain"]),
        "relation": relation_words(certificate),
        "rests_on": assumptions_of(certificate["paths"]),
        "digest": hashlib.sha256(json.dumps(certificate, sort_keys=True).encode()).hexdigest(),
        "certificate": dict(certificate),
    }


def holds(certificate: Mapping[str, Any]) -> ProofRecord:
    """The record of a certificate, once its rules and its cost were applied again; ProofError where it does not hold.

    Whatever stands in a file of a stranger's, nothing else is raised.
    """
    try:
        checked(certificate)
        if list(certificate["assumptions"]) != assumptions_of(certificate["paths"]):
            raise ProofError("its assumptions are not those of this format")
        return told_of(certificate)
    except ProofError:
        raise
    except Exception as problem:  # noqa: BLE001 - a stranger's numbers may do anything to rules
        raise ProofError(f"it is not in its form: {type(problem).__name__}: {problem}") from None


def proof_fault(proof: Mapping[str, Any], claim: Guarantee, relation: str) -> str:
    """Why a record's proof does not hold, or is not of the record's claim; empty where it holds and is."""
    try:
        own = holds(proof["certificate"])
    except ProofError as problem:
        return f"the proof does not hold: {problem}"
    differing = [name for name in own if proof.get(name) != own[name]]  # type: ignore[literal-required]
    if differing:
        return f"of the proof, {', '.join(differing)} is not as its certificate has it"
    about = proof["certificate"]["claim"]
    if (about["kind"], about["parameters"]) != (type(claim).__name__, parameters_of(claim)):
        return f"the proof is of {own['claim']}, and {claim.text()} is claimed"
    return "" if own["relation"] == relation else f"the proof is under {own['relation']}, and not under {relation}"


def relation_words(certificate: Mapping[str, Any]) -> str:
    """The relation, and how many records change together where it is more than one."""
    records = int(certificate["records"])
    together = f" of up to {records} records together" if records > 1 else ""
    return f"{certificate['relation']}{together}"


def domain_words(domain: Mapping[str, Any]) -> str:
    """The records that a proof is about, in words, from the ranges that its rules go by."""
    told = [(name, _field(field)) for name, field in domain["fields"].items()]
    return "; ".join(f"{name}: {words}" if name else words for name, words in told)


def _field(field: Mapping[str, Any]) -> str:
    if field["type"] == TEXT:
        texts = list(field.get("texts") or ())
        more = ", ..." if len(texts) > SHOWN else ""
        return f"one of {', '.join(map(repr, texts[:SHOWN]))}{more}" if texts else "any text"
    ends = list(zip(_flat(field["low"]), _flat(field["high"]), strict=True))
    first, same = ends[0], len(set(ends)) == 1
    ranges = [_range(*first)] if same else [_range(*each) for each in ends]
    if len(ranges) > SHOWN:  # none is left out silently: a range that nobody reads is a domain that nobody stated
        groups = list(Counter(ranges).items())
        others = sum(count for _, count in groups[MOST_GROUPS:])
        rest = [f"{others} in ranges that the certificate lists"] if others else []
        ranges = [*(f"{count} {each}" for each, count in groups[:MOST_GROUPS]), *rest]
    told = ", ".join(ranges)
    of = f"{' x '.join(map(str, field['shape']))} of " if field["shape"] else ""
    norm = f", of norm {_end(float(field['norm']))} at most" if field["norm"] is not None else ""
    unbounded = field["type"].startswith("float") and (-math.inf, math.inf) in ends
    nan = " or NaN" if field["nan"] else " but NaN" if unbounded else ""
    return f"{of}{field['type']} {told}{nan}{norm}"


def _flat(value: Any) -> list[float]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [each for part in value for each in _flat(part)]
    return [float(value)]


def _range(low: float, high: float) -> str:
    if low == -math.inf and high == math.inf:
        return "of any value"
    return f"in [{_end(low)}, {_end(high)}]"


def _end(value: float) -> str:
    """An end in few digits where these are the number itself, in all of them otherwise."""
    short = f"{value:.12g}"
    return short if float(short) == value else repr(value)
