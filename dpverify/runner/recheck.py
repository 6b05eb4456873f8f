"""Rechecks a record: computes every bound from the counts beside it, and the verdict from the bounds. Nothing is drawn.

The claim and the evidence are read from the record alone, so a record can be rechecked without its mechanism. The
auditor computes what its counts give (`dpverify.core.auditing.Rechecks`). An exact law has no counts; for it the
recheck names the command that computes it again.

What the counts determine beside the bound (detectable value, ceiling, rarest leak) is computed again, too, where the
auditor's plug-in says how (`Registry.powers`). A row is held against its own command and its pair against its relation,
as far as plain values allow. What was not checked is listed (`RecheckedRecord.unchecked`).

A recheck shows that the printed numbers follow from the printed counts. It does not show that anything was drawn, nor
that events were chosen before the draws that count them. Estimates and figures are not checked. Numbers from other
versions of NumPy or other machines differ in their last digits, which `recheck_row` allows for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from dpverify.core.auditing import Rechecks
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.evidence import Again, ContradictionError, Evidence, LackingError
from dpverify.core.record import Record
from dpverify.core.relation_names import PRICED
from dpverify.core.subjects import Guarantee, NeighborGenerator, PrivacyGuarantee
from dpverify.core.verdict import judge
from dpverify.proofs.told import proof_fault
from dpverify.runner.recheck_printed import command, command_faults, printed_evidence
from dpverify.runner.recheck_row import RELATIVE, judgement_faults, nearly_equal, row_faults, shown, without_evidence
from dpverify.runner.row import rarest_detectable

Says = Literal["agrees", "differs", "exact", "lacks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedEvidence:
    """One piece of evidence, rechecked."""

    says: Says
    """``agrees``, ``differs``, ``exact`` (numbers of an exact law, without counts) or ``lacks`` (numbers are
    missing)."""
    evidence: Evidence
    """As in the record."""
    again: float | None = None
    """The bound computed from the counts; None where there is none."""
    told: str = ""
    """Which number differs or is missing."""
    unchecked: str = ""
    """What its counts determine and was not computed again; empty where nothing is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedRecord:
    """One record, rechecked."""

    id: str
    verdict: str
    looked: tuple[RecheckedEvidence, ...]
    faults: tuple[str, ...] = ()
    """Faults of the record as a whole: a verdict that does not follow from the evidence, a number that the evidence
    contradicts."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked in this record, in words that several records share."""
    reproduce: str = ""
    """The command in the record that repeats the audit; empty where it is no dpverify command."""

    @property
    def says(self) -> Says:
        """The worst outcome among the record's faults and its evidence."""
        found = {each.says for each in self.looked} | ({"differs"} if self.faults else set())
        return next((each for each in _WORST if each in found), "agrees")

    def first_fault(self) -> str:
        """The first contradiction in one line; empty where there is none."""
        return next(iter((*self.faults, *(each.told for each in self.looked if each.says == "differs"))), "")


_WORST: tuple[Says, ...] = ("differs", "lacks", "agrees", "exact")


Power = Callable[[Guarantee, Evidence], Mapping[str, float | None]]

POWER_SLACK = 1e-3
"""Of a detectable value, which a bisection finds to 1e-4."""

POWER = "detectable values and ceilings of {}"
EXACT = "values of exact laws"
CODE = "which code ran (no digests of its files)"
UNRUN = "whether a proof is of the code that ran (its rules were applied again; check-proof --code)"


