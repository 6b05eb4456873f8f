"""Reads a suite file: TOML in, entries out, and every fault with the file, its line, and how to mend it.

Nothing is imported and no data file is opened here (`dpverify.suite_file.check` does that).
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.audits.asked import Asked
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import read_text
from dpverify.core.toml_file import Place, TomlLines
from dpverify.suite_file.entry import Accepted, Entry, SuiteFile
from dpverify.suite_file.faults import DATA, Fault, faults
from dpverify.suite_file.find import NAME, SHARED, find

LARGEST = 4_000_000
"""Bytes of a suite file."""

SCHEMA_VERSION = 1
"""The version of the file's form; a file that does not say ``schema`` is of the first."""

OLD_SECONDS = "max-seconds"
"""The older name of the key ``seconds``."""

_ASKED = {"profile", "seed", "false-alarm-rate", "seconds", "detect", "trials", "strict"}
_WORDS = {
    "record": "records",
    "bounds": "bounds",
    "unit": "unit",
    "domain": "domain",
    "relation": "relation",
    "call": "call",
    "on-error": "on_error",
    "max-seconds-per-call": "max_seconds_per_call",
}
"""Keys of an entry, by the argument of ``dpverify.audit`` that they are."""


class SuiteFileError(InputError):
    """All faults of a suite file, one line each."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        Exception.__init__(self, "\n".join(lines))


def read(path: Path) -> SuiteFile:
    """The suite file at `path`.

    Raises
    ------
    SuiteFileError
        With one line for each fault.
    """
    path = path.resolve()
    try:
        text = read_text(path, largest=LARGEST)
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise SuiteFileError([f"no file {path.name}; allowed: a suite file, {NAME} or {SHARED}"]) from None
    except (OSError, ValueError, RecursionError) as problem:
        raise SuiteFileError([_unreadable(path, problem)]) from None
    above: Place = ()
    if path.name == SHARED:
        above = ("tool", "dpverify")
        found = content.get("tool", {})
        content = found.get("dpverify", {}) if isinstance(found, dict) else {}
        if not isinstance(content, dict):
            raise SuiteFileError([f"{path.name}: tool.dpverify is no table; allowed: [tool.dpverify]"])
    lines = TomlLines.of(text)

    def line(place: Place) -> int:
        return lines.line((*above, *place))

    version = content.get("schema")
    if isinstance(version, int) and version > SCHEMA_VERSION:  # what its keys mean is not known here
        what = f"schema = {version}"
        newer = Fault(place=("schema",), what=what, allowed=f"{SCHEMA_VERSION} at most", remedy="update dpverify")
        raise SuiteFileError([_told(path, line(newer.place), newer)])
    wrong = [*faults(content)] or [*_contradictions(content)]
    if wrong:
        raise SuiteFileError([_told(path, line(each.place), each) for each in wrong])
    folders = tuple(path.parent / each for each in (".", *content.get("python-path", ())))
    entries = tuple(
        replace(
            _entry(table, file=path, line=line(("audit", index)), folders=folders),
            key_lines={key: line(("audit", index, key)) for key in table},
        )
        for index, table in enumerate(content["audit"])
    )
    old = next((table for table in (content, *content["audit"]) if OLD_SECONDS in table), None)
    told = "" if old is None else f"{path.name}: {OLD_SECONDS} is called seconds now, and means the same"
    return SuiteFile(path=path, asked=_asked(content), entries=entries, told=told)


def _entry(table: Mapping[str, Any], *, file: Path, line: int, folders: tuple[Path, ...]) -> Entry:
    words = {argument: table[key] for key, argument in _WORDS.items() if key in table}
    words |= {key: table[key] for key in DATA if key in table}
    accept = table.get("accept")
    return Entry(
        name=_name(table),
        mechanism=table.get("mechanism") or table["command"],
        program=table.get("outputs", "json") if "command" in table else "",
        claim=table["claim"],
        file=file,
        line=line,
        asked=_asked(table),
        words=words,
        parameters=table.get("parameters", {}),
        python_path=folders,
        expect=table.get("expect", "stands"),
        accept=None if accept is None else Accepted(**{**accept, "until": _date(accept["until"])}),
    )


def _asked(table: Mapping[str, Any]) -> Asked:
    table = {"seconds": table.get(OLD_SECONDS), **table}
    return Asked(**{key.replace("-", "_"): table[key] for key in _ASKED if key in table})


def _name(table: Mapping[str, Any]) -> str:
    """Return an entry's own name, or its callable's; empty for a program without one."""
    return str(table.get("name") or re.split("[:.]", re.sub(r"\(.*\)", "", table.get("mechanism", "")))[-1])


def _date(value: datetime.date | str) -> datetime.date:
    return datetime.date.fromisoformat(value) if isinstance(value, str) else value


def _contradictions(content: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults that no single key shows."""
    names: dict[str, int] = {}
    for above, table in [((), content), *((("audit", index), each) for index, each in enumerate(content["audit"]))]:
        if {"seconds", OLD_SECONDS} <= {*table}:
            yield Fault(
                place=(*above, OLD_SECONDS), what=f"seconds and {OLD_SECONDS}, its older name", allowed="seconds alone"
            )
    for index, table in enumerate(content["audit"]):
        place: Place = ("audit", index)
        name = _name(table)
        if name and name in names:
            yield Fault(
                place=(*place, "name"),
                what=f"two audits are called {name!r}, the {_nth(names[name])} and the {_nth(index)}",
                allowed="a name of its own for each",
                remedy="give one of them another `name`",
            )
        names.setdefault(name, index)
        yield from _mechanism_fault(table, name or _nth(index), place)
        given = [key for key in DATA if key in table]
        if given not in (["data"], ["d0", "d1"]):
            yield Fault(
                place=place,
                what=f"the audit {name!r} has {' and '.join(given) or 'no data'}",
                allowed="data, one example data set; or a pair, d0 and d1",
            )
        if table.get("expect") == "broken" and "accept" in table:
            yield Fault(
                place=(*place, "accept"),
                what=f'the audit {name!r} has accept and expect = "broken"',
                allowed="expect, for what must be refuted; or accept, for a failure that is to be mended",
                remedy="delete one of them",
            )
        if isinstance(table.get("bounds"), list | dict):
            yield from _bounds_fault(table["bounds"], (*place, "bounds"))


