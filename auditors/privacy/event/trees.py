"""A learned score of vector outputs: small boosted trees, which catch what no sum of features can.

Grown by scikit-learn at one thread, so that the same data give the same trees everywhere, on the most telling
coordinates, simple statistics and the scores that were learned before. Applied by a loop of our own: the library's
takes ten times as long, and what an event costs is what it takes to count it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditors.privacy.event.learned import telling_columns
from auditors.privacy.event.outputs import Sample
from auditors.privacy.event.scores import Score
from dpverify.core.protocols import Float

MOST_COLUMNS = 32
TREE_ROWS = 2**17
"""Rows a side that trees are grown on."""

_LEARNING = threading.Lock()
"""Thread limits are the process's: two threads that set and restore them at once could leave them wrong."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest:
    """Trees laid end to end: node i goes to `left` where x[feature] <= threshold, else to `right`; leaves have -1."""

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Float
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trees:
    """Boosted trees on some coordinates and on other scores."""

    columns: tuple[int, ...]
    scores: tuple[Score, ...]
    forest: Forest

    def __call__(self, values: NDArray[Any]) -> Float:
        """The ensemble's raw prediction (log-odds of d0)."""
        trees, total = self.forest, np.zeros(len(values))
        inputs = self.inputs(values)
        _add(inputs, trees.roots, trees.feature, trees.threshold, trees.left, trees.right, trees.value, total)
        return total

    def inputs(self, values: NDArray[Any]) -> Float:
        """What the trees see: shape (columns + scores, m)."""
        inputs = np.empty((len(self.columns) + len(self.scores), len(values)))
        for i, column in enumerate(self.columns):
            inputs[i] = values[:, column]
        for i, score in enumerate(self.scores, start=len(self.columns)):
            inputs[i] = score(values)
        return inputs

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; the trees come back by running the audit with the same seed."""
        return f"boosted trees on {len(self.columns)} coordinates {'>' if above else '<='} {threshold:.9g}"

    def record(self) -> dict[str, Any]:
        """Kind and size: the model itself comes back from the same seed."""
        return {"kind": "trees", "columns": list(self.columns), "trees": int(self.forest.roots.size)}


def trees(first: Sample, second: Sample, scores: Sequence[Score], *, rng: np.random.Generator) -> Trees:
    """Small boosted trees on the most telling coordinates and on `scores`."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    rows = min(len(first.values), TREE_ROWS)
    model = HistGradientBoostingClassifier(
        max_iter=20,
        learning_rate=0.2,
        max_leaf_nodes=8,
        min_samples_leaf=max(5, rows // 500),
        early_stopping=False,
        random_state=int(rng.integers(2**31)),
    )
    columns = telling_columns(first, second, MOST_COLUMNS)
    empty = Trees(columns=columns, scores=tuple(scores), forest=_forest([]))
    inputs = empty.inputs(np.concatenate([first.values[:rows], second.values[:rows]])).T
    with _LEARNING, threadpool_limits(limits=1):
        model.fit(inputs, np.repeat([1, 0], [rows, len(inputs) - rows]))
    forest = _forest([each[0].nodes for each in model._predictors])
    return _pruned(Trees(columns=columns, scores=tuple(scores), forest=forest))


def _pruned(grown: Trees) -> Trees:
    """The same trees without the inputs that none of them looks at: these need not be computed."""
    inner = grown.forest.left >= 0
    used, place = np.unique(grown.forest.feature[inner], return_inverse=True)
    feature = grown.forest.feature.copy()
    feature[inner] = place
    width = len(grown.columns)
    return Trees(
        columns=tuple(grown.columns[i] for i in used if i < width),
        scores=tuple(grown.scores[i - width] for i in used if i >= width),
        forest=replace(grown.forest, feature=feature),
    )


def _forest(trees: Sequence[NDArray[Any]]) -> Forest:
    """The library's trees (tables of nodes) end to end."""
    starts = np.cumsum([0, *(len(nodes) for nodes in trees)])[:-1].astype(np.int64)

    def joined(name: str, kind: type) -> NDArray[Any]:
        return np.concatenate([np.empty(0, dtype=kind), *(nodes[name].astype(kind) for nodes in trees)])

    leaf = joined("is_leaf", np.bool_)
    begins = np.repeat(starts, [len(nodes) for nodes in trees]).astype(np.int64)
    return Forest(
        roots=starts,
        feature=joined("feature_idx", np.int64),
        threshold=joined("num_threshold", np.float64),
        left=np.where(leaf, -1, joined("left", np.int64) + begins),
        right=np.where(leaf, -1, joined("right", np.int64) + begins),
        value=joined("value", np.float64),
    )


@njit(cache=True, nogil=True)
def _add(
    inputs: Float,
    roots: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: Float,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: Float,
    total: Float,
) -> None:
    for row in range(inputs.shape[1]):
        for root in roots:
            node = root
            while left[node] >= 0:
                node = left[node] if inputs[feature[node], row] <= threshold[node] else right[node]
            total[row] += value[node]