def recheck(
    record: Record,
    *,
    read: Callable[[str], Guarantee],
    auditors: Mapping[str, object],
    powers: Mapping[str, Power] | None = None,
    neighbors: Iterable[NeighborGenerator] = (),
) -> RecheckedRecord:
    """Recheck one record that follows the schema.

    Parameters
    ----------
    read : callable
        Parses the text of a guarantee.
    auditors : mapping
        Auditors by name; those that offer `Rechecks` compute the bounds.
    powers : mapping or None
        Of `Registry.powers`; None where the numbers beside the bounds are not looked at.
    neighbors : iterable of NeighborGenerator
        Who says whether the pair is one of the relation.

    Raises
    ------
    InputError
        When the claim or a piece of evidence cannot be read.
    """
    items = [printed_evidence(record["id"], part) for part in record["evidence"]]
    proof = record.get("proof")
    unproved = "" if proof is None else proof_fault(proof, read(record["guarantee"]), record["relation"])
    beside = UNRUN if proof is not None else ""
    if not items:
        alone = (*filter(None, [unproved]), *without_evidence(record))
        return RecheckedRecord(
            id=record["id"],
            verdict=record["verdict"],
            looked=(),
            faults=alone,
            unchecked=tuple(filter(None, [beside])),
        )
    claim = Claim(
        id=record["id"],
        guarantee=read(record["guarantee"]),
        relation=record["relation"],
        subject=record["subject"],
        source=Source(paper=record["source"], locus=""),
    )
    proportional = bool(record.get("space", {}).get("proportional"))
    known: Mapping[str, Power] = {} if proportional or powers is None else powers
    looked = tuple(
        _with_power(_look(claim.guarantee, item, auditors, proportional=proportional), claim.guarantee, known)
        for item in items
    )
    pair, unread = pair_fault(record, neighbors)
    again = command(record["reproduce"])
    faults = [*filter(None, [unproved]), *judgement_faults(record, items)]
    faults += [*row_faults(record, claim, items), *filter(None, [pair])]
    faults += command_faults(record, again, read=read)
    lacking = any(each.says == "lacks" for each in looked)
    faults += [] if proportional or lacking else _rarest_faults(record, claim.guarantee, items)
    undigested = "dpverify audit " in again and not record.get("files")
    unchecked = [beside, unread, CODE if undigested else "", *(each.unchecked for each in looked)]
    return RecheckedRecord(
        id=record["id"],
        verdict=record["verdict"],
        looked=looked,
        faults=tuple(faults),
        unchecked=tuple(dict.fromkeys(filter(None, unchecked))),
        reproduce=again,
    )


def _rarest_faults(record: Record, guarantee: Guarantee, items: Iterable[Evidence]) -> list[str]:
    if "rarest" not in record:
        return []
    try:
        again = rarest_detectable(guarantee, items)
    except InputError:  # of junk that the bound's own recheck names
        return []
    if nearly_equal(record["rarest"], again, slack=POWER_SLACK):
        return []
    return [f"rarest is printed as {shown(record['rarest'])}, and its draws give {shown(again)}"]


def _with_power(found: RecheckedEvidence, guarantee: Guarantee, powers: Mapping[str, Power]) -> RecheckedEvidence:
    """The evidence, its detectable value and its ceiling held against what the counts determine."""
    item = found.evidence
    if found.says == "exact":
        return replace(found, unchecked=EXACT)
    if found.says != "agrees" or (item.detectable is None and item.ceiling is None):
        return found
    left = POWER.format(item.auditor)
    power = powers.get(item.auditor)
    try:
        again = {} if power is None else power(guarantee, item)
    except ContradictionError as problem:
        return replace(found, says="differs", told=str(problem))
    except Exception:  # noqa: BLE001 - as in `_look`; the bound itself was computed again
        again = {}
    wrong = [
        f"printed {name} {shown(getattr(item, name))}, from the counts {shown(value)}"
        for name, value in again.items()
        if not nearly_equal(getattr(item, name), value, slack=POWER_SLACK)
    ]
    if wrong:
        return replace(found, says="differs", told="; ".join(wrong))
    return replace(found, unchecked="" if again else left)


def _look(
    guarantee: Guarantee, item: Evidence, auditors: Mapping[str, object], *, proportional: bool
) -> RecheckedEvidence:
    foreign = "" if proportional else _foreign(guarantee, item)
    if foreign:
        return RecheckedEvidence(says="differs", evidence=item, told=foreign)
    auditor = auditors.get(item.auditor)
    if item.confidence is None and auditor is not None:
        told = _inexact(guarantee, item, auditor)
        return RecheckedEvidence(says="differs" if told else "exact", evidence=item, told=told)
    if not isinstance(auditor, Rechecks):
        return RecheckedEvidence(
            says="lacks", evidence=item, told=f"no way is known to recheck the method {item.auditor!r}"
        )
    try:
        again = auditor.recheck(guarantee, item)
    except LackingError as problem:
        return RecheckedEvidence(says="lacks", evidence=item, told=str(problem))
    except (ContradictionError, InputError) as problem:
        return RecheckedEvidence(says="differs", evidence=item, told=str(problem))
    except DpverifyError as problem:
        return RecheckedEvidence(says="lacks", evidence=item, told=str(problem))
    except Exception as problem:  # noqa: BLE001 - a stranger's numbers may do anything to formulas made for ours
        told = f"its counts cannot be made sense of ({type(problem).__name__})"
        return RecheckedEvidence(says="differs", evidence=item, told=told)
    differing = differences(item, again)
    return RecheckedEvidence(
        says="differs" if differing else "agrees", evidence=item, again=again.bound, told="; ".join(differing)
    )