def _mechanism_fault(table: Mapping[str, Any], name: str, place: Place) -> Iterator[Fault]:
    """Faults of an audit of neither a callable nor a program, or of both."""
    given = [key for key in ("mechanism", "command") if key in table]
    if len(given) != 1:
        yield Fault(
            place=place,
            what=f"the audit {name!r} has {' and '.join(given)}" if given else "[[audit]] without mechanism",
            allowed="mechanism, PACKAGE.MODULE:CALLABLE; or command, a program",
        )
        return
    program = given == ["command"]
    if program and "name" not in table:
        yield Fault(place=place, what=f"a command without a name: {table['command']!r}", allowed='name = "noisy_sum"')
    for key in ("parameters", "call") if program else ("outputs",):
        if key in table:
            told = "a command, whose text says how it is started" if program else "a callable"
            yield Fault(place=(*place, key), what=f"{key} with {told}", allowed=f"{key} with a {_OTHER[program]}")


_OTHER = {True: "mechanism", False: "command"}


def _bounds_fault(bounds: Any, place: Place) -> Iterator[Fault]:
    """A fault where bounds are no pair of numbers, and no table of such pairs."""
    for pair in bounds.values() if isinstance(bounds, dict) else (bounds,):
        numbers = isinstance(pair, list) and [type(each) in (int, float) for each in pair] == [True, True]
        if not numbers or not pair[0] <= pair[1]:
            allowed = "[low, high], or a table of columns such as { age = [0, 120] }"
            yield Fault(place=place, what=f"bounds = {bounds!r}", allowed=allowed)
            return


def _nth(index: int) -> str:
    return f"{index + 1}{'th' if index % 100 in (10, 11, 12) else {0: 'st', 1: 'nd', 2: 'rd'}.get(index % 10, 'th')}"


def _told(path: Path, line: int, fault: Fault) -> str:
    parts = (fault.what, f"allowed: {fault.allowed}", fault.remedy)
    return f"{path.name}:{line}: {one_line('; '.join(part for part in parts if part))}"


def _unreadable(path: Path, problem: Exception) -> str:
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", str(problem))
    at = f":{found[1]}" if found and found[1] else ""
    said = str(problem)[: found.start()].strip() if found and found[1] else str(problem)
    return f"{path.name}{at}: {one_line(said) or type(problem).__name__}; allowed: a text file in TOML"


def declared() -> dict[str, tuple[Entry, Asked]]:
    """Return by name each audit with all that is asked of it; empty where there is no suite file.

    SuiteFileError for a suite file with faults.
    """
    try:
        path = find(Path.cwd())
    except InputError:
        return {}
    suite = read(path)
    return {entry.name: (entry, entry.asked.over(suite.asked)) for entry in suite.entries}
