"""Evidence as a record prints it, and the command that it names: a stranger's text, read as data.

A row is held against its own command: claim, relation and seed must be those that it types. The subject is not: an
instance, a partial or a lambda is called by another name than the one that it is found by. Whoever changes one of the
two changes one fact in one place; a changed record then contradicts itself. That both were changed alike is not seen.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.record import Record
from dpverify.core.subjects import Guarantee


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


SEEDED = ("audit", "run")
"""Commands whose seed is 0 unless they say another."""


def command_faults(record: Record, typed: str, *, read: Callable[[str], Guarantee]) -> list[str]:
    """Lines on what the row says and its command says otherwise; `typed` is the command, or empty where it has none."""
    words = shlex.split(typed)
    if len(words) < 3 or words[1] not in SEEDED:
        return []
    given = _options(words)
    found = []
    seed = given.get("--seed", "0")
    if seed.isdigit() and int(seed) != record["seed"]:
        found.append(f"seed is printed as {record['seed']}, and the command says {seed}")
    if words[1] == "run":
        only = given.get("--only")
        if only is not None and not any(sign in only for sign in "*?[") and only != record["id"]:
            found.append(f"the row is {record['id']}, and its command makes {only}")
        return found
    methods = given.get("--method", "").replace(" ", "").split(",")
    found += [
        f"there is evidence of {part['auditor']}, and the command asks for {', '.join(methods)}"
        for part in record.get("evidence", ())
        if any(methods) and part["auditor"] not in methods
    ]
    relation = given.get("--relation")
    if relation is not None and record["relation"].partition(" by ")[0] != relation.partition(" by ")[0]:
        found.append(f"relation is printed as {record['relation']}, and the command says {relation}")
    claim = given.get("--claim")
    if claim is not None and (said := _text(claim, read)) and said != record["guarantee"]:
        found.append(f"the claim is printed as {record['guarantee']}, and the command says {claim}")
    return found


def _text(claim: str, read: Callable[[str], Guarantee]) -> str:
    try:
        return read(claim).text()
    except DpverifyError:
        return ""


def _options(words: list[str]) -> dict[str, str]:
    """Options with a value, as ``--name value`` or ``--name=value``."""
    found = {}
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--"):
            name, given, value = word.partition("=")
            found[name] = value if given else after
    return found
