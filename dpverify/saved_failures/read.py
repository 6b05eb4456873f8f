"""Reads saved failures: files of a folder of them, or the refuted records of a run."""

from __future__ import annotations

import json
from pathlib import Path

from dpverify.core.claim import Source
from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import read_text
from dpverify.core.record import Record
from dpverify.core.verdict import Status
from dpverify.neighbourhood.redact import REDACTED
from dpverify.programs.command import PROGRAM
from dpverify.reporting.read_records import RESULTS, read_records
from dpverify.runner.regressions import COMMAND, Regression, load
from dpverify.runner.store.store import NAME


def saved_failures(path: Path) -> list[Regression]:
    """The failures at a path, in the order of their names: a folder of saved failures, or whatever holds records.

    Raises
    ------
    InputError
        One line for a path with nothing to read, and for a malformed file.
    """
    if not path.exists():
        raise InputError(
            f"no file or folder {path}", allowed="a folder of saved failures, reports of a run, its store, or a record"
        )
    if path.is_dir() and not any(path.iterdir()):
        return []
    if path.is_dir() and not (path / RESULTS).is_file() and not (path / NAME).is_file() and _holds_pairs(path):
        return load(path)
    refuted = [each for each in read_records(path) if each["verdict"] == Status.REFUTED]
    return [_of_record(each) for each in refuted if each.get("expectation") != "broken"]


def _holds_pairs(folder: Path) -> bool:
    """Tell whether the first JSON file there is a saved failure; one that cannot be read is left to its reader."""
    first = min(folder.glob("*.json"), default=None)
    if first is None:
        return False
    try:
        content = json.loads(read_text(first))
    except (OSError, ValueError):
        return True
    return (isinstance(content, dict) and "guarantee" not in content) or ("claimed" in content and "d0" in content)


def _of_record(record: Record) -> Regression:
    """A failure as a record of a run has it; where its pair is not in the record, the pair is empty."""
    witness = record["witness"] or {}
    bound, names = record["bound"], (str(record["subject"]), str(record["id"]))
    program = str(record["source"]) == Source(paper="user", locus=PROGRAM).text()
    d0, d1 = (None if witness.get(side) == REDACTED else witness.get(side) for side in ("d0", "d1"))
    return Regression(
        claim=str(record["id"]),
        auditor=str(record["method"]),
        d0=d0,
        d1=d1,
        parameters=witness.get("parameters") or {},
        event=str(witness.get("event") or ""),
        seed=record["seed"],
        guarantee=str(record["guarantee"]),
        relation=str(record["relation"]),
        mechanism=f"{COMMAND}{names[0]}" if program else next((name for name in names if ":" in name), ""),
        measure=str(record["measure"]),
        bound=None if bound is None else float(bound),
    )
