"""Finished rows of a table, one line of JSON a claim, from which a later session that asks the same goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpverify.code_key.key import folder_key
from dpverify.core.errors import InputError
from dpverify.libraries.one_claim import Asked
from dpverify.runner.store.checksums import checksum

Record = dict[str, Any]


def key_of(library: str, version: str, asked: Asked, *, module: str) -> str:
    """Of all that the numbers of a row depend on, but for the library's own randomness."""
    told = {"library": library, "version": version, "code": folder_key(module), **asdict(asked)}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def keep_row(path: Path, key: str, made: Record) -> None:
    """Append the row's record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"key": key, "record": made, "checksum": _checksum(key, made)}) + "\n")


def finished_before(path: Path, key: str) -> dict[str, Record]:
    """The kept records, by id; errors are left out, so that they are tried again.

    Raises
    ------
    InputError
        When they are of another key, or not what was written.
    """
    return {made["id"]: made for made in _read_lines(path, key)}


def _read_lines(path: Path, key: str) -> Iterator[Record]:
    """The records of a file; a line that a kill has cut short ends it."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            return
        if found.get("checksum") != _checksum(found.get("key"), found.get("record")):
            raise InputError(
                f"{path}: a row is not what was written (its checksum differs)",
                allowed="a file as dpverify wrote it",
                remedy="leave --resume out to begin anew",
            )
        if found.get("key") != key:
            raise InputError(
                f"{path}: its rows were made by other code, another release, or with other settings",
                allowed="the same library, code, draws, confidence and seed, so that all rows are of one version",
                remedy="start anew (without --resume)",
            )
        if found["record"]["verdict"] != "error":
            yield found["record"]


def _checksum(key: Any, made: Any) -> str:
    return checksum(key, json.dumps(made, sort_keys=True))
