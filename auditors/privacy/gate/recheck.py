"""Computes the gate's bound again: by the step that decided, at the error probability that was its share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auditors.privacy.recorded_statistics import entry, items, real, within
from auditors.privacy.replay.auditor import ReplayAuditor
from dpverify.core.auditing import Rechecks
from dpverify.core.evidence import Evidence
from dpverify.core.recheck import Again, LackingError
from dpverify.core.subjects import Guarantee

UNPAID = ("search", "closer look", "second look")
"""Steps on which no verdict rests."""


def recheck_step(guarantee: Guarantee, evidence: Evidence, steps: Mapping[str, Any]) -> Again:
    """The bound of the deciding step; the error probability is that of the whole audit.

    Records of version 1 have the step's own error probability instead.

    Raises
    ------
    LackingError
        When no step drew enough to decide anything.
    ContradictionError
        When the steps spend more than the whole.
    """
    said = evidence.statistics
    auditor = steps.get(said.get("step", ""))
    taken = items(said, "steps")
    if auditor is None or all(entry(step, "step") != said["step"] for step in taken):
        raise LackingError("no step of the gate counted anything: its command makes it again")
    level = real(next(step for step in taken if entry(step, "step") == said["step"]), "level")
    if isinstance(auditor, ReplayAuditor):
        auditor = replace(auditor, level=level)
    assert isinstance(auditor, Rechecks)
    again = auditor.recheck(guarantee, evidence)
    if evidence.version.startswith("1+"):
        return again
    whole = real(said, "level")
    within("the counts", again.alpha, level)
    within("the steps", sum(real(step, "level") for step in taken if entry(step, "step") not in UNPAID), whole)
    return replace(again, alpha=whole)
