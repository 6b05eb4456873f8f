"""Learned scores of vector outputs: logistic regression on simple features, and small boosted trees.

By Neyman and Pearson the most telling events are level sets of the likelihood ratio, and a classifier of "d0 or d1"
learns just that ratio (DP-Sniper, S&P 2021; Delta-Siege, CCS 2023). Coordinates, squares and frequent values give
Gaussian and discrete ratios; a coordinate clipped between the two medians is *the* ratio of Laplace noise, and the same
on neighbouring differences serves prefix sums. Trees catch what no sum of features can.

The classifiers come from scikit-learn, at one thread, so that the same data give the same weights everywhere. Limits:
at most 64 coordinates are looked at, the ones whose first two moments differ most.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_outputs import Sample
from auditors.privacy.event_scores import Score
from auditors.privacy.event_tables import common_values
from dpverify.core.protocols import Float

MOST_COLUMNS = 64
MOST_ROWS, TREE_ROWS = 2**16, 2**16
"""Rows a side that the regression and the trees are trained on."""

GLANCE = 2**15
"""Rows a side from which the ends of clipped features are read."""

AT_ONCE = 2**12
"""Rows that go through the trees together: so many stay in the processor's cache."""

_LEARNING = threading.Lock()
"""Thread limits are the process's: two threads that set and restore them at once could leave them wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A function of one coordinate, or of a coordinate's difference from the one before.

    Attributes
    ----------
    name : str
        ``x``, ``square``, ``is`` (1 where x = low), ``clip`` (to [low, high]) or ``step`` (the difference, clipped).
    """

    name: str
    column: int
    low: float = 0.0
    high: float = 0.0

    def __call__(self, values: NDArray[Any]) -> Float:
        """Of each output, shape (m,)."""
        x = np.asarray(values[:, self.column], dtype=np.float64)
        if self.name == "square":
            return x * x
        if self.name == "is":
            return np.asarray(x == self.low, dtype=np.float64)
        if self.name == "step":
            x = x - values[:, self.column - 1]
        return x if self.name == "x" else np.clip(x, self.low, self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A weighted sum of features. Summed feature by feature: no thread count can change a bit of it."""

    features: tuple[Feature, ...]
    weights: tuple[float, ...]

    def __call__(self, values: NDArray[Any]) -> Float:
        """The sum."""
        total = np.zeros(len(values))
        for feature, weight in zip(self.features, self.weights, strict=True):
            total += weight * feature(values)
        return total

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; its weights stand in the record."""
        return f"logistic regression score ({len(self.features)} features) {'>' if above else '<='} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind, features and weights in full: the score can be computed again."""
        return {
            "kind": "linear",
            "features": [[f.name, f.column, f.low, f.high] for f in self.features],
            "weights": list(self.weights),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Boosted trees on some coordinates and on other scores."""

    columns: tuple[int, ...]
    scores: tuple[Score, ...]
    model: Any

    def __call__(self, values: NDArray[Any]) -> Float:
        """The ensemble's raw prediction (log-odds of d0)."""
        inputs = self.inputs(values)
        parts = [self.model.decision_function(inputs[i : i + AT_ONCE]) for i in range(0, len(inputs), AT_ONCE)]
        return np.asarray(np.concatenate(parts), dtype=np.float64)

    def inputs(self, values: NDArray[Any]) -> Float:
        """What the trees see: shape (m, columns + scores)."""
        parts = [np.asarray(values[:, column], dtype=np.float64) for column in self.columns]
        return np.column_stack([*parts, *(score(values) for score in self.scores)])

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; the trees come back by running the audit with the same seed."""
        return f"boosted trees on {len(self.columns)} coordinates {'>' if above else '<='} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind and size: the model itself comes back from the same seed."""
        return {"kind": "trees", "columns": list(self.columns), "trees": int(self.model.n_iter_)}


def telling_columns(first: Sample, second: Sample, limit: int) -> tuple[int, ...]:
    """The coordinates whose means or squares differ most between the sides (in standard errors), in their own order."""
    if first.width <= limit:
        return tuple(range(first.width))
    gap = np.zeros(first.width)
    sides = [np.asarray(side.values[:MOST_ROWS], dtype=np.float64) for side in (first, second)]
    for power in (1, 2):
        left, right = sides if power == 1 else (side * side for side in sides)
        centre = left.mean(axis=0)
        means, variances = zip(*(_moments(side - centre) for side in (left, right)), strict=True)
        spread, difference = np.sqrt(variances[0] + variances[1]), np.abs(means[0] - means[1])
        gap = np.maximum(gap, np.where(spread > 0, difference / np.where(spread > 0, spread, 1.0), difference * 1e9))
    return tuple(sorted(np.argsort(-gap, kind="stable")[:limit].tolist()))


def _moments(values: Float) -> tuple[Float, Float]:
    """Means and variances of the columns, in one pass each."""
    mean = values.mean(axis=0)
    return mean, np.maximum(np.einsum("ij,ij->j", values, values) / len(values) - mean * mean, 0.0)


def linear(first: Sample, second: Sample) -> Linear | None:
    """Logistic regression on both samples' outputs; None when no feature varies."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    left, right = first.values[:MOST_ROWS], second.values[:MOST_ROWS]
    values, side = np.concatenate([left, right]), np.repeat([1, 0], [len(left), len(right)])
    features, columns, spreads = [], [], []
    for feature in _features(first, second):
        column = feature(values)
        column -= column.mean()
        if (spread := math.sqrt(float(np.dot(column, column)) / column.size)) > 0:
            features.append(feature)
            columns.append(np.asarray(column / spread, dtype=np.float32))
            spreads.append(spread)
    if not features:
        return None
    with _LEARNING, threadpool_limits(limits=1):
        model = LogisticRegression(solver="newton-cholesky", max_iter=200)
        model.fit(np.ascontiguousarray(np.stack(columns).T), side)
    return Linear(
        features=tuple(features), weights=tuple((np.asarray(model.coef_[0], dtype=np.float64) / spreads).tolist())
    )


def trees(first: Sample, second: Sample, scores: tuple[Score, ...], *, rng: np.random.Generator) -> Trees:
    """Small boosted trees on the most telling coordinates and on `scores`."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        max_iter=20,
        learning_rate=0.2,
        max_leaf_nodes=8,
        min_samples_leaf=max(5, min(len(first.values), TREE_ROWS) // 500),
        early_stopping=False,
        random_state=int(rng.integers(2**31)),
    )
    found = Trees(columns=telling_columns(first, second, MOST_COLUMNS // 2), scores=scores, model=model)
    left, right = first.values[:TREE_ROWS], second.values[:TREE_ROWS]
    inputs = found.inputs(np.concatenate([left, right]))
    with _LEARNING, threadpool_limits(limits=1):
        model.fit(inputs, np.repeat([1, 0], [len(left), len(right)]))
    return found


def _features(first: Sample, second: Sample) -> list[Feature]:
    found: list[Feature] = []
    columns = telling_columns(first, second, MOST_COLUMNS)
    for column in columns:
        left, right = (np.asarray(side.column(column)[:GLANCE], dtype=np.float64) for side in (first, second))
        found += [Feature(name="x", column=column), Feature(name="square", column=column)]
        low, high = sorted((float(np.median(left)), float(np.median(right))))
        if low < high:
            found.append(Feature(name="clip", column=column, low=low, high=high))
        for value in common_values(first, second, column):
            found.append(Feature(name="is", column=column, low=float(value)))
        if column - 1 in columns:
            before = [np.asarray(side.column(column - 1)[:GLANCE], dtype=np.float64) for side in (first, second)]
            low, high = sorted((float(np.median(left - before[0])), float(np.median(right - before[1]))))
            if low < high:
                found.append(Feature(name="step", column=column, low=low, high=high))
    return found
