"""A remark as the record stores it: its text, its computed numbers, and whether they support it."""

from __future__ import annotations

from typing import Any

from dpverify.core.errors import one_line
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.runner.record import plain
from dpverify.runner.thread_limits import one_thread

DECIDED = ("refuted", "certified", "not_refuted")
"""Verdicts beside which a remark can stand."""


def remark_record(registry: Registry, claim_id: str, verdict: str) -> dict[str, Any] | None:
    """The remark of a decided claim, computed now; None where there is none, or nothing was decided.

    A computation that fails shows nothing, and says so.
    """
    if verdict not in DECIDED or claim_id not in registry.remarks:
        return None
    remark = registry.remarks.get(claim_id)
    words = {"breaks": remark.breaks, "means": remark.means, "instead": remark.instead}
    try:
        with one_thread():
            shown = remark.shown()
    except Exception as problem:  # noqa: BLE001 - a remark decides nothing, so nothing that it does stops a ledger
        return {
            **words,
            "numbers": [],
            "holds": False,
            "problem": f"{type(problem).__name__}: {one_line(str(problem))}",
        }
    numbers = [{"label": label, "value": plain(float(value))} for label, value in shown.numbers]
    return {**words, "numbers": numbers, "holds": bool(shown.holds)}


def with_current_names(registry: Registry, claim_id: str, kept: Record) -> Record:
    """A kept remark whose words were polished since, while its code (hence its numbers) stayed: in the new words."""
    if not (said := kept.get("remark")) or claim_id not in registry.remarks:
        return kept
    remark = registry.remarks.get(claim_id)
    words = {"breaks": remark.breaks, "means": remark.means, "instead": remark.instead}
    return {**kept, "remark": {**said, **words}}
