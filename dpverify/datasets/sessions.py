"""Ranking sessions: lists of documents, each with a user's labels, as listwise ranking learns from them (DISS 6.4.1).

A session is one user: the documents shown, one feature vector each, and the user's judgement of every one. Documents of
all sessions lie in one array, session j in rows ``offsets[j]`` to ``offsets[j + 1]``. Under the relation ``labels`` the
documents are public and the labels of one session are secret (DISS Definition 6.2).

Limits: dense float64, in memory whole. Not to be confused with a table, whose rows are records of one user each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.datasets.table import keep_read_only

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sessions(Checked):
    """Documents and labels of m sessions; two of them are never equal because their numbers are."""

    documents: Float
    """Shape (n, d): finite; kept as a read-only view in C order."""
    labels: Float
    """Shape (n,): finite; kept as a read-only view. Which of them an algorithm takes it says itself: see
    :meth:`need_labels`."""
    offsets: Integer
    """Shape (m + 1,): from 0 to n, strictly rising: every session has a document. m may be 0."""
    name: str = "sessions"
    source: str = ""
    sha256: str = ""
    """`name`, `source`, `sha256`: as :class:`~dpverify.datasets.table.Table`'s."""

    def called(self) -> str:
        """``sessions 'mq2008'``."""
        return f"sessions {self.name!r}"

    def validate(self) -> None:
        """One label for each document, and each document in one session; all numbers are finite."""
        documents = np.ascontiguousarray(self.documents, dtype=np.float64)
        labels = np.ascontiguousarray(self.labels, dtype=np.float64)
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        if documents.ndim != 2 or labels.shape != documents.shape[:1]:
            raise InputError(
                f"{self.called()} with documents of shape {documents.shape} and labels of shape {labels.shape}",
                allowed="documents of shape (n, d) and labels of shape (n,)",
            )
        if (
            offsets.ndim != 1
            or offsets.size < 1
            or not np.array_equal(offsets, self.offsets)
            or (offsets[0], offsets[-1]) != (0, labels.size)
            or (np.diff(offsets) < 1).any()
        ):
            raise InputError(
                f"{self.called()} with offsets that are no partition of {labels.size} documents",
                allowed=f"whole numbers from 0 to {labels.size}, strictly rising",
            )
        keep_read_only(self, documents=documents, labels=labels, offsets=offsets)

    def __repr__(self) -> str:
        origin = f", sha256 {self.sha256[:12]}..." if self.sha256 else ""
        return f"Sessions({self.name}, {self.count} sessions, {self.labels.size} x {self.columns}{origin})"

    @property
    def count(self) -> int:
        """Number of sessions, m."""
        return int(self.offsets.size - 1)

    @property
    def columns(self) -> int:
        """Number of features of a document, d."""
        return int(self.documents.shape[1])

    @property
    def lengths(self) -> Integer:
        """Documents in each session, shape (m,)."""
        return np.diff(self.offsets)

    def documents_of(self, index: int) -> Float:
        """The documents of session `index` (0-based), shape (n_j, d)."""
        return self.documents[self._rows(index)]

    def labels_of(self, index: int) -> Float:
        """The labels of session `index` (0-based), shape (n_j,)."""
        return self.labels[self._rows(index)]

    def need_labels(self) -> None:
        """Raise InputError unless every label is >= 0, as a gain ``2^y - 1`` within [0, inf) needs it."""
        if (self.labels < 0).any():
            raise InputError(
                f"{self.called()} with label {self.labels.min():g}",
                allowed="labels >= 0",
                remedy="shift the labels so that 0 is the least relevant",
            )

    def take(self, indices: Integer, *, name: str = "") -> Sessions:
        """The sessions at `indices`, in that order."""
        rows = [np.arange(self.offsets[j], self.offsets[j + 1]) for j in indices]
        kept = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
        return Sessions(
            documents=self.documents[kept],
            labels=self.labels[kept],
            offsets=np.concatenate([[0], np.cumsum([each.size for each in rows], dtype=np.int64)]),
            name=name or f"{self.name}[{len(rows)} of {self.count} sessions]",
            source=self.source,
        )

    def relabelled(self, index: int, labels: Float) -> Sessions:
        """The neighbour in which session `index` (0-based) has other labels, shape (n_j,)."""
        rows = self._rows(index)
        wanted = rows.stop - rows.start
        if np.shape(labels) != (wanted,):
            raise InputError(f"labels of shape {np.shape(labels)} for session {index}", allowed=f"shape ({wanted},)")
        changed = self.labels.copy()
        changed[rows] = labels
        return Sessions(
            documents=self.documents,
            labels=changed,
            offsets=self.offsets,
            name=f"{self.name}, labels of session {index} changed",
            source=self.source,
        )

    def _rows(self, index: int) -> slice:
        if not 0 <= index < self.count:
            raise InputError(f"session {index} of {self.name!r}", allowed=f"0..{self.count - 1}")
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))


def joined(parts: tuple[Sessions, ...], *, name: str) -> Sessions:
    """All sessions of all parts, in that order; the parts have equally many features."""
    starts = np.cumsum([0, *(part.labels.size for part in parts)])
    return Sessions(
        documents=np.concatenate([part.documents for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        offsets=np.concatenate([[0], *(part.offsets[1:] + at for part, at in zip(parts, starts, strict=False))]),
        name=name,
        source=parts[0].source,
        sha256="+".join(part.sha256 for part in parts),
    )


def load_sessions(name: str) -> Sessions:
    """Load a registered data set of sessions by its name, such as ``mq2008`` or ``simulated-sessions``.

    InputError for an unknown name, for a data set of another kind, or when its files are missing or damaged.
    """
    from dpverify.core.plugins import registry

    found = registry().datasets.get(name).load()
    if not isinstance(found, Sessions):
        raise InputError(f"data set {name!r} is a {type(found).__name__}", allowed="a data set of ranking sessions")
    return found