def _inexact(guarantee: Guarantee, item: Evidence, auditor: object) -> str:
    """Why this is no evidence of an exact law; empty where it may be."""
    if isinstance(guarantee, PrivacyGuarantee) and getattr(auditor, "statistical", True):
        return f"{item.auditor} draws, and its evidence has no confidence"
    beyond = item.bound - item.measure.claimed - (item.error or 0.0)
    if item.excess <= 0.0 and beyond > RELATIVE * max(1.0, abs(item.measure.claimed)):
        return f"bound {shown(item.bound)} is above the claimed {shown(item.measure.claimed)}, and the excess is none"
    return ""


def _foreign(guarantee: Guarantee, item: Evidence) -> str:
    """Compare the claimed value in the evidence with the claim's text."""
    for own in guarantee.measures():
        same = own.kind == item.measure.kind and nearly_equal(own.argument, item.measure.argument)
        if same and not nearly_equal(own.claimed, item.measure.claimed):
            return (
                f"claimed {own.label()}: printed {item.measure.claimed:.10g}, the claim's text says {own.claimed:.10g}"
            )
    return ""


def differences(item: Evidence, again: Again) -> list[str]:
    """List the numbers in the record that differ from those that the counts give."""
    printed: list[tuple[str, Any, float]] = [
        ("bound", item.bound, again.bound),
        ("excess", item.excess, again.excess),
        ("claimed", item.measure.claimed, again.measure.claimed),
        ("confidence", item.confidence, 1.0 - again.alpha),
        ("trials", item.trials, again.trials),
    ]
    found = [
        f"printed {name} {shown(one)}, from the counts {shown(two)}"
        for name, one, two in printed
        if not nearly_equal(one, two)
    ]
    if (item.measure.kind, item.measure.label()) != (again.measure.kind, again.measure.label()):
        found.append(f"printed of {item.measure.label()}, from the counts of {again.measure.label()}")
    for name, value in again.numbers.items():
        inside: Any = item.statistics
        for part in name.split("."):
            inside = inside.get(part) if isinstance(inside, Mapping) else None
        if not nearly_equal(inside, value, slack=again.slack):
            found.append(f"printed {name} {shown(inside)}, from the counts {shown(value)}")
    counted = replace(item, measure=again.measure, bound=again.bound, excess=again.excess)
    if judge(counted) is not judge(item):
        found.append(f"printed {judge(item)}, the counts say {judge(counted)}")
    return found


UNWRITTEN = "pairs that are not written down"
OTHER = "pairs of relations that cannot be read off plain values"


def pair_fault(record: Mapping[str, Any], neighbors: Iterable[NeighborGenerator]) -> tuple[str, str]:
    """Say what contradicts the relation, and what could not be checked; each may be empty."""
    witness, relation = record.get("witness") or {}, str(record["relation"])
    if "d0" not in witness or "d1" not in witness:
        return "", UNWRITTEN if record["evidence"] else ""
    sides = _records(witness["d0"]), _records(witness["d1"])
    of_relation = [each for each in neighbors if each.relation == relation]
    if relation not in PRICED or not of_relation:
        return "", OTHER
    if sides[0] is None or sides[1] is None:
        return "", UNWRITTEN
    said = []
    for generator in of_relation:
        try:
            reason = generator.check(*sides)
        except Exception:  # noqa: BLE001 - made for data sets of other types
            continue
        if reason is None:
            return "", ""
        said.append((generator.name == relation, reason))
    reasons = [reason for own, reason in said if own]
    return (f"the pair is no pair of {relation}: {reasons[0]}", "") if reasons else ("", OTHER)


def _records(data: Any) -> list[Any] | None:
    """The records of a list, or of a table by its columns; None of what is hidden, hashed or something else."""
    if isinstance(data, list):
        return data
    if not isinstance(data, Mapping) or not data or not all(isinstance(each, list) for each in data.values()):
        return None
    columns = list(data.values())
    if len({len(column) for column in columns}) != 1:
        return None
    return [list(row) for row in zip(*columns, strict=True)]
