"""A multi-layer perceptron with one hidden layer as scoring function (DISS section 6.5.3, case (ii)).

``h = W1 x + b1``, ``a = phi(h)``, ``f = W2 . a``. As in the experiments (section 6.6.3) the hidden layer has a bias and
the output none: b2 of section 6.5.3 shifts all scores equally, so no listwise objective depends on it. The text does
not name the activation; ``relu`` is the default here.

**As printed** (section 6.5.3, backward phase), ``df/dW1 = W2 . phi'(a1) x^T`` and ``df/db1 = W2 . phi'(a1)`` take the
derivative at the activation a1 = phi(h1). The chain rule takes it at the pre-activation h1. For ReLU the two agree
(both are 1 exactly where h1 > 0), for tanh and the logistic function they do not: ``mlp:8:tanh:printed`` is the print,
``mlp:8:tanh`` the repair. Privacy does not depend on it, since the sensitivity is computed with the same factors.

**Spectral normalisation** (section 6.5.4) makes sigma(W1) = |W2| = 1. It does not bound ``|df/dtheta|``: the bias is
not normalised, and ``df/dW2 = a1`` grows with it. But it bounds differences, which listwise gradients are combinations
of: for |phi'| <= s (1 for ReLU and tanh, 1/4 for the logistic function), ``|df_i/dtheta - df_j/dtheta|^2 <= (s
|x_i - x_j|)^2 + (2 s)^2 (1 + max |x|^2)`` whatever b1 (:meth:`MlpScorer.spread_bound`; activations are s-Lipschitz, and
each back-propagated slope has norm at most s |W2|). As printed, with the derivative elsewhere, the same bound holds.

**Differences** to a document with activations a0, slopes b0 = W2 . phi' and features x0 are ``(b (x - x0)^T + (b - b0)
x0^T, b - b0, a - a0)``; zeros in place of a0, b0 and x0 give the gradients themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count, OneOf
from dpverify.recording.tape import Tape
from reference_impls.ranking.scorers.linear import diameter, row_lengths

Float = NDArray[np.float64]
Function = Callable[[Float], Float]
TEXTS = "mlp:WIDTH[:relu|tanh|logistic[:printed]]"


def _relu_slope(points: Float) -> Float:
    return np.asarray(points > 0, dtype=np.float64)


def _tanh_slope(points: Float) -> Float:
    return np.asarray(1.0 - np.tanh(points) ** 2)


def _logistic_slope(points: Float) -> Float:
    return np.asarray(expit(points) * expit(-points))


ACTIVATIONS: dict[str, tuple[Function, Function, float]] = {
    "relu": (lambda points: np.maximum(points, 0.0), _relu_slope, 1.0),
    "tanh": (np.tanh, _tanh_slope, 1.0),
    "logistic": (expit, _logistic_slope, 0.25),
}
"""By name: phi, its derivative phi', and the largest |phi'|."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MlpScorer(Checked):
    """A :class:`~reference_impls.ranking.scorers.scorer.Scorer`; weights: W1 row by row, b1, W2.

    Attributes
    ----------
    width : int
        m >= 1, the number of hidden units.
    activation : str
        A name in :data:`ACTIVATIONS`.
    printed : bool
        Whether the derivative phi' is taken at a1, as printed.
    """

    width: Count = 256
    activation: Annotated[str, OneOf(tuple(ACTIVATIONS))] = "relu"
    printed: bool = False

    @property
    def name(self) -> str:
        """The text that names it."""
        return f"mlp:{self.width}:{self.activation}" + (":printed" if self.printed else "")

    def dimension(self, columns: int) -> int:
        """The number of weights, m d + 2 m."""
        return self.width * (columns + 2)

    def start(self, columns: int, tape: Tape) -> Float:
        """W1 and W2 normal with variances 1 / d and 1 / m, b1 zero (the text names no starting point)."""
        first, second = self.width * columns, self.width
        draws = tape.normal("start", first + second)
        return np.concatenate(
            [draws[:first] / math.sqrt(columns), np.zeros(self.width), draws[first:] / math.sqrt(self.width)]
        )

    def scores(self, weights: Float, documents: Float) -> Float:
        """f of each document, shape (n,)."""
        matrix, bias, out = self._parts(weights, documents.shape[1])
        return np.asarray(ACTIVATIONS[self.activation][0](documents @ matrix.T + bias) @ out)

    def gradient(self, weights: Float, documents: Float, coefficients: Float, origin: int | None = None) -> Float:
        """``sum_i c_i df_i/dtheta`` by one backward pass."""
        slopes, activations, slope_differences, features, base = self._differences(weights, documents, origin)
        bias = coefficients @ slope_differences
        first = (coefficients[:, None] * slopes).T @ features + np.outer(bias, base)
        return np.concatenate([first.ravel(), bias, coefficients @ activations])

    def gram(self, weights: Float, documents: Float, origin: int | None = None) -> Float:
        """``A A^T + (B B^T) * (X X^T + 1)`` for no `origin`, with activations A and back-propagated slopes B.

        O(n^2 (m + d)).
        """
        slopes, activations, slope_differences, features, base = self._differences(weights, documents, origin)
        crossed = (slopes @ slope_differences.T) * (features @ base)[:, None]
        first = (slopes @ slopes.T) * (features @ features.T) + crossed + crossed.T
        return np.asarray(
            activations @ activations.T + first + (slope_differences @ slope_differences.T) * (1.0 + base @ base)
        )

    def lengths(self, weights: Float, documents: Float, origin: int) -> Float:
        """Upper bounds from the norms of the parts of a difference that the module names."""
        slopes, activations, slope_differences, features, base = self._differences(weights, documents, origin)
        bias = row_lengths(slope_differences)
        first = row_lengths(slopes) * row_lengths(features) + bias * row_lengths(base[None, :])
        return np.hypot(np.hypot(row_lengths(activations), bias), first)

    def normalised(self, weights: Float, columns: int) -> Float:
        """W1 divided by its largest singular value, W2 by its L2 norm, b1 as it was."""
        matrix, bias, out = self._parts(weights, columns)
        small = matrix.T @ matrix if columns <= self.width else matrix @ matrix.T
        spectral = math.sqrt(max(float(np.linalg.eigvalsh(small)[-1]), 0.0))
        length = math.sqrt(float(out @ out))
        return np.concatenate([(matrix / (spectral or 1.0)).ravel(), bias, out / (length or 1.0)])

    def spread_bound(self, documents: Float) -> float:
        """The bound on differences of gradients in the module's docstring."""
        longest = math.sqrt(float(np.einsum("ij,ij->i", documents, documents).max()))
        return ACTIVATIONS[self.activation][2] * math.hypot(diameter(documents), 2.0 * math.hypot(longest, 1.0))

    def _parts(self, weights: Float, columns: int) -> tuple[Float, Float, Float]:
        if weights.shape != (self.dimension(columns),):
            raise InputError(
                f"weights of shape {weights.shape} for {self.name} on {columns} features",
                allowed=f"shape ({self.dimension(columns)},)",
            )
        first = self.width * columns
        return weights[:first].reshape(self.width, columns), weights[first : -self.width], weights[-self.width :]

    def _differences(
        self, weights: Float, documents: Float, origin: int | None
    ) -> tuple[Float, Float, Float, Float, Float]:
        """b; a - a0, b - b0, x - x0 of each document; and x0."""
        active, slopes = self._backward(weights, documents)
        if origin is None:
            return slopes, active, slopes, documents, np.zeros(documents.shape[1])
        return (
            slopes,
            active - active[origin],
            slopes - slopes[origin],
            documents - documents[origin],
            documents[origin],
        )

    def _backward(self, weights: Float, documents: Float) -> tuple[Float, Float]:
        matrix, bias, out = self._parts(weights, documents.shape[1])
        value, slope, _ = ACTIVATIONS[self.activation]
        before = documents @ matrix.T + bias
        active = value(before)
        return active, slope(active if self.printed else before) * out


def build(text: str) -> MlpScorer | None:
    """The scoring function that ``mlp:256``, ``mlp:8:tanh`` or ``mlp:8:tanh:printed`` names; None for other texts."""
    kind, *rest = text.split(":")
    if kind != "mlp" or not rest or not rest[0].isdigit() or len(rest) > 3 or rest[2:] not in ([], ["printed"]):
        return None
    return MlpScorer(width=int(rest[0]), activation=rest[1] if len(rest) > 1 else "relu", printed=len(rest) == 3)
