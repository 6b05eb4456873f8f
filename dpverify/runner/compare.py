"""What changed between two runs: verdicts, bounds, and what is claimed.

Records are compared by their claims' ids. Nothing is drawn, and no mechanism is loaded. Whether a changed claim
promises less is decided by the privacy it leaves, not by its text. Side of the error: what cannot be shown to be at
least as strict counts as loosened, since this is for gates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, get_args

import numpy as np

from dpverify.core.evidence import Evidence
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.core.verdict import Status
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.runner.verdict_strength import upper_text

Kind = Literal["refuted", "vacuous", "error", "loosened", "removed", "weaker", "verdict", "bound", "tightened", "added"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are told."""

WEAKER = 1.1
"""A pass is weaker where what it would have detected has grown by this factor: smaller changes are chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of one claim."""

    id: str
    """The claim's."""
    kind: Kind
    """``refuted``: it is refuted now and was not, or is new. ``vacuous``: the audit could have seen nothing now, and
    could before, or is new. ``error``: it was not audited. ``loosened``: less is promised, or what is promised cannot
    be compared (another relation, another subject). ``tightened``: more is. ``weaker``: the pass would have detected
    less than before. ``bound``: the measured value moved further than chance moves it. ``verdict``: any other change of
    the verdict. ``added``, ``removed``: the claim."""
    before: str
    after: str
    """`before`, `after`: what was, and what is; empty where there is nothing."""


def changes(
    before: Iterable[Record], after: Iterable[Record], *, read: Callable[[str], Guarantee], only: str = "*"
) -> list[Change]:
    """All changes, the worst kinds first.

    Parameters
    ----------
    before, after : records
        Of two runs.
    read : callable
        Parses the text of a guarantee.
    only : str
        Which ids the later run was asked for (``--only``); others that it has not are not removed.

    Raises
    ------
    InputError
        For a record whose claim or evidence cannot be read.
    """
    old, new = ({str(each["id"]): each for each in records} for records in (before, after))
    found = [
        Change(id=name, kind="removed", before=str(old[name]["guarantee"]), after="")
        for name in old
        if name not in new and fnmatchcase(name, only)
    ]
    for name, item in new.items():
        found += _of_claim(name, old.get(name), item, read)
    return sorted(found, key=lambda change: (KINDS.index(change.kind), change.id))


def _of_claim(name: str, old: Record | None, new: Record, read: Callable[[str], Guarantee]) -> Iterator[Change]:
    def change(kind: Kind, before: str, after: str) -> Change:
        return Change(id=name, kind=kind, before=before, after=after)

    if old is None:
        yield change("added", "", str(new["guarantee"]))
    else:
        yield from (change(kind, was, now) for kind, was, now in _promised(old, new, read))
    was, now = ("" if old is None else str(old["verdict"])), str(new["verdict"])
    if _vacuous(new) and (old is None or not _vacuous(old)):
        yield change("vacuous", was, now)
    elif was != now:
        if now == Status.REFUTED and not (old is None and new.get("expectation") == "broken"):
            yield change("refuted", was, now)
        elif now == Status.ERROR:
            yield change("error", was, now)
        elif old is not None:
            yield change("verdict", was, now)
    elif old is not None:
        yield from (change(kind, first, second) for kind, first, second in _measured(old, new))


def _promised(old: Record, new: Record, read: Callable[[str], Guarantee]) -> Iterator[tuple[Kind, str, str]]:
    """Say how the promise moved; a change that cannot be compared counts as loosened."""
    words = [
        " ".join([str(each["guarantee"]), "of", str(each["subject"]), "under", str(each["relation"])])
        for each in (old, new)
    ]
    if any(old[part] != new[part] for part in ("subject", "relation", "parameters")):
        yield "loosened", words[0], f"{words[1]}: cannot be compared"
        return
    how = moved(read(str(old["guarantee"])), read(str(new["guarantee"])))
    if how != "same":
        yield how, str(old["guarantee"]), str(new["guarantee"])


def _measured(old: Record, new: Record) -> Iterator[tuple[Kind, str, str]]:
    """Say of two audits with one verdict what is proved, how far the bound moved, and what each would have detected."""
    proved = [upper_text(proof) if (proof := each.get("proof")) else "nothing was proved" for each in (old, new)]
    if proved[0] != proved[1]:
        yield "bound", proved[0], proved[1]
    if not (old["evidence"] and new["evidence"]):
        return
    first, second = (printed_evidence(each["id"], each["evidence"][0]) for each in (old, new))
    if (first.measure.kind, first.measure.label()) != (second.measure.kind, second.measure.label()):
        return
    label = first.measure.label()
    ranges = [_range(each) for each in (first, second)]
    if ranges[0][0] > ranges[1][1] or ranges[1][0] > ranges[0][1]:
        yield "bound", f"{label} >= {first.bound:.4g}", f"{label} >= {second.bound:.4g}"
    if new["verdict"] != Status.NOT_REFUTED:
        return
    able = [each.detectable if each.detectable is not None else math.nan for each in (first, second)]
    if able[1] > WEAKER * able[0]:
        yield "weaker", f"would have detected {label} = {able[0]:.4g}", f"{label} = {able[1]:.4g}"


def _range(evidence: Evidence) -> tuple[float, float]:
    """Return the range from the bound to as far above the estimate; of exact evidence, its error.

    Without an estimate nothing is known above the bound, and no move beyond chance can be told.
    """
    if evidence.confidence is None:
        error = evidence.error or 0.0
        return evidence.bound - error, evidence.bound + error
    if evidence.estimate is None or not math.isfinite(evidence.estimate):
        return evidence.bound, math.inf
    return evidence.bound, max(2.0 * evidence.estimate - evidence.bound, evidence.bound)


def _vacuous(record: Record) -> bool:
    """Tell whether the audit could have seen nothing."""
    evidence = record["evidence"]
    statistics = evidence[0].get("statistics") if evidence else None
    marked = isinstance(statistics, Mapping) and bool(statistics.get("vacuous"))
    return record["verdict"] == Status.INCONCLUSIVE and marked


Moved = Literal["same", "tightened", "loosened"]

GRID = np.concatenate([[0.0], np.geomspace(1e-12, 0.5, 200), 1.0 - np.geomspace(0.4, 1e-9, 100)])
"""False-positive rates at which two curves are compared."""

ROUNDING = 1e-12


def moved(old: Guarantee, new: Guarantee) -> Moved:
    """Say how the promise moved from `old` to `new`.

    Where both promise the same measures, their claimed values are compared; of other guarantees of privacy the
    trade-off curves are, on a grid and in both directions. The rest counts as loosened.
    """
    if old.text() == new.text():
        return "same"
    first, second = old.measures(), new.measures()
    if type(old) is type(new) and [each.label() for each in first] == [each.label() for each in second]:
        more = [b.claimed - a.claimed for a, b in zip(first, second, strict=True)]
        if any(each > 0 for each in more):
            return "loosened"
        if any(each < 0 for each in more):
            return "tightened"
    if isinstance(old, PrivacyGuarantee) and isinstance(new, PrivacyGuarantee):
        lost = [
            np.asarray(old.tradeoff(GRID, reverse=way)) - np.asarray(new.tradeoff(GRID, reverse=way))
            for way in (False, True)
        ]
        if max(float(np.max(each)) for each in lost) <= ROUNDING:
            return "tightened" if min(float(np.min(each)) for each in lost) < -ROUNDING else "same"
    return "loosened"
