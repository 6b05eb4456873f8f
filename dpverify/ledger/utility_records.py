"""Records of experiments and of their statements: made by ``dpverify reproduce``, kept beside the ledger's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.json_text import dump
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.ledger.committed_records import read_kept, records_folder
from dpverify.ledger.stale import code_of
from dpverify.runner.atomic_files import safe_name, write_atomically
from dpverify.runner.environment import environment
from dpverify.runner.record import plain, record
from dpverify.runner.row import Row
from dpverify.utility.measured import DesignRun
from dpverify.utility.summary import summary

FOLDER = "utility"
"""Below the folder of records: those of experiments."""


def is_measured(registry: Registry, claim: Claim) -> bool:
    """Tell whether the claim is a statement of an experiment."""
    return claim.subject in registry.experiments


def command(experiment: str, *, profile: str = "quick", seed: int = 0) -> str:
    """The one that measures an experiment."""
    words = ["dpverify reproduce", experiment, *(["--profile", profile] if profile != "quick" else [])]
    return " ".join(words + (["--seed", str(seed)] if seed else []))


def statement_record(registry: Registry, row: Row, *, profile: str, seed: int) -> Record:
    """The record of a statement, with the digest of the code that decided it."""
    found = record(row)
    claim = row.entry.claim
    found["reproduce"] = command(claim.subject, profile=profile, seed=seed)
    found["code"] = code_of(registry, claim, [part["auditor"] for part in found["evidence"]])
    found["remark"] = None
    return found


def experiment_record(registry: Registry, run: DesignRun, *, seconds: float) -> dict[str, Any]:
    """The record of an experiment: what its page is drawn from."""
    experiment = registry.experiments.get(run.design.name)
    found = summary(run)
    found["reproduce"] = command(run.design.name, profile=run.profile, seed=run.seed)
    found["seconds"] = round(seconds, 1)
    found["environment"] = environment()
    found["statements"] = [each.id for each in experiment.statements]
    return {name: plain(value) for name, value in found.items()}


def write_experiment(found: Mapping[str, Any], folder: Path) -> Path:
    """Write an experiment's record below the folder of records."""
    return write_atomically(folder / FOLDER / f"{safe_name(found['name'])}.json", dump(dict(found)))


def read_experiment(name: str, folder: Path | None = None) -> dict[str, Any] | None:
    """The record of an experiment in a folder of records (None: the committed ones), or None.

    Raises
    ------
    AuditError
        When the file is there but is not a record.
    """
    folder = folder or records_folder()
    return None if folder is None else read_kept(folder / FOLDER / f"{safe_name(name)}.json", "name", name)
