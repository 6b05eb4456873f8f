"""A record looked at again: every bound from the counts beside it, every verdict from the bounds. Nothing is drawn.

The claim is read from the record's own text, and what speaks of it comes from the record alone, so that a stranger's
record can be looked at, of a mechanism that is not here. What an auditor's counts give, the auditor itself says
(`dpverify.core.auditing.Rechecks`); an exact law has no counts, and is named with the command that computes it again.

What this shows: that the printed numbers follow from the printed counts. It does not show that anything was drawn, nor
that events were chosen before the draws they were counted in. Estimates, ceilings, detectable values and pictures are
not looked at. Numbers computed with other versions of NumPy or on another machine differ in their last digits, which
`recheck_row` allows for.
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
from dpverify.runner.recheck_row import close, row_faults, said_otherwise, shown, without_evidence

Says = Literal["agrees", "differs", "exact", "lacks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One piece of evidence, looked at again.

    Attributes
    ----------
    says : str
        ``agrees``, ``differs``, ``exact`` (no counts: the numbers of a law) or ``lacks`` (too few numbers).
    evidence : Evidence
        As printed.
    again : float or None
        The bound that the counts give, where they give one.
    told : str
        In words, what differs or is lacking.
    """

    says: Says
    evidence: Evidence
    again: float | None = None
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rechecked:
    """One record, looked at again.

    Attributes
    ----------
    faults : tuple of str
        What is wrong in the record as a whole: a verdict that does not follow, a number that is another one in the
        evidence.
    reproduce : str
        The command that makes it again, as the record has it; empty where that is no command of ours.
    """

    id: str
    verdict: str
    looked: tuple[Looked, ...]
    faults: tuple[str, ...] = ()
    reproduce: str = ""

    @property
    def says(self) -> Says:
        """The worst of it."""
        found = {each.says for each in self.looked} | ({"differs"} if self.faults else set())
        return next((each for each in _WORST if each in found), "agrees")


_WORST: tuple[Says, ...] = ("differs", "lacks", "agrees", "exact")


def recheck(
    record: Mapping[str, Any], *, read: Callable[[str], Guarantee], auditors: Mapping[str, object]
) -> Rechecked:
    """Look at one record, which has the form that the schema asks for.

    Parameters
    ----------
    read : callable
        The guarantee that a claim's text says.
    auditors : mapping
        By the name that evidence gives; those that offer `Rechecks` are asked.

    Raises
    ------
    InputError
        When the claim cannot be read, or evidence is none.
    """
    items = [printed_evidence(record["id"], part) for part in record["evidence"]]
    if not items:
        return Rechecked(id=record["id"], verdict=record["verdict"], looked=(), faults=without_evidence(record))
    claim = Claim(
        id=record["id"],
        guarantee=read(record["guarantee"]),
        relation=record["relation"],
        subject=record["subject"],
        source=Source(paper=record["source"], locus=""),
    )
    proportional = bool(record.get("space", {}).get("proportional"))
    looked = tuple(_look(claim.guarantee, item, auditors, proportional=proportional) for item in items)
    faults = [*said_otherwise(record, items), *row_faults(record, claim, items)]
    return Rechecked(
        id=record["id"],
        verdict=record["verdict"],
        looked=looked,
        faults=tuple(faults),
        reproduce=command(record["reproduce"]),
    )


def _look(guarantee: Guarantee, item: Evidence, auditors: Mapping[str, object], *, proportional: bool) -> Looked:
    foreign = "" if proportional else _foreign(guarantee, item)
    if foreign:
        return Looked(says="differs", evidence=item, told=foreign)
    if item.confidence is None:
        return Looked(says="exact", evidence=item)
    auditor = auditors.get(item.auditor)
    if not isinstance(auditor, Rechecks):
        return Looked(says="lacks", evidence=item, told=f"no way is known to recheck the method {item.auditor!r}")
    try:
        again = auditor.recheck(guarantee, item)
    except LackingError as problem:
        return Looked(says="lacks", evidence=item, told=str(problem))
    except (ContradictionError, InputError) as problem:
        return Looked(says="differs", evidence=item, told=str(problem))
    except DpverifyError as problem:
        return Looked(says="lacks", evidence=item, told=str(problem))
    except Exception as problem:  # noqa: BLE001 - a stranger's numbers may do anything to formulas made for ours
        told = f"its counts cannot be made sense of ({type(problem).__name__})"
        return Looked(says="differs", evidence=item, told=told)
    differing = differences(item, again)
    return Looked(
        says="differs" if differing else "agrees", evidence=item, again=again.bound, told="; ".join(differing)
    )


def _foreign(guarantee: Guarantee, item: Evidence) -> str:
    """What the evidence says that the claim allows, against what its text says."""
    for own in guarantee.measures():
        same = own.kind == item.measure.kind and close(own.argument, item.measure.argument)
        if same and not close(own.claimed, item.measure.claimed):
            return (
                f"claimed {own.label()}: printed {item.measure.claimed:.10g}, the claim's text says {own.claimed:.10g}"
            )
    return ""


def differences(item: Evidence, again: Again) -> list[str]:
    """What is printed otherwise than the counts give it."""
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
        if not close(one, two)
    ]
    if (item.measure.kind, item.measure.label()) != (again.measure.kind, again.measure.label()):
        found.append(f"printed of {item.measure.label()}, from the counts of {again.measure.label()}")
    for name, value in again.numbers.items():
        inside: Any = item.statistics
        for part in name.split("."):
            inside = inside.get(part) if isinstance(inside, Mapping) else None
        if not close(inside, value, slack=again.slack):
            found.append(f"printed {name} {shown(inside)}, from the counts {shown(value)}")
    counted = replace(item, measure=again.measure, bound=again.bound, excess=again.excess)
    if judge(counted) is not judge(item):
        found.append(f"printed {judge(item)}, the counts say {judge(counted)}")
    return found
