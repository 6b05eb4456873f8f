"""The linear scoring function f(x, theta) = theta . x (DISS section 6.5.3, case (i)); its gradient is x."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.recording.tape import Tape

Float = NDArray[np.float64]
TEXTS = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearScorer:
    """A :class:`~reference_impls.ranking.scorers.scorer.Scorer` over d weights."""

    name: str = "linear"

    def dimension(self, columns: int) -> int:
        """One weight a feature."""
        return columns

    def start(self, columns: int, tape: Tape) -> Float:
        """Zeros; draws nothing."""
        return np.zeros(columns)

    def scores(self, weights: Float, documents: Float) -> Float:
        """``documents @ weights``."""
        return np.asarray(np.einsum("ij,j->i", documents, weights))

    def gradient(self, weights: Float, documents: Float, coefficients: Float, origin: int | None = None) -> Float:
        """``coefficients @ documents``."""
        return np.asarray(np.einsum("i,ij->j", coefficients, _from(documents, origin)))

    def gram(self, weights: Float, documents: Float, origin: int | None = None) -> Float:
        """``documents @ documents.T``."""
        differences = _from(documents, origin)
        return np.asarray(differences @ differences.T)

    def lengths(self, weights: Float, documents: Float, origin: int) -> Float:
        """Distances to document `origin`."""
        return row_lengths(_from(documents, origin))

    def normalised(self, weights: Float, columns: int) -> Float:
        """The weights divided by their L2 norm."""
        length = float(np.sqrt(np.sum(weights * weights)))
        return weights / length if length > 0 else weights

    def spread_bound(self, documents: Float) -> float:
        """The largest distance between two documents, whatever the weights."""
        return diameter(documents)


def _from(documents: Float, origin: int | None) -> Float:
    return documents if origin is None else documents - documents[origin]


def row_lengths(rows: Float) -> Float:
    """L2 norms of the rows, shape (n,); rows are scaled first, so that squares neither overflow nor underflow."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(unit * np.sqrt(np.sum((rows / unit[:, None]) ** 2, axis=1)))


def diameter(documents: Float) -> float:
    """The largest L2 distance between two documents."""
    return float(np.sqrt(max(np.sum((documents - each) ** 2, axis=1).max() for each in documents)))


def build(text: str) -> LinearScorer | None:
    """The scoring function that ``linear`` names; None for other texts."""
    return LinearScorer() if text == "linear" else None
