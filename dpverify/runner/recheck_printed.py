"""Evidence as a record prints it, and the command that it names: a stranger's text, read as data."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence, Measure


def printed_evidence(claim: str, part: Mapping[str, Any]) -> Evidence:
    """Evidence from a record; InputError where it is malformed."""
    try:
        measure = Measure(
            kind=part["measure"]["kind"],
            argument=_number(part["measure"]["argument"], "argument"),
            claimed=_number(part["measure"]["claimed"], "claimed"),
        )
        return Evidence(
            claim=claim,
            auditor=part["auditor"],
            version=part["version"],
            measure=measure,
            bound=_number(part["bound"], "bound"),
            excess=_number(part["excess"], "excess"),
            confidence=_optional(part, "confidence"),
            error=_optional(part, "error"),
            proved=part.get("proved") is True,
            coverage=part["coverage"],
            estimate=_optional(part, "estimate"),
            detectable=_optional(part, "detectable"),
            ceiling=_optional(part, "ceiling"),
            trials=part["trials"],
            statistics=part["statistics"],
            witness=part["witness"],
        )
    except InputError as problem:
        raise InputError(f"evidence of {claim}: {problem.what}", allowed=problem.allowed) from None


def _number(value: Any, name: str) -> float:
    if value in ("inf", "-inf"):
        return float(value)
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} = {str(value)[:40]!r}", allowed="a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{name} of {len(str(value))} digits", allowed="a number of double precision") from None


def _optional(part: Mapping[str, Any], name: str) -> float | None:
    return None if part.get(name) is None else _number(part[name], name)


def command(text: str) -> str:
    """The command with every word quoted, so that a shell runs one command; empty where it is no dpverify command."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return shlex.join(words) if words[:1] == ["dpverify"] else ""
