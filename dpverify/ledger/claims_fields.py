"""Which fields the entries of a ``claims.toml`` have (`dpverify.ledger.claims_file`), and in which lines they begin."""

from __future__ import annotations

import re
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
    "statement": str,
    "streams": str,
    "suites": list,
    "profile": str,
    "noise_deficit": str,
    "reading": list,
    "remark": list,
}
_FIELDS: dict[str, dict[str, Any]] = {
    "file": {"paper": dict, "row": list, "entry": list},
    "paper": {"name": str, "title": str, "place": int},
    "row": {"id": str, "paper": str, "locus": str, "relation": str, "says": str, "claim": list},
    "claim": _CLAIM,
    "entry": {**_CLAIM, "expectation": str, "source": dict},
    "reading": {
        "key": str,
        "text": str,
        "guarantee": (str, dict),
        "relation": str,
        "subject": str,
        "parameters": dict,
        "space": dict,
        "profile": str,
    },
    "remark": {"reading": str, "breaks": str, "means": str, "instead": str, "shown": str, "with": dict},
}
_NEEDED = {
    "file": (),
    "paper": ("name", "title", "place"),
    "row": ("id", "locus", "relation", "says"),
    "claim": ("statement",),
    "entry": ("id", "statement"),
    "reading": ("key", "text"),
    "remark": ("breaks", "means", "instead", "shown"),
}
_HEADER = re.compile(r"^\s*\[\[\s*([\w.]+)\s*\]\]", re.MULTILINE)
_STRINGS = re.compile(r'"""(?:[^"\\]++|\\.|"(?!""))*+"""' + r"|'''(?:[^']++|'(?!''))*+'''", re.DOTALL)


def header_lines(text: str) -> dict[str, list[int]]:
    """Line numbers of the ``[[header]]`` lines, by header, in the file's order."""
    plain = _STRINGS.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines: dict[str, list[int]] = {}
    for header in _HEADER.finditer(plain):
        lines.setdefault(header[1], []).append(plain.count("\n", 0, header.start(1)) + 1)
    return lines


def check_fields(kind: str, table: Any) -> None:
    """InputError unless a table has only fields that a `kind` of entry knows, of their types, and all that it needs."""
    known = _FIELDS[kind]
    if not isinstance(table, dict):
        raise InputError(f"{kind} = {table!r}", allowed=f"a table of {', '.join(known)}")
    for name, value in table.items():
        if name not in known:
            raise InputError(f"unknown field {name!r} of {_a(kind)}", allowed=", ".join(known))
        if not isinstance(value, known[name]):
            raise InputError(f"{name} = {value!r} of {_a(kind)}", allowed=f"a {_told(known[name])}")
    missing = [name for name in _NEEDED[kind] if name not in table]
    if missing:
        raise InputError(f"{_a(kind)} without {missing[0]!r}", allowed=f"{_a(kind)} with {', '.join(_NEEDED[kind])}")


def _told(kind: Any) -> str:
    words = {str: "string", dict: "table", list: "list", int: "whole number"}
    return " or a ".join(words[each] for each in (kind if isinstance(kind, tuple) else (kind,)))


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "entry" else f"a {kind}"
