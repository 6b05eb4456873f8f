"""Which fields the entries of a ``claims.toml`` have (`dpverify.ledger.claims_file`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dpverify.core.errors import InputError

_CLAIM = {
    "id": str,
    "like": str,
    "guarantee": (str, dict),
    "relation": str,
    "subject": str,
    "parameters": dict,
    "space": dict,
    "paper": str,
    "locus": str,
    "repairs": str,
    "statement": str,
    "streams": str,
    "suites": list,
    "profile": str,
    "noise_deficit": str,
    "reading": dict,
    "remark": dict,
}
_FIELDS: dict[str, dict[str, Any]] = {
    "file": {"paper": dict, "lemmas": dict, "row": list, "entry": list, "figure": list},
    "paper": {"name": str, "title": str, "place": int},
    "row": {"id": str, "paper": str, "locus": str, "relation": str, "says": str, "claim": list},
    "claim": _CLAIM,
    "entry": {**_CLAIM, "expectation": str},
    "reading": {
        "text": str,
        "guarantee": (str, dict),
        "relation": str,
        "subject": str,
        "parameters": dict,
        "space": dict,
        "profile": str,
    },
    "remark": {"like": str, "breaks": str, "means": str, "instead": str, "shown": str, "with": dict},
    "figure": {
        "id": str,
        "title": str,
        "claims": list,
        "x": str,
        "y": str,
        "curves": str,
        "note": str,
        "log_x": bool,
        "log_y": bool,
        "level": float,
    },
}
_NEEDED = {
    "file": (),
    "paper": ("name", "title", "place"),
    "row": ("id", "locus", "relation", "says"),
    "claim": ("statement",),
    "entry": ("id", "statement"),
    "reading": (),
    "remark": (),
    "figure": ("id", "title", "claims", "x", "y", "curves", "note"),
}
_EMPTY = ("streams", "with", "parameters", "space", "reading", "remark", "claim")
"""Fields that may be empty."""
_WORD = re.compile(r"[A-Za-z0-9][\w.+-]*")


def check_fields(kind: str, table: Any) -> None:
    """InputError unless a table has only fields that a `kind` of entry knows, of their types, and all that it needs."""
    known = _FIELDS[kind]
    if not isinstance(table, dict):
        raise InputError(f"{kind} = {table!r}", allowed=f"a table of {', '.join(known)}")
    for name, value in table.items():
        if name not in known:
            raise InputError(f"unknown field {name!r} of {_a(kind)}", allowed=", ".join(known))
        if not isinstance(value, known[name]) or (isinstance(value, bool) and known[name] is not bool):
            raise InputError(f"{name} = {value!r} of {_a(kind)}", allowed=f"a {_told(known[name])}")
        if value in ("", [], {}) and name not in _EMPTY:
            raise InputError(f"{name} = {value!r} of {_a(kind)}", allowed="something, or to leave the field out")
        if name == "id":
            check_word(f"{name} = {value!r} of {_a(kind)}", value)
    check_whole(kind, table, _NEEDED[kind])


def check_whole(kind: str, table: dict[str, Any], needed: Sequence[str]) -> None:
    """InputError unless a table has all that it needs."""
    missing = [name for name in needed if name not in table]
    if missing:
        raise InputError(f"{_a(kind)} without {missing[0]!r}", allowed=f"{_a(kind)} with {', '.join(needed)}")


def remarks(claim: dict[str, Any]) -> dict[str, Any]:
    """The remarks beside a claim, by the keys of readings that they stand beside; one without a key by ""."""
    found: Any = claim.get("remark", {})
    keyed = not isinstance(found, dict) or all(isinstance(each, dict) for each in found.values())
    return found if keyed else {"": found}


def check_word(what: str, word: str) -> None:
    """InputError that says `what` unless a name or key is one word."""
    if not _WORD.fullmatch(word):
        raise InputError(what, allowed="letters, digits, . + and -, without blanks")


def _told(kind: Any) -> str:
    words = {str: "string", dict: "table", list: "list", int: "whole number", bool: "truth value", float: "float"}
    return " or a ".join(words[each] for each in (kind if isinstance(kind, tuple) else (kind,)))


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "entry" else f"a {kind}"
