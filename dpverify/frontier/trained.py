"""What a trainer returned: a model that can be scored, and numbers that an attack can look at.

A weight vector (one a column; ``(weights, intercept)``; K a column for K classes), an object with ``predict``, or a
function of features. Labels are -1 and +1, or 0 .. K - 1. Whatever does not fit is one line.

What a model is worth on the test part: accuracy and AUC lie in [0, 1], larger is better; the loss (the objective
without its penalty, on the test part) is better where it is smaller. AUC and loss need scores and two classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.adapters.foreign_call import foreign_call
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.datasets.table import Table

ALLOWED = (
    "a weight vector with one number a column (or K a column for K classes), (weights, intercept), an object with "
    "predict, or a function of features"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A trained model."""

    name: str
    """Of the trainer, for messages."""
    classes: int
    """2 for labels -1 and +1; K for 0 .. K - 1."""
    weights: Float | None = None
    """Shape (columns,) or (K, columns): of a linear model; None for an object or a function."""
    intercept: float | None = None
    """Of a weight vector that came with one."""
    model: Any = None
    """With ``predict``, or a function."""

    def outputs(self, features: Float) -> tuple[Float | None, Float]:
        """(scores, labels) on features of shape (n, d): scores (n,), above 0 for +1, where there are any.

        Raises
        ------
        InputError
            For another number of predictions, for labels that the data do not have, for numbers that are not finite.
        """
        if self.weights is not None:
            raw = features @ self.weights.T + (self.intercept or 0.0)
            return self._read(raw, "weights", len(features))
        for word in ("decision_function", "predict_proba", "predict"):
            call = getattr(self.model, word, None)
            if callable(call) and not (word == "predict_proba" and self.classes > 2):
                found = as_numbers(self._called(call, features), self.name, word)
                if word == "predict_proba":
                    found = found[:, -1] - 0.5 if found.ndim == 2 else found - 0.5
                return self._read(found, word, len(features))
        found = as_numbers(self._called(self.model, features), self.name, "the model")
        return self._read(found, "the model", len(features))

    def numbers(self, probes: Float) -> Float:
        """Return the numbers for an attack: the weights, or the object's coefficients and outputs on `probes`, flat."""
        if self.weights is not None:
            parts = [self.weights.ravel(), *([] if self.intercept is None else [np.array([self.intercept])])]
            return np.concatenate(parts)
        parts = []
        for word in ("coef_", "intercept_"):
            value = getattr(self.model, word, None)
            if value is not None and np.asarray(value).dtype.kind in "fiu":
                parts.append(np.asarray(value, dtype=np.float64).ravel())
        scores, labels = self.outputs(probes)
        found = np.concatenate([*parts, labels if scores is None else scores])
        if not np.isfinite(found).all():
            raise InputError(f"{self.name} returned a model with numbers that are not finite", allowed=ALLOWED)
        return found

    def score_on(self, probes: Float) -> float:
        """The score (or the label) of the first probe."""
        scores, labels = self.outputs(probes[:1])
        return float((labels if scores is None else scores)[0])

    def _called(self, call: Callable[..., Any], features: Float) -> Any:
        allowed = f"a model of features of shape {features.shape}"
        with foreign_call(f"the model that {self.name} returned", allowed=allowed):
            return call(features)

    def _read(self, raw: Float, source: str, rows: int) -> tuple[Float | None, Float]:
        """Scores and labels from whatever numbers a model gave; shape (n,), (n, 1) or (n, K)."""
        if not raw.ndim or raw.shape[0] != rows:
            raise InputError(
                f"{source} of {self.name} gave an array of shape {raw.shape} for {rows} records",
                allowed=f"one number a record, or {self.classes} scores a record",
            )
        if not np.isfinite(raw).all():
            raise InputError(f"{source} of {self.name} gave numbers that are not finite", allowed="finite numbers")
        if raw.ndim == 2 and raw.shape[1] == 1:
            raw = raw[:, 0]
        if raw.ndim == 2 and raw.shape[1] == self.classes:
            if self.classes > 2:
                return None, raw.argmax(axis=1).astype(np.float64)
            raw = raw[:, 1] - raw[:, 0]
        elif raw.ndim != 1:
            raise InputError(
                f"{source} of {self.name} gave an array of shape {raw.shape}",
                allowed=f"one number a record, or {self.classes} scores a record",
            )
        known = np.array([-1.0, 1.0]) if self.classes == 2 else np.arange(self.classes, dtype=np.float64)
        if source != "decision_function" and self.weights is None and np.isin(raw, known).all():
            return None, raw
        if self.classes > 2:
            raise InputError(
                f"{source} of {self.name} gave {raw[~np.isin(raw, known)][0]:.6g}",
                allowed=f"labels 0 .. {self.classes - 1}, or {self.classes} scores a record",
            )
        if (
            source not in ("decision_function", "predict_proba", "weights")
            and raw.size
            and 0 <= raw.min() <= raw.max() <= 1
        ):
            raise InputError(
                f"{source} of {self.name} gave only numbers between 0 and 1, such as {raw[0]:.6g}",
                allowed="labels -1 and +1, or scores above 0 for +1",
                remedy="map labels with 2 * labels - 1, probabilities with p - 0.5",
            )
        return raw, np.where(raw > 0, 1.0, -1.0)


