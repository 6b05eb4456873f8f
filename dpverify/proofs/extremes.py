"""Records at which some value of a proof is least, greatest or NaN, among many that are drawn from the whole domain.

Where a value is rarely what it can be, such as ``x % 1009 // 1008``, no condition says where: such a window is met
here, unless it is much narrower than one in `TRIED`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.proofs.node import Node, values
from dpverify.proofs.operations import PYTHON_INT, TEXT
from dpverify.proofs.points import PublicEvaluation
from dpverify.proofs.record_search import OfRecords, RecordSearch

TRIED = 20_000

TRIED_OF_PYTHON = 1_000
"""Records with integers of Python's, which are computed with one by one."""

MOST_NUMBERS = 3_000_000
"""Numbers that are kept at a time."""

SHARE_OF_NAN = 0.02
"""Of the numbers of a field that may be NaN."""

FAR = 12.0
"""Magnitudes up to ten to this power are drawn."""


def extremes(search: RecordSearch, public: PublicEvaluation, nodes: Sequence[Node]) -> Any:
    """Points of records at which one of these values of a record is least, greatest or NaN."""
    width = search.width + sum(math.prod(node.shape) for node in nodes)
    python = any(node.kind == PYTHON_INT for node in nodes)
    points = _anywhere(search, min(TRIED_OF_PYTHON if python else TRIED, MOST_NUMBERS // max(width, 1)))
    if not len(points):
        return points
    found: dict[int, None] = {}
    with np.errstate(all="ignore"):
        records = OfRecords(search.made(points), len(points), public, {})
        for node in nodes:
            try:
                value = np.asarray(records.of(node)).astype(float).reshape(len(points), -1)
            except (OverflowError, TypeError, ValueError):  # integers beyond all doubles
                continue
            unknown = np.isnan(value)
            low = np.where(unknown, math.inf, value).min(axis=1, initial=math.inf)
            high = np.where(unknown, -math.inf, value).max(axis=1, initial=-math.inf)
            found |= dict.fromkeys([int(low.argmin()), int(high.argmax())])
            found |= dict.fromkeys(np.flatnonzero(unknown.any(axis=1))[:1].tolist())
    return points[list(found)]


def _anywhere(search: RecordSearch, count: int) -> Any:
    """Points: each coordinate is anywhere between its ends, of any magnitude, a whole number, near an end, or NaN."""
    rng, columns = search.rng, []
    for name, width in zip(search.names, search.widths, strict=True):
        field = search.fields[name]
        if str(field["type"]) == TEXT:
            columns.append(rng.integers(0, 64, size=(count, width)).astype(float))
            continue
        low, high = (
            np.broadcast_to(values(field[end], "float64").astype(float), tuple(field["shape"])).ravel()
            for end in ("low", "high")
        )
        shape = (count, width)
        least, most = np.maximum(low, -1e6), np.minimum(high, 1e6)
        kinds = np.stack(
            [
                least + (np.maximum(most, least) - least) * rng.random(shape),
                rng.choice([-1.0, 1.0], size=shape) * 10.0 ** rng.uniform(-FAR, FAR, size=shape),
                np.where(np.isfinite(low), low, 0.0) + rng.permutation(count)[:, None],
                np.where(rng.random(shape) < 0.5, least, most) * (1.0 + rng.normal(0.0, 1e-3, size=shape)),
            ]
        )
        kind = rng.integers(0, len(kinds), size=shape)
        drawn = np.clip(np.take_along_axis(kinds, kind[None], axis=0)[0], low, high)
        columns.append(np.where(rng.random(shape) < (SHARE_OF_NAN if field["nan"] else 0.0), math.nan, drawn))
    return np.concatenate(columns, axis=1) if columns else np.zeros((0, 0))
