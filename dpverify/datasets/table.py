"""A table of labelled records: what models are trained on, and what their neighbours differ in by one row.

Labels are finite numbers; which of them a model can take (-1 and +1, classes 0, 1, 2 ..., any number) the model says:
see :meth:`Table.need_labels`. Limits: dense float64, held in memory whole (Adult: 48 MB, MNIST: 376 MB).

Not to be confused with a vector of query answers or a table of losses, which are plain arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked

Float = NDArray[np.float64]


def keep_read_only(owner: Checked, **arrays: NDArray[Any]) -> None:
    """Set these fields to read-only views of the arrays; InputError where a number is not finite."""
    for field, array in arrays.items():
        if not np.isfinite(array).all():
            raise InputError(f"{owner.called()} with {field} that are not finite", allowed="finite numbers")
        view = array.view()
        view.flags.writeable = False
        object.__setattr__(owner, field, view)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Table(Checked):
    """Features and labels of n records.

    Two tables are never equal because their numbers are (comparing 48 MB by accident is a trap): identity only.

    Attributes
    ----------
    features : float64, shape (n, d)
        Finite; kept as a read-only view in C order. n may be 0: neighbours of one record are none.
    labels : float64, shape (n,)
        Finite; kept as a read-only view.
    name : str
        What it is called in reports; derived tables say how they were derived.
    source : str
        Where it came from.
    sha256 : str
        Checksum of the file (or files, joined by "+") that it was read from; empty for derived tables.
    """

    features: Float
    labels: Float
    name: str = "table"
    source: str = ""
    sha256: str = ""

    def called(self) -> str:
        """``table 'adult'``."""
        return f"table {self.name!r}"

    def validate(self) -> None:
        """One label for each row of features; all numbers are finite."""
        features = np.ascontiguousarray(self.features, dtype=np.float64)
        labels = np.ascontiguousarray(self.labels, dtype=np.float64)
        if features.ndim != 2 or labels.shape != features.shape[:1]:
            raise InputError(
                f"{self.called()} with features of shape {features.shape} and labels of shape {labels.shape}",
                allowed="features of shape (n, d) and labels of shape (n,)",
            )
        keep_read_only(self, features=features, labels=labels)

    def __repr__(self) -> str:
        origin = f", sha256 {self.sha256[:12]}..." if self.sha256 else ""
        return f"Table({self.name}, {self.rows} x {self.columns}{origin})"

    @property
    def rows(self) -> int:
        """Number of records, n."""
        return int(self.features.shape[0])

    @property
    def columns(self) -> int:
        """Number of features, d."""
        return int(self.features.shape[1])

    @property
    def majority(self) -> float:
        """Share of the most frequent label: what a classifier that ignores the features gets right."""
        return float(np.unique(self.labels, return_counts=True)[1].max() / self.rows) if self.rows else 0.0

    def need_labels(self, classes: int | None = None) -> None:
        """Raise InputError unless every label is -1 or +1 (None), or one of 0, 1 .. classes - 1."""
        found = np.abs(self.labels) == 1 if classes is None else np.isin(self.labels, np.arange(classes))
        if not found.all():
            raise InputError(
                f"table {self.name!r} with label {self.labels[np.argmin(found)]:g}",
                allowed="labels -1 and +1" if classes is None else f"labels 0 .. {classes - 1}",
                remedy="map 0/1 labels with 2 * labels - 1" if classes is None else "number the classes from 0",
            )

    def need_norm(self, bound: float) -> None:
        """Raise InputError unless every row of features has L2 norm at most `bound` (1e-12 of it aside)."""
        norms = np.sqrt(np.einsum("ij,ij->i", self.features, self.features))
        if self.rows and norms.max() > bound * (1 + 1e-12):
            raise InputError(
                f"table {self.name!r} whose record {int(norms.argmax())} has L2 norm {norms.max():.6g}",
                allowed=f"at most {bound:g}, as the sensitivity of this algorithm assumes",
                remedy="normalise the rows (Table.normalised)",
            )

    def normalised(self, bound: float = 1.0) -> Table:
        """The table with every longer row scaled down to L2 norm `bound`, each on its own."""
        norms = np.sqrt(np.einsum("ij,ij->i", self.features, self.features))
        features = self.features / np.maximum(1.0, norms / bound)[:, None]
        return Table(features=features, labels=self.labels, name=f"{self.name}, rows in a ball", source=self.source)

    def take(self, indices: NDArray[np.int64], *, name: str = "") -> Table:
        """The records at `indices`, in that order."""
        return Table(
            features=self.features[indices],
            labels=self.labels[indices],
            name=name or f"{self.name}[{len(indices)} records]",
            source=self.source,
        )

    def without(self, index: int) -> Table:
        """The neighbour that lacks record `index` (0-based, no negatives)."""
        if not 0 <= index < self.rows:
            raise InputError(f"record {index} of {self.name!r}", allowed=f"0..{self.rows - 1}")
        return Table(
            features=np.delete(self.features, index, axis=0),
            labels=np.delete(self.labels, index),
            name=f"{self.name} without record {index}",
            source=self.source,
        )

    def replaced(self, index: int, features: Float, label: float) -> Table:
        """The neighbour that has another record in place of record `index` (0-based)."""
        if not 0 <= index < self.rows:
            raise InputError(f"record {index} of {self.name!r}", allowed=f"0..{self.rows - 1}")
        rows, labels = self.features.copy(), self.labels.copy()
        rows[index], labels[index] = features, label
        return Table(features=rows, labels=labels, name=f"{self.name}, record {index} replaced", source=self.source)

    def with_record(self, features: Float, label: float, *, name: str = "") -> Table:
        """The neighbour with one more record, appended at the end: `features` of shape (d,)."""
        row = np.asarray(features, dtype=np.float64)
        if row.shape != (self.columns,):
            raise InputError(f"a record of shape {row.shape} for {self.name!r}", allowed=f"shape ({self.columns},)")
        return Table(
            features=np.concatenate([self.features, row[None, :]]),
            labels=np.append(self.labels, label),
            name=name or f"{self.name} with one more record",
            source=self.source,
        )
