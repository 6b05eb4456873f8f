"""Committed records of the gallery: one JSON file a bug, shipped with the package, made by ``--run`` or the script."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from dpverify.core.errors import AuditError, one_line
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.gallery.bug import Bug
from dpverify.runner.atomic_files import write_atomically


def records_folder() -> Path | None:
    """The package's own records; in a clone, ``reports/gallery``. None when there are none."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "records", here.parents[2] / "reports" / "gallery"):
        if folder.is_dir():
            return folder
    return None


def read_record(name: str) -> dict[str, Any] | None:
    """The committed record of a bug, or None; AuditError when the file is there but is not a record."""
    folder = records_folder()
    path = folder / f"{name}.json" if folder else None
    if path is None or not path.is_file():
        return None
    try:
        found: dict[str, Any] = parse_json(read_text(path))
        if found["name"] != name:
            raise KeyError(f"it is the record of {found['name']}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise AuditError(f"{path.name} is not a record of {name}: {one_line(str(problem))}") from problem
    return found


def write_record(item: dict[str, Any], folder: Path) -> Path:
    """Write a record to its own file."""
    return write_atomically(folder / f"{item['name']}.json", dump(item))


def as_mapping(one: Bug) -> dict[str, Any]:
    """A bug's fields, with what follows from them, for pages."""
    found = {field.name: getattr(one, field.name) for field in fields(Bug) if field.name != "code"}
    return found | {"kind": one.kind, "command": one.command}


def entries() -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """All bugs with their committed records."""
    return [(as_mapping(one), read_record(name)) for name, one in registry().bugs.items()]
