"""What the exact auditor found as plain JSON values: witnesses, summaries, and the picture of the trade-off."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from auditors.privacy.exact.points import Examiner, Found
from auditors.search_boxes import by_size, region
from dpverify.core.auditing import Task
from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.core.subjects import Dataset, Pair, PrivacyGuarantee
from dpverify.datasets.neighbors.json_values import plain_dataset

_SHORT = 12  # vectors up to this length are written out
_PICTURED = 65


def value_of(found: Found, proof: Enclosed | None) -> dict[str, Any]:
    """The measure, its proved (else computed) value, and the claimed one."""
    value = proof or found.value
    return {
        "measure": found.measure.label(),
        "value": value.value,
        "error": value.error,
        "proved": value.proved,
        "claimed": found.measure.claimed,
    }


def summary(found: Found, proof: Enclosed | None = None) -> dict[str, Any]:
    """The result at one point, without its data sets."""
    return {
        "size": found.point.size,
        **value_of(found, proof),
        "ratio": found.ratio,
        "exceeded": found.excess > 0,
        "pair": found.point.pair.label,
        "direction": found.direction,
        "parameters": dict(found.point.parameters),
    }


def witness(found: Found) -> dict[str, Any]:
    """The pair, the direction and the parameters."""
    pair = found.point.pair
    return {
        "d0": _written(pair.d0),
        "d1": _written(pair.d1),
        "pair": pair.label,
        "direction": found.direction,
        "parameters": dict(found.point.parameters),
    }


def levels(pair: Pair) -> int:
    """Number of different values in a pair's data sets, where they are arrays; fewer is simpler."""
    return sum(np.unique(each).size for each in (pair.d0, pair.d1) if isinstance(each, np.ndarray))


def _written(dataset: Dataset) -> Any:
    """Plain JSON values; long vectors and table rows are run-length encoded.

    The form is ``{"size": ..., "runs": [[value, how often], ...]}``.
    """
    if isinstance(dataset, np.ndarray) and dataset.ndim == 2 and dataset.shape[1] > _SHORT:
        return [_written(row) for row in dataset]
    if not (isinstance(dataset, np.ndarray) and dataset.ndim == 1 and dataset.size > _SHORT):
        return plain_dataset(dataset)
    starts = np.flatnonzero(np.concatenate([[True], dataset[1:] != dataset[:-1]]))
    if 3 * starts.size > dataset.size:
        return plain_dataset(dataset)
    counts = np.diff(np.append(starts, dataset.size))
    runs = [[value, count] for value, count in zip(dataset[starts].tolist(), counts.tolist(), strict=True)]
    return {"size": int(dataset.size), "runs": runs}


def picture(task: Task, examiner: Examiner, found: Found) -> dict[str, Any]:
    """The claimed curve, and the exact one where the laws have it."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, _PICTURED), np.geomspace(1e-12, 1.0, _PICTURED)]))
    guarantee = task.claim.guarantee_at(found.point.parameters)
    curves: dict[str, Sequence[float]] = {}
    if isinstance(guarantee, PrivacyGuarantee):
        curves["claimed"] = guarantee.tradeoff(alpha, reverse=found.reverse).tolist()
    with suppress(UnsupportedError):  # the picture then omits it
        curves["exact"] = examiner.laws(found.point, reverse=found.reverse).tradeoff(alpha).tolist()
    return {name: {"alpha": alpha.tolist(), "beta": beta} for name, beta in curves.items()}


def where(task: Task, examiner: Examiner) -> dict[str, Any]:
    """Numbers of evaluated points and of failures, and where in the claim's box they are."""
    space = task.claim.space
    inside = [look for look in examiner.looks if look.size in {space.size, *space.sizes}]
    plain = task.build()
    own: dict[str, Any] = {name: getattr(plain, name, None) for name in space.parameters} | dict(task.claim.parameters)
    sizes = {"size": by_size(examiner.looks)} if space.sizes else {}
    return {
        "looked": len(inside),
        "failed": sum(look.failed for look in inside),
        "map": {**region(space.parameters, inside, own), **sizes},
    }
