"""What an audit at a saved failure says of it: it fails still, it is fixed, or it could not have been seen."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dpverify.core.evidence import Evidence
from dpverify.core.printable import visible
from dpverify.core.verdict import Status, Verdict
from dpverify.reporting.formatting import number
from dpverify.runner.regressions import Regression

Says = Literal["FAILED", "FIXED", "not seen", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One saved failure, audited again."""

    claim: str
    file: str
    """`claim`, `file`: the claim's id, and the name of the file; empty for a record of a run."""
    says: Says
    """``FAILED``: the claim is refuted again, on new draws. ``FIXED``: it is not, and a violation as large as the
    recorded one would have been with 80 % power, or an exact law says so. ``not seen``: it is not, and that says too
    little. ``error``: it could not be audited."""
    why: str
    """One line."""


def outcome_of(verdict: Verdict, saved: Regression) -> Outcome:
    """Say what the verdict of an audit at this failure alone means for it.

    Side of the error: a failure whose size was not recorded, or whose audit measured something else, is never fixed by
    draws.
    """
    says, why = _said(verdict.status, verdict.leading, saved)
    return Outcome(claim=saved.claim, file=saved.file, says=says, why=why or verdict.reason)


def _said(status: Status, found: Evidence | None, saved: Regression) -> tuple[Says, str]:
    if found is None or status in (Status.ERROR, Status.UNSUPPORTED):
        return "error", ""
    label = found.measure.label()
    if status is Status.REFUTED:
        return "FAILED", f"{label} >= {number(found.bound, 4)}, claimed {number(found.measure.claimed)}"
    if (
        found.confidence is None
        and found.detectable is None
        and found.bound + (found.error or 0.0) <= found.measure.claimed
    ):
        return "FIXED", f"exact: {label} = {number(found.bound, 4)} here, claimed {number(found.measure.claimed)}"
    if saved.bound is None or saved.measure != label:
        return "not seen", f"how large the recorded violation was is not known ({label} was measured now)"
    seen = found.detectable is not None and found.detectable <= saved.bound and found.detectable < math.inf
    if status is Status.NOT_REFUTED and seen:
        able = number(found.detectable, 4)
        return "FIXED", f"{label} = {able} would have been detected with 80 % power; recorded {number(saved.bound, 4)}"
    able = "nothing" if found.detectable is None else f"{label} = {number(found.detectable, 4)}"
    return "not seen", f"would have detected {able} with 80 % power; recorded {number(saved.bound, 4)}"


WIDTH = 80


def outcome_line(found: Outcome) -> str:
    """Say what became of one failure."""
    told = f" ({found.file})" if found.file else ""
    text = visible(f"{found.says:<8}  {found.claim}: {found.why}{told}")
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * 10, break_long_words=False, break_on_hyphens=False)


def total_line(found: Sequence[Outcome], where: Path) -> str:
    """Say how many there are of each kind."""
    counted = Counter(each.says for each in found)
    if not found:
        return f"No failures are recorded in {where}."
    return f"{len(found)} saved failures: {', '.join(f'{count} {says}' for says, count in sorted(counted.items()))}."


def outcome_values(found: Outcome) -> dict[str, Any]:
    """Return ``{"claim", "file", "says", "why"}``."""
    return {"claim": found.claim, "file": found.file, "says": found.says, "why": found.why}
