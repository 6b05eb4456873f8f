"""Rechecks a record: computes every bound from the counts beside it, and the verdict from the bounds. Nothing is drawn.

The claim and the evidence are read from the record alone, so a record can be rechecked without its mechanism. The
auditor computes what its counts give (`dpverify.core.auditing.Rechecks`). An exact law has no counts; for it the
recheck names the command that computes it again.

A recheck shows that the printed numbers follow from the printed counts. It does not show that anything was drawn, nor
that events were chosen before the draws that count them. Estimates, ceilings, detectable values and figures are not
checked. Numbers from other versions of NumPy or other machines differ in their last digits, which `recheck_row` allows
for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from dpverify.core.auditing import Rechecks
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, ContradictionError, LackingError
from dpverify.core.subjects import Guarantee
from dpverify.core.verdict import judge
from dpverify.runner.recheck_printed import command, printed_evidence
from dpverify.runner.recheck_row import judgement_faults, nearly_equal, row_faults, shown, without_evidence

Says = Literal["agrees", "differs", "exact", "lacks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedEvidence:
    """One piece of evidence, rechecked.

    Attributes
    ----------
    says : str
        ``agrees``, ``differs``, ``exact`` (numbers of an exact law, without counts) or ``lacks`` (numbers are missing).
    evidence : Evidence
        As in the record.
    again : float or None
        The bound computed from the counts; None where there is none.
    told : str
        Which number differs or is missing.
    """

    says: Says
    evidence: Evidence
    again: float | None = None
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedRecord:
    """One record, rechecked.

    Attributes
    ----------
    faults : tuple of str
        Faults of the record as a whole: a verdict that does not follow from the evidence, a number that the evidence
        contradicts.
    reproduce : str
        The command in the record that repeats the audit; empty where it is no dpverify command.
    """

    id: str
    verdict: str
    looked: tuple[RecheckedEvidence, ...]
    faults: tuple[str, ...] = ()
    reproduce: str = ""

    @property
    def says(self) -> Says:
        """The worst outcome among the record's faults and its evidence."""
        found = {each.says for each in self.looked} | ({"differs"} if self.faults else set())
        return next((each for each in _WORST if each in found), "agrees")


_WORST: tuple[Says, ...] = ("differs", "lacks", "agrees", "exact")


def recheck(
    record: Mapping[str, Any], *, read: Callable[[str], Guarantee], auditors: Mapping[str, object]
) -> RecheckedRecord:
    """Recheck one record that follows the schema.

    Parameters
    ----------
    read : callable
        Parses the text of a guarantee.
    auditors : mapping
        Auditors by name; those that offer `Rechecks` compute the bounds.

    Raises
    ------
    InputError
        When the claim or a piece of evidence cannot be read.
    """
    items = [printed_evidence(record["id"], part) for part in record["evidence"]]
    if not items:
        return RecheckedRecord(id=record["id"], verdict=record["verdict"], looked=(), faults=without_evidence(record))
    claim = Claim(
        id=record["id"],
        guarantee=read(record["guarantee"]),
        relation=record["relation"],
        subject=record["subject"],
        source=Source(paper=record["source"], locus=""),
    )
    proportional = bool(record.get("space", {}).get("proportional"))
    looked = tuple(_look(claim.guarantee, item, auditors, proportional=proportional) for item in items)
    faults = [*judgement_faults(record, items), *row_faults(record, claim, items)]
    return RecheckedRecord(
        id=record["id"],
        verdict=record["verdict"],
        looked=looked,
        faults=tuple(faults),
        reproduce=command(record["reproduce"]),
    )


def _look(
    guarantee: Guarantee, item: Evidence, auditors: Mapping[str, object], *, proportional: bool
) -> RecheckedEvidence:
    foreign = "" if proportional else _foreign(guarantee, item)
    if foreign:
        return RecheckedEvidence(says="differs", evidence=item, told=foreign)
    if item.confidence is None:
        return RecheckedEvidence(says="exact", evidence=item)
    auditor = auditors.get(item.auditor)
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
