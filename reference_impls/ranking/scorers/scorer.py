"""What ranking asks of a scoring function f(x, theta): scores, gradients with respect to theta, and their norms.

Texts name them, so that claims can carry them: ``linear``, ``mlp:256``, ``mlp:8:tanh``, ``mlp:8:tanh:printed``.

A session's gradient is a combination of its documents' gradients, ``sum_i c_i df_i/dtheta``; norms of many such
combinations need only the documents' Gram matrix, never n x dimension memory. Where coefficients add up to 0,
differences to one document, the `origin`, take the place of the gradients: features that all documents have in common
then cause no rounding error.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpverify.recording.tape import Tape
from reference_impls.named_by_text import NamedBy, find_in

Float = NDArray[np.float64]


@runtime_checkable
class Scorer(Protocol):
    """A scoring function of one flat weight vector."""

    @property
    def name(self) -> str:
        """The text that :func:`find_scorer` reads back."""
        ...

    def dimension(self, columns: int) -> int:
        """How many weights it has for documents with this many features."""
        ...

    def start(self, columns: int, tape: Tape) -> Float:
        """Public starting weights, shape (dimension,), from draws called ``start`` where they are random."""
        ...

    def scores(self, weights: Float, documents: Float) -> Float:
        """f of each document, shape (n,)."""
        ...

    def gradient(self, weights: Float, documents: Float, coefficients: Float, origin: int | None = None) -> Float:
        """``sum_i coefficients_i df_i/dtheta``, shape (dimension,); of differences to document `origin`, if any."""
        ...

    def gram(self, weights: Float, documents: Float, origin: int | None = None) -> Float:
        """Inner products of the documents' gradients, or of their differences to document `origin`, shape (n, n)."""
        ...

    def lengths(self, weights: Float, documents: Float, origin: int) -> Float:
        """Upper bounds on the L2 norms of the differences to document `origin` and of their parts, shape (n,).

        The rounding errors of :meth:`gradient` and :meth:`gram` are relative to these.
        """
        ...

    def normalised(self, weights: Float, columns: int) -> Float:
        """The weights after ``W <- W / sigma(W)`` for each weight matrix (DISS section 6.5.4); a zero matrix stays."""
        ...

    def spread_bound(self, documents: Float) -> float:
        """A bound on ``max_ij |df_i/dtheta - df_j/dtheta|`` (L2) for normalised weight matrices, whatever the bias."""
        ...


@cache
def find_scorer(text: str) -> Scorer:
    """The scoring function that a text names; InputError when no file reads it."""
    found: Scorer = find_in(__name__.rpartition(".")[0], text, kind="scoring function")
    return found


ScorerText = Annotated[str, NamedBy(find_scorer)]
"""A text that names a scoring function."""
