"""Committed records of the ledger: one JSON file a row, shipped with the package, made only by ``ledger --rerun``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from dpverify.core.errors import AuditError, one_line
from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.record import Record
from dpverify.runner.atomic_files import safe_name, write_atomically


def records_folder() -> Path | None:
    """The package's own records; in a clone, ``reports/records``. None when there are none."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "records", here.parents[2] / "reports" / "records"):
        if folder.is_dir():
            return folder
    return None


def read_record(claim_id: str) -> Record | None:
    """The committed record of a row, or None.

    AuditError when the file is there but is not a record.
    """
    folder = records_folder()
    found: Any = None if folder is None else read_kept(folder / f"{safe_name(claim_id)}.json", "id", claim_id)
    return cast("Record | None", found)


def read_kept(path: Path, key: str, name: str) -> dict[str, Any] | None:
    """The record in a file, which says under `key` that it is that of `name`; None where there is no file.

    AuditError when the file is there but is not that record.
    """
    if not path.is_file():
        return None
    try:
        found: dict[str, Any] = parse_json(read_text(path))
        if found[key] != name:
            raise KeyError(f"it is the record of {found[key]}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise AuditError(f"{path} is not a record of {name}: {one_line(str(problem))}") from problem
    return found


def write_records(records: Sequence[Record], folder: Path) -> None:
    """Write each decided record to its own file."""
    for item in records:
        if item["method"] is not None:
            kept = {name: value for name, value in item.items() if name != "ledger"}
            write_atomically(folder / f"{safe_name(item['id'])}.json", dump(kept))
