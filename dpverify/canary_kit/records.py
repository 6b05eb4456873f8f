"""Records with canaries: made, put in or left out by fair coins, and mixed among the others.

- ``record``: made-up records of the largest norm of the data, each in a direction of its own (a coordinate that the
  data use least, while there are enough; else a random direction), with a random label.
- ``label``: records of the data, chosen at random and taken out of them, with a wrong label.
- ``gradient``: places for gradients that the training plants (`planted`); as records they are copies of others.

Under ``add-remove`` a canary is there or is not. Under ``replace`` the number of records stays: in a canary's place
there is otherwise a blank record (all features 0; for ``label``: the same record with its right label).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.relation_names import PRICED
from dpverify.datasets.dataset import load_table
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.datasets.table import Table

Array = NDArray[Any]
Integer = NDArray[np.int64]

KINDS = ("record", "label", "gradient")
FEWEST, MOST = 10, 10**6
LARGEST = 4 * 10**8
"""Numbers of a table that is made."""

ALLOWED = "(features, labels) with as many of each, a Table, or the name of a data set"


@dataclass(frozen=True, eq=False, kw_only=True)
class Records:
    """Features (n, ...) and labels (n,), as they came; `records` as numbers of rows."""

    features: Array
    labels: Array

    @property
    def rows(self) -> int:
        """There are n rows."""
        return int(self.labels.shape[0])

    def at(self, rows: Any) -> Records:
        """Return the canaries at these places."""
        return Records(features=self.features[rows], labels=self.labels[rows])

    def pair(self) -> tuple[Array, Array]:
        """Return copies of (features, labels)."""
        return self.features.copy(), self.labels.copy()


@dataclass(frozen=True, eq=False, kw_only=True)
class CanaryRecords:
    """Canaries, and what is in their places otherwise."""

    inside: Records
    """The canaries, all of them; m rows."""
    outside: Records | None
    """What stands in a canary's place where its coin says no; None for nothing."""
    others: Records
    """The data without canaries."""

    def mixed(self, coins: NDArray[np.bool_], *, rng: np.random.Generator) -> tuple[Records, Integer]:
        """(all records in a random order, for each the number of its canary, or -1)."""
        parts = [self.others, self.inside.at(coins)]
        numbers = [np.full(self.others.rows, -1), np.flatnonzero(coins)]
        if self.outside is not None:
            parts.append(self.outside.at(~coins))
            numbers.append(np.full(int((~coins).sum()), -1))
        order = rng.permutation(sum(each.rows for each in parts))
        features = np.concatenate([each.features for each in parts])[order]
        labels = np.concatenate([each.labels for each in parts])[order]
        return Records(features=features, labels=labels), np.concatenate(numbers)[order].astype(np.int64)


def records_of(data: Any) -> Records:
    """The records of a table, of (features, labels), or of a registered data set.

    InputError for anything else, and for features that are no finite numbers.
    """
    if isinstance(data, str):
        data = load_table(data)
    if isinstance(data, Table):
        data = data.features, data.labels
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise InputError(f"data of type {type(data).__name__}", allowed=ALLOWED)
    try:
        features, labels = (np.asarray(each.detach().cpu() if hasattr(each, "detach") else each) for each in data)
    except (TypeError, ValueError):
        raise InputError("features or labels that are no array", allowed=ALLOWED) from None
    if features.ndim < 2 or labels.ndim != 1 or len(features) != len(labels) or len(labels) < 2:
        raise InputError(f"features of shape {features.shape} and labels of shape {labels.shape}", allowed=ALLOWED)
    if features.dtype.kind not in "fiu" or labels.dtype.kind not in "fiub":
        raise InputError(f"features of type {features.dtype}, labels of type {labels.dtype}", allowed="numbers")
    if features.dtype.kind != "f":
        features = features.astype(np.float64)
    if not (np.isfinite(features).all() and np.isfinite(labels).all()):
        raise InputError("features or labels that are not finite", allowed="finite numbers")
    return Records(features=features, labels=labels)