def read_trained(returned: Any, table: Table, *, name: str, classes: int) -> Trained:
    """Read what the trainer returned for `table`.

    InputError for anything else than a model, for weights of another shape, and for numbers that are not finite.
    """
    if returned is None:
        raise InputError(f"{name} returned nothing", allowed=ALLOWED)
    if callable(getattr(returned, "predict", None)) or (
        callable(returned) and not isinstance(returned, type) and not hasattr(returned, "__array__")
    ):
        return Trained(name=name, classes=classes, model=returned)
    intercept = None
    if isinstance(returned, tuple) and len(returned) == 2 and np.size(returned[1]) == 1:
        returned, last = returned
        intercept = float(as_numbers(last, name, "the intercept").ravel()[0])
    weights = as_numbers(returned, name, "the result")
    several = classes if classes > 2 else 1
    if weights.size != several * table.columns or weights.ndim > 2:
        shape = f"({table.columns},)" if several == 1 else f"({several}, {table.columns})"
        raise InputError(
            f"{name} returned an array of shape {weights.shape} for a table of {table.columns} columns",
            allowed=f"shape {shape}, (weights, intercept), an object with predict, or a function of features",
        )
    if not np.isfinite(weights).all() or (intercept is not None and not np.isfinite(intercept)):
        raise InputError(f"{name} returned weights that are not finite", allowed="finite weights")
    shaped = weights.reshape(several, table.columns) if several > 1 else weights.ravel()
    return Trained(name=name, classes=classes, weights=shaped, intercept=intercept)


def as_numbers(value: Any, name: str, what: str) -> Float:
    """Return float64; InputError for what is no array of numbers. A torch tensor is detached."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        found = np.asarray(value)
        real = None if found.dtype.kind == "c" else np.array(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} of {name} is a {type(value).__name__} that is no array of numbers", allowed=ALLOWED
        ) from None
    if real is None:
        raise InputError(f"{what} of {name} has complex numbers", allowed="real numbers")
    return real


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number for a model and a test part."""

    name: str
    larger: bool
    """Whether larger is better."""
    scored: bool
    """Whether it needs scores."""
    of: Callable[[Float, Float], float]
    """Scores (or labels) and true labels to the number."""

    def measure(self, trained: Trained, test: Table) -> float:
        """The number on the test part; InputError where the model gives no scores and the metric needs them."""
        scores, labels = trained.outputs(test.features)
        if not self.scored:
            return self.of(labels, test.labels)
        if scores is None:
            raise InputError(
                f"{self.name} of {trained.name}, whose model gives labels only",
                allowed="a model of scores: weights, decision_function or predict_proba",
                remedy="--metric accuracy",
            )
        return self.of(scores, test.labels)


def accuracy(found: Float, truth: Float) -> float:
    """Share of records whose label was found."""
    return float(np.mean(found == truth))


def area_under_curve(scores: Float, truth: Float) -> float:
    """The chance that a record of +1 has a larger score than one of -1, ties counted half; 1/2 for one label only."""
    from scipy.stats import rankdata

    positive = truth > 0
    many, few = int(positive.sum()), int((~positive).sum())
    if not many or not few:
        return 0.5
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - many * (many + 1) / 2) / (many * few))


def logistic_loss(scores: Float, truth: Float) -> float:
    """Mean of ln(1 + e^(-label score)), in nats."""
    return float(np.mean(np.logaddexp(0.0, -truth * scores)))


METRICS = {
    each.name: each
    for each in (
        Metric(name="accuracy", larger=True, scored=False, of=accuracy),
        Metric(name="auc", larger=True, scored=True, of=area_under_curve),
        Metric(name="loss", larger=False, scored=True, of=logistic_loss),
    )
}
