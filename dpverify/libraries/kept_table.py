"""What a folder keeps of a table: ``NAME.json``, its records, and ``NAME.about.json``, what stands around them.

A page is made of both, without the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpverify.adapters.libraries.offered import NotExamined
from dpverify.core.errors import InputError, one_line
from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.record import Record
from dpverify.libraries.beside import Beside
from dpverify.libraries.session import LibraryResult, LibrarySession, without_pictures
from dpverify.runner.atomic_files import write_atomically


def write_table(table: LibraryResult, folder: Path) -> None:
    """Write both files, each whole."""
    name = table.session.library
    write_atomically(folder / f"{name}.json", dump([without_pictures(each) for each in table.records]))
    write_atomically(folder / f"{name}.about.json", dump(about_of(table)))


def read_table(folder: Path, name: str) -> LibraryResult:
    """The table of a library in a folder; without ``NAME.json``, one without records.

    Raises
    ------
    InputError
        Where the files are not there or are something else.
    """
    about, records = folder / f"{name}.about.json", folder / f"{name}.json"
    try:
        found = parse_json(read_text(about))
        return _table(found, parse_json(read_text(records)) if records.exists() else [])
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise InputError(
            f"{about}: {one_line(str(problem))}",
            allowed=f"the table of {name} as `dpverify audit-library --out` writes it",
        ) from problem


def about_of(table: LibraryResult) -> dict[str, Any]:
    """Return the plain values that stand around the records."""
    return {
        "session": asdict(table.session),
        "constructors": list(table.constructors),
        "not_examined": [asdict(each) for each in table.not_examined],
        "aside": [asdict(each) for each in table.aside],
        "recorded": table.recorded,
        "accounts": [each.record() for each in table.accounts],
    }


def _table(about: Mapping[str, Any], records: list[Record]) -> LibraryResult:
    return LibraryResult(
        session=LibrarySession(**about["session"]),
        records=tuple(records),
        not_examined=tuple(NotExamined(**each) for each in about["not_examined"]),
        aside=tuple(NotExamined(**each) for each in about["aside"]),
        constructors=tuple(about["constructors"]),
        seconds=sum(each["seconds"] for each in records),
        recorded=about["recorded"],
        accounts=tuple(Beside(**each) for each in about["accounts"]),
    )
