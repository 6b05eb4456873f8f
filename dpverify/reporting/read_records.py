"""Records read back: from a report's JSON, a folder of it, or a run's store. Data only, and looked at before use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import open_regular, parse_json, read_text
from dpverify.core.record import Record
from dpverify.reporting.schema_check import schema_fault
from dpverify.runner.record import SCHEMA_VERSION
from dpverify.runner.store.schema import DamagedError, StoreError
from dpverify.runner.store.store import NAME, Store

RESULTS = "results.json"
LARGEST = 2**30
"""Largest file that is read, in bytes."""

OTHERS = (".about.json", "summary.json")
"""Files that are no records: what a table says of its library as a whole; the head of a run."""


def read_records(path: Path, *, run: int | None = None) -> list[Record]:
    """The records at a path: a JSON file with one or an array of them, a store, or a folder.

    From a folder, ``results.json`` is read, else its store, else each JSON file. From a store, the newest run with
    records is read, or number `run`.

    Raises
    ------
    InputError
        When there is nothing to read, or a file is no record of this version.
    StoreError
        When the checksum of a row in a store differs.
    """
    if path.is_dir():
        whole, store = path / RESULTS, path / NAME
        if whole.is_file() and run is None:
            return read_records(whole)
        if store.is_file():
            return _of_store(store, run)
        if run is None and (each := [file for file in sorted(path.glob("*.json")) if not file.name.endswith(OTHERS)]):
            return [record for one in each for record in read_records(one)]
        raise InputError(f"nothing to read in {path}", allowed=f"a folder with {RESULTS}, {NAME} or records")
    if not path.exists():
        raise InputError(f"no file or folder {path}", allowed="a folder of reports, a record, or a store")
    if _is_store(path):
        return _of_store(path, run)
    if run is not None:
        raise InputError(f"--run {run} of {path}", allowed="a store, which has several runs", remedy="leave --run out")
    return records_of_schema(_loaded(path), str(path))


def _of_store(path: Path, run: int | None) -> list[Record]:
    try:
        with Store(path, reading=True) as store:
            runs = store.runs()
            known = [each.number for each in runs]
            if run is not None and run not in known:
                raise InputError(f"run {run} of {path}", allowed=", ".join(map(str, known)) or "no run is there")
            tried = [run] if run is not None else known[::-1]
            found = next((records for each in tried if (records := store.records(each))), None)
    except DamagedError:  # not bad input: the answer is that these records are unreliable
        raise
    except (StoreError, RecursionError) as problem:
        raise InputError(
            f"{path} is no store: {one_line(str(problem))[:200]}", allowed="one that `dpverify run` made"
        ) from None
    if found is None:
        raise InputError(f"no finished claim in {path}", allowed="a store with a record", remedy="let the run finish")
    return records_of_schema(list(found.values()), str(path))


def _is_store(path: Path) -> bool:
    try:
        with open_regular(path) as stream:
            return stream.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot read {path}: {said}", allowed="a file that can be read") from None


def _loaded(path: Path) -> Any:
    try:
        return parse_json(read_text(path, largest=LARGEST), constant=_refused, pairs=_once)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"{path} is no record: {one_line(str(problem))[:200]}", allowed="JSON as `dpverify run` writes it"
        ) from None


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name that occurs twice in one object")
    return found


def records_of_schema(content: Any, where: str) -> list[Record]:
    """One record or a list of records; InputError, naming `where`, unless each follows the schema."""
    records = content if isinstance(content, list) else [content]
    if not records:
        raise InputError(f"no record in {where}", allowed="at least one")
    for item in records:
        version = item.get("schema") if isinstance(item, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise InputError(
                f"{where} has records of version {version}",
                allowed=f"version {SCHEMA_VERSION}",
                remedy="update dpverify",
            )
        wrong = schema_fault(item, schema())
        if wrong:
            raise InputError(f"{where} is no record: {one_line(wrong)}", allowed="what record.schema.json asks for")
    return records


@cache
def schema() -> dict[str, Any]:
    """The schema of a record, from the package."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath("record.schema.json").read_text(encoding="utf-8"))
    return found
