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
        """Zeros: nothing is drawn."""
        return np.zeros(columns)

    def scores(self, weights: Float, documents: Float) -> Float:
        """``documents @ weights``."""
        return np.asarray(np.einsum("ij,j->i", documents, weights))

    def gradient(self, weights: Float, documents: Float, coefficients: Float) -> Float:
        """``coefficients @ documents``."""
        return np.asarray(np.einsum("i,ij->j", coefficients, documents))

    def gram(self, weights: Float, documents: Float) -> Float:
        """``documents @ documents.T``."""
        return np.asarray(documents @ documents.T)

    def normalised(self, weights: Float, columns: int) -> Float:
        """The weights as one row, over its length."""
        length = float(np.sqrt(np.sum(weights * weights)))
        return weights / length if length > 0 else weights

    def spread_bound(self, documents: Float) -> float:
        """The largest distance between two documents, whatever the weights."""
        return diameter(documents)


def diameter(documents: Float) -> float:
    """The largest L2 distance between two documents."""
    return float(np.sqrt(max(np.sum((documents - each) ** 2, axis=1).max() for each in documents)))


def build(text: str) -> LinearScorer | None:
    """``linear``."""
    return LinearScorer() if text == "linear" else None
