"""A learned score of vector outputs: small boosted trees, which detect what no sum of features can.

scikit-learn grows the trees with one thread, so that the same data give the same trees everywhere, on the most
informative coordinates and simple statistics. A jitted loop applies them ten times faster than the library, which
matters because most time goes into counting the event. More training draws help with rare events.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.learned import telling_columns
from auditors.privacy.event.scores import Score
from auditors.privacy.outputs import Sample
from dpverify.core.lazy_njit import njit
from dpverify.core.subjects import Float

MOST_COLUMNS = 32
MOST_LEAVES = 8
_BLOCK = 512  # rows that go through a tree together
TREE_ROWS = 2**18
"""Rows a side that trees are grown on."""

_LEARNING = threading.Lock()
"""Thread limits belong to the process: two threads that set and restore them at once could leave wrong ones."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest:
    """Trees as unordered comparisons (Lucchese et al., QuickScorer, SIGIR 2015), which need no branches."""

    starts: NDArray[np.int64]
    """Shape (trees + 1,): index of each tree's first comparison."""
    feature: NDArray[np.int64]
    threshold: Float
    """`feature`, `threshold`, shape (questions,): the comparisons x[feature] <= threshold."""
    kept: NDArray[np.uint8]
    """Shape (questions,): bit mask of the leaves, numbered from the left, that remain possible when the comparison is
    false."""
    value: Float
    """Shape (trees, 256): value of the first possible leaf, for each set of possible leaves."""


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
        _add(inputs, trees.starts, trees.feature, trees.threshold, trees.kept, trees.value, total)
        return total

    def inputs(self, values: NDArray[Any]) -> Float:
        """Inputs of the trees, shape (columns + scores, m)."""
        inputs = np.empty((len(self.columns) + len(self.scores), len(values)))
        for i, column in enumerate(self.columns):
            inputs[i] = values[:, column]
        for i, score in enumerate(self.scores, start=len(self.columns)):
            inputs[i] = score(values)
        return inputs

    def text(self, threshold: float, *, above: bool) -> str:
        """The rule; the audit with the same seed grows the same trees."""
        return f"boosted trees on {len(self.columns)} coordinates {'>' if above else '<='} {threshold:.9g}"

    def plain(self) -> dict[str, Any]:
        """Kind and size; the audit with the same seed grows the same trees."""
        return {"kind": "trees", "columns": list(self.columns), "trees": len(self.forest.value)}


def trees(first: Sample, second: Sample, scores: Sequence[Score], *, rng: np.random.Generator) -> Trees:
    """Small boosted trees on the most informative coordinates and on `scores`."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    rows = min(len(first.values), TREE_ROWS)
    model = HistGradientBoostingClassifier(
        max_iter=20,
        learning_rate=0.2,
        max_leaf_nodes=MOST_LEAVES,
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
    """The same trees without unused inputs, which then need not be computed."""
    used, place = np.unique(grown.forest.feature, return_inverse=True)
    width = len(grown.columns)
    return Trees(
        columns=tuple(grown.columns[i] for i in used if i < width),
        scores=tuple(grown.scores[i - width] for i in used if i >= width),
        forest=replace(grown.forest, feature=place.astype(np.int64)),
    )


def _forest(trees: Sequence[NDArray[Any]]) -> Forest:
    """Convert the library's trees from their tables of nodes."""
    questions: list[tuple[int, float, int]] = []
    starts, value = [0], np.zeros((len(trees), 2**MOST_LEAVES))
    for nodes, values in zip(trees, value, strict=True):
        leaves: list[float] = []

        def walk(node: Any, nodes: NDArray[Any] = nodes, leaves: list[float] = leaves) -> None:
            if node["is_leaf"]:
                leaves.append(float(node["value"]))
                return
            before = len(leaves)
            walk(nodes[node["left"]])
            under = sum(1 << leaf for leaf in range(before, len(leaves)))
            questions.append((int(node["feature_idx"]), float(node["num_threshold"]), 2**MOST_LEAVES - 1 - under))
            walk(nodes[node["right"]])

        walk(nodes[0])
        starts.append(len(questions))
        for opened in range(1, 2**MOST_LEAVES):
            first = (opened & -opened).bit_length() - 1
            values[opened] = leaves[min(first, len(leaves) - 1)]
    return Forest(
        starts=np.array(starts),
        feature=np.array([feature for feature, _, _ in questions], dtype=np.int64),
        threshold=np.array([threshold for _, threshold, _ in questions], dtype=np.float64),
        kept=np.array([kept for _, _, kept in questions], dtype=np.uint8),
        value=value,
    )


@njit(cache=True, nogil=True)
def _add(
    inputs: Float,
    starts: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: Float,
    kept: NDArray[np.uint8],
    value: Float,
    total: Float,
) -> None:
    opened = np.empty(_BLOCK, dtype=np.uint8)
    for start in range(0, total.size, _BLOCK):
        rows = min(_BLOCK, total.size - start)
        for tree in range(starts.size - 1):
            opened[:] = np.uint8(255)
            for question in range(starts[tree], starts[tree + 1]):
                x, limit = inputs[feature[question], start : start + rows], threshold[question]
                closed = np.uint8(~kept[question])
                for i in range(rows):
                    opened[i] &= np.uint8(~(closed * np.uint8(x[i] > limit)))
            for i in range(rows):
                total[start + i] += value[tree, opened[i]]