def make_canaries(
    data: Records,
    kind: str,
    count: int,
    *,
    relation: str,
    norm: float | None,
    own_columns: bool,
    rng: np.random.Generator,
) -> CanaryRecords:
    """The canaries of one kind; errors for settings that do not go together.

    `norm`: L2 norm of made-up records; None for the largest one of the data. `own_columns`: for made-up records: each
    gets a column of its own, in which all others have 0.
    """
    if kind not in KINDS:
        raise InputError(f"kind {kind!r}", allowed=", ".join(KINDS))
    if relation not in PRICED:
        raise InputError(f"relation {relation!r}", allowed=", ".join(PRICED))
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not FEWEST <= count <= MOST:
        raise InputError(f"count = {count!r}", allowed=f"a whole number from {FEWEST} to {MOST}")
    if norm is not None and not (np.isfinite(norm) and norm > 0):
        raise InputError(f"norm = {norm}", allowed="a number above 0")
    if own_columns and (kind != "record" or data.features.ndim != 2):
        raise InputError(
            f"own columns for canaries of the kind {kind!r}, features of shape {data.features.shape}",
            allowed="kind='record' and a table of features",
        )
    width = int(np.prod(data.features.shape[1:])) + (count if own_columns else 0)
    if width * (data.rows + count) > LARGEST:
        raise InputError(
            f"{data.rows} records and {count} canaries of {width} columns", allowed=f"at most {LARGEST} numbers in all"
        )
    classes = np.unique(data.labels)
    if classes.size < 2 and kind != "gradient":
        raise InputError(f"all labels are {classes[0]}", allowed="at least two different labels")
    if kind == "label":
        return _mislabelled(data, count, classes, relation, rng)
    if kind == "gradient":
        chosen = data.at(rng.integers(data.rows, size=count))
        blank = chosen if keeps_size(relation) else None
        return CanaryRecords(inside=chosen, outside=blank, others=data)
    return _made_up(data, count, classes, relation, norm, own_columns, rng)


def _mislabelled(data: Records, count: int, classes: Array, relation: str, rng: np.random.Generator) -> CanaryRecords:
    if count >= data.rows:
        raise InputError(
            f"{count} canaries of {data.rows} records", allowed=f"at most {data.rows - 1}: they are taken out"
        )
    order = rng.permutation(data.rows)
    right = data.at(order[:count])
    place = np.searchsorted(classes, right.labels)
    wrong = classes[(place + rng.integers(1, classes.size, size=count)) % classes.size]
    inside = Records(features=right.features, labels=wrong.astype(data.labels.dtype))
    others = data.at(np.sort(order[count:]))
    return CanaryRecords(inside=inside, outside=right if keeps_size(relation) else None, others=others)


def _made_up(
    data: Records,
    count: int,
    classes: Array,
    relation: str,
    norm: float | None,
    own_columns: bool,
    rng: np.random.Generator,
) -> CanaryRecords:
    flat = data.features.reshape(data.rows, -1)
    length = norm or float(np.sqrt(np.einsum("ij,ij->i", flat, flat, dtype=np.float64).max()))
    if length == 0:
        raise InputError("all features are 0", allowed="a norm for the canaries", remedy="pass norm=1.0")
    if own_columns:
        rows = np.zeros((count, flat.shape[1] + count), dtype=data.features.dtype)
        rows[np.arange(count), flat.shape[1] + np.arange(count)] = length
        empty = np.zeros((data.rows, count), dtype=data.features.dtype)
        data = Records(features=np.concatenate([flat, empty], axis=1), labels=data.labels)
    elif count <= flat.shape[1]:
        used = np.argsort(np.einsum("ij,ij->j", flat, flat, dtype=np.float64), kind="stable")
        rows = np.zeros((count, flat.shape[1]), dtype=data.features.dtype)
        rows[np.arange(count), used[:count]] = length
    else:
        drawn = rng.standard_normal((count, flat.shape[1]))
        lengths = np.sqrt(np.einsum("ij,ij->i", drawn, drawn))[:, None]
        rows = (length * drawn / lengths).astype(data.features.dtype)
    labels = classes[rng.integers(classes.size, size=count)].astype(data.labels.dtype)
    rows = rows.reshape(count, *data.features.shape[1:])
    blank = Records(features=np.zeros_like(rows), labels=labels) if keeps_size(relation) else None
    return CanaryRecords(inside=Records(features=rows, labels=labels), outside=blank, others=data)
