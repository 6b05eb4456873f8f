"""Looks for what is wrong with the entries of a suite file before any draw: imports, claims, data, settings.

Modules are imported in a watched process: one that exits or hangs is one line, and the other entries are looked at.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from dpverify.adapters.time_limit import Interrupted, OutOfTimeError, TimeLimit
from dpverify.assertion import key_of
from dpverify.audits.asked import Asked
from dpverify.audits.settle import settle
from dpverify.code_key.key import CodeKey
from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.subjects import Guarantee
from dpverify.core.watchdog_page import handle_ctrl_c_here
from dpverify.neighbourhood.redact import without_records
from dpverify.runner.watched_process import WatchedProcess
from dpverify.suite_file.audit_entry import arguments, importing, mechanism_of
from dpverify.suite_file.entry import Entry
from dpverify.suite_file.faults import DATA
from dpverify.suite_file.read import SuiteFileError

LONGEST = 120.0
"""Seconds in which a module must be imported and its entry be looked at."""

_SETTINGS = ("bounds", "unit", "domain", "relation", "record", "call", "on-error", "parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedEntry:
    """An entry in which nothing is wrong."""

    guarantee: Guarantee
    """Its claim."""
    relation: str
    """Under which its neighbours are made."""
    code: CodeKey
    """Of its code, data and settings; of nothing where keys are not asked for."""


def check(entries: Sequence[tuple[Entry, Asked]], *, definitions: Any, keys: bool = False) -> list[CheckedEntry]:
    """Return the entries, each checked.

    Parameters
    ----------
    entries : sequence of (Entry, Asked)
        With all that is asked of each.
    definitions : mapping
        What may be claimed, by name.
    keys : bool
        Whether each mechanism is called twice, for the key of its code.

    Raises
    ------
    SuiteFileError
        With one line for each entry in which something is wrong.
    """
    from dpverify.definitions.grammar import parse_guarantee

    found = _watched(entries, definitions, keys)
    wrong = [str(each["problem"]) for each in found if "problem" in each]
    if wrong:
        raise SuiteFileError(wrong)
    return [
        CheckedEntry(
            guarantee=parse_guarantee(entry.claim, definitions),
            relation=str(each["relation"]),
            code=CodeKey(str(each["key"]), str(each["unknown"])),
        )
        for (entry, _), each in zip(entries, found, strict=True)
    ]


def _watched(entries: Sequence[tuple[Entry, Asked]], definitions: Any, keys: bool) -> list[dict[str, str]]:
    """Look at all entries in one process; where that dies, at each in a process of its own."""
    try:
        return list(WatchedProcess(lambda: [_looked_at(*each, definitions, keys) for each in entries]).result())
    except DpverifyError as problem:
        if len(entries) == 1:
            return [{"problem": _line(entries[0][0], "mechanism", f"importing {entries[0][0].mechanism}: {problem}")}]
        return [found for each in entries for found in _watched([each], definitions, keys)]


def _looked_at(entry: Entry, asked: Asked, definitions: Any, keys: bool) -> dict[str, str]:
    from dpverify.definitions.grammar import parse_guarantee

    key = "command" if entry.program else "mechanism"  # the one that is looked at
    try:
        with TimeLimit(seconds=LONGEST), importing(entry):
            with handle_ctrl_c_here(f"importing {entry.mechanism}", Interrupted):
                mechanism = mechanism_of(entry)
            key = "claim"
            parse_guarantee(entry.claim, definitions)
            key = "data"
            question = asked.question(mechanism, **arguments(entry))
            key = ""
            settled = settle(question)
        (unit,) = settled.plan.units
        if not unit.auditors:
            raise InputError("; ".join(unit.refusals), allowed="a claim of privacy")
        with importing(entry):
            code = key_of(question, _judged_by(entry, asked)) if keys else CodeKey("")
        return {"relation": settled.place.relation, "key": code.text, "unknown": code.unknown}
    except OutOfTimeError:
        return {"problem": _line(entry, key, f"importing it and looking at it took longer than {LONGEST:g} s")}
    except DpverifyError as problem:
        said = without_records(str(problem), entry.typed_data())
        return {"problem": _line(entry, _named_in(said, entry) or key, said)}


def _judged_by(entry: Entry, asked: Asked) -> tuple[Any, ...]:
    """Return what makes a failure or a pass of the same numbers: rows are kept as they were judged."""
    accept = entry.accept
    accepted = None if accept is None else (accept.verdict, accept.reason, accept.until.isoformat())
    return bool(asked.strict), entry.expect, accepted


def settings_of(entry: Entry, asked: Asked) -> dict[str, str]:
    """Digests of what the entry says and what is asked of it, but for data, to tell which of it has changed."""
    found: dict[str, Any] = {each.name: getattr(asked, each.name) for each in fields(asked)}
    found |= {"mechanism": entry.mechanism, "claim": entry.claim, "parameters": dict(entry.parameters), **entry.words}
    found |= {"strict": bool(asked.strict), "expect": entry.expect, "accept": entry.accept}
    return {
        name: hashlib.sha256(repr(value).encode()).hexdigest()[:16] for name, value in found.items() if name not in DATA
    }


def _named_in(problem: str, entry: Entry) -> str:
    """The setting of the entry that the text speaks of; empty where it speaks of none."""
    said = (key for key in _SETTINGS if key in entry.key_lines and re.search(rf"\b{key}", problem))
    return next(said, "")


def _line(entry: Entry, key: str, problem: str) -> str:
    line = entry.key_lines.get(key, entry.line)
    return f"{entry.file.name}:{line}: the audit {entry.name!r}: {one_line(problem)}"
