"""What an experiment measured, in numbers that a page is drawn from: means with intervals, prices, chosen settings."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from dpverify.utility.experiment import Design
from dpverify.utility.measured import DesignRun, trials_of

SCHEMA_VERSION = 1

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
        "ranges": dict(found.ranges),
        "prices": dict(found.prices),
        "settings": dict(found.settings),
        "missing": dict(found.missing),
        "arms": {arm.label: {"price": arm.price} for arm in design.arms},
        "data": _sizes(design, found.grid.data),
    }


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
