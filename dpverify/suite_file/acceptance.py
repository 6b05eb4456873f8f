"""Failures that a suite file accepts: until when, why, and what their author should know.

The same for `dpverify run` and for pytest.
"""

from __future__ import annotations

import datetime
from functools import partial
from typing import Any

from dpverify.audits.judges import Known
from dpverify.core.verdict import Status
from dpverify.suite_file.entry import Entry


def known_of(entry: Entry, *, strict: bool, today: datetime.date) -> Known:
    """Return the facts that the judges know of an audit by its entry."""
    return Known(strict=strict, expect=entry.expect, acceptance=partial(acceptance, entry, today=today))


def acceptance(entry: Entry, status: Status, *, today: datetime.date) -> tuple[str, str]:
    """Why a verdict is accepted, and what the author of the file should know; each empty where there is nothing."""
    accept, where = entry.accept, f"{entry.file.name}:{entry.line}"
    if accept is None:
        return "", ""
    until = f"until {accept.until.isoformat()}"
    if str(status) == accept.verdict and today <= accept.until:
        return f"accepted {until}: {accept.reason}", ""
    if str(status) == accept.verdict:
        return "", (
            f"{entry.name} was accepted as {accept.verdict} {until} ({accept.reason}), and that day is over: mend the "
            f"mechanism, or accept it anew with a later day ({where})"
        )
    if status in (Status.NOT_REFUTED, Status.CERTIFIED):
        return "", f"{entry.name} is accepted as {accept.verdict}, and is not any more: delete its `accept` ({where})"
    return "", ""


def accepted_record(entry: Entry) -> dict[str, Any]:
    """The field of a record of which the failure is accepted."""
    accept = entry.accept
    return {} if accept is None else {"accepted": {"until": accept.until.isoformat(), "reason": accept.reason}}
