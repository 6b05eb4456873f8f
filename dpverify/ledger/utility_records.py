"""Records of experiments and of their statements: made by ``dpverify reproduce``, kept beside the ledger's.

What an experiment measured, in numbers that a page is drawn from: means with intervals, prices, chosen settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

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
from dpverify.utility.experiment import Design
from dpverify.utility.measured import DesignRun, trials_of

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

    AuditError when the file is there but is not a record.
    """
    folder = folder or records_folder()
    return None if folder is None else read_kept(folder / FOLDER / f"{safe_name(name)}.json", "name", name)


SCHEMA_VERSION = 1

DIGITS = 7
"""Significant digits of repetitions in a record (`auditors.utility.paired.DIGITS`)."""

CONFIDENCE = 0.95
"""Of each mean's interval, two-sided and single: bands are for the eye, and no verdict rests on them."""


def summary(run: DesignRun) -> dict[str, Any]:
    """Plain JSON values: ``curves`` by data set, arm and metric as lists of [x, mean, low, high]."""
    design = run.design
    labels = [arm.label for arm in design.arms]
    found = run.series(labels, design.metrics)
    curves: dict[str, dict[str, dict[str, list[list[float]]]]] = {}
    for name in found.grid.data:
        for label in labels:
            for metric in design.metrics:
                rows = [(x, found.values.get(f"{name}|{label}|{metric}|{x:.6g}")) for x in found.grid.xs]
                points = [[x, *_interval(values)] for x, values in rows if values]
                curves.setdefault(name, {}).setdefault(label, {})[metric] = points
    effort = design.effort(run.profile)
    return {
        "schema": SCHEMA_VERSION,
        "name": design.name,
        "profile": run.profile,
        "seed": run.seed,
        "repetitions": effort.repetitions,
        "tuned": effort.tuned if design.tuning else 0,
        "moved": effort.moved,
        "effort": {
            "rows": effort.rows,
            "once": bool(effort.once and design.tuning),
            "places": [len(found.grid.xs), len(design.xs)],
            "settings": dict(effort.settings),
        },
        "trials": {arm.label: len(trials_of(design, arm)) if arm.space else 0 for arm in design.arms},
        "rule": design.tuning.rule if design.tuning else "",
        "curves": curves,
        "then": _repeated(design, found.values),
        "ranges": dict(found.ranges),
        "prices": dict(found.prices),
        "settings": dict(found.settings),
        "missing": dict(found.missing),
        "arms": {arm.label: {"price": arm.price} for arm in design.arms},
        "data": _sizes(design, found.grid.data),
    }


def _repeated(design: Design, values: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return every repetition of the curves as accounted then: statements are judged on them, too, in pairs."""
    then = {arm.label for arm in design.arms if arm.price == "then"}
    found = {key: row for key, row in values.items() if key.split("|")[1] in then}
    return {key: [float(f"{value:.{DIGITS}g}") for value in row] for key, row in found.items()}


def _interval(values: Any) -> tuple[float, float, float]:
    """The mean, and its interval by Student's t; the mean itself for a single number."""
    numbers = np.asarray(values, dtype=np.float64)
    mean = float(numbers.mean())
    if numbers.size < 2:
        return mean, mean, mean
    half = float(stats.t.isf((1 - CONFIDENCE) / 2, numbers.size - 1) * numbers.std(ddof=1) / np.sqrt(numbers.size))
    return tuple(float(f"{each:.6g}") for each in (mean, mean - half, mean + half))  # type: ignore[return-value]


def _sizes(design: Design, names: tuple[str, ...]) -> dict[str, Any]:
    from dpverify.core.plugins import registry
    from dpverify.utility.experiment import DataFree

    known = registry().datasets
    return {
        name: {"rows": known.get(name).rows, "columns": known.get(name).columns} for name in names if name != DataFree
    }
