"""Prepares one more session: gives a unit's sequential auditor the value to detect and the file of earlier sessions.

The file is opened here (`dpverify.runner.evidence_file`), so that a file of another audit is refused before the first
draw. Other auditors of the unit stay unchanged.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.code_key.key import CodeKey
from dpverify.core.errors import InputError
from dpverify.core.subjects import Pair
from dpverify.runner.evidence_file import EvidenceFile, Hide
from dpverify.runner.plan import Unit
from dpverify.runner.session import BettingSession, Identity


def with_session(
    unit: Unit,
    *,
    detect: float | None,
    file: Path | str | None,
    pair: Pair,
    confidence: float,
    reproducible: bool,
    code: CodeKey | None = None,
    hide: Hide = dict,
) -> Unit:
    """The unit, with a sequential auditor that has the value to detect and the file of earlier sessions.

    `detect` is a factor of the claim's headline value; `hide` takes out of a witness what no file may hold. Where
    nothing tells what `code` is, the file is left alone.

    InputError for a file of another audit, a factor that is not above 1, or a claimed value of 0.
    """
    claim, task = unit.entry.claim, unit.task
    head = claim.guarantee.measures()[0]
    if detect is not None and not 1.0 < detect < math.inf:
        raise InputError(f"detect = {detect:g} times the claimed value", allowed="a finite number above 1, such as 1.5")
    if detect is not None and not head.claimed > 0:
        raise InputError(
            f"detect = {detect:g} times the claimed {head.label()} = {head.claimed:g}",
            allowed="a claimed value above 0",
            remedy="leave it out: the audit stops when the claim is refuted, or at its trials",
        )
    sought = None if detect is None else detect * head.claimed

    def told(auditor: Any) -> Any:
        if not getattr(auditor, "by_request", False) or not hasattr(auditor, "journal"):
            return auditor
        journal = None
        if file is not None and not (code is not None and code.unknown):
            identity = Identity.of(
                claim=claim.guarantee.text(),
                relation=claim.relation,
                mechanism=claim.id,
                pair=pair,
                method=f"{auditor.name} {auditor.version}",
                code="" if code is None else code.text,
            )
            asked = BettingSession(seed=task.seed, trials=task.trials, confidence=confidence)
            journal = EvidenceFile.open(file, identity, asked=asked, reproducible=reproducible, hide=hide)
        return replace(auditor, detect=sought, journal=journal)

    return replace(unit, auditors=tuple(told(auditor) for auditor in unit.auditors))
