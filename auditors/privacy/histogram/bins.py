"""Bins: parts of the output space, chosen on one sample and counted in another.

A scalar output (or a counted alphabet) is divided at quantiles of both sides together, finer in the tails, with a bin
for every frequent value. For vectors a score is divided in the same way: a table of whole rows where there are few of
them, a sum of step functions, or a regression. Each bin has its log-ratio on the sample that defined it. Everything is
fixed before the counted draws, so badly chosen bins cost power but not validity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.cell_lookup import cell_numbers
from auditors.privacy.event.learned import linear, telling_columns
from auditors.privacy.event.runs import run_edges
from auditors.privacy.event.scores import Coordinate, Score, sign
from auditors.privacy.event.tables import RUNS_FOR_A_PIECE, Cells, cell_edges, cells, joined_weights, table
from auditors.privacy.outputs import Sample
from dpverify.core.subjects import Float

FINE, COARSE, FEW_COORDINATES = 64, 32, 3
SMOOTHING = 0.5
FEWEST_A_BIN = 8
"""Fewest draws of the defining sample in a quantile bin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """A score cut into bins: bin i is edges[i - 1] <= score < edges[i].

    Attributes
    ----------
    score : Score
        The score; a coordinate where outputs are scalars.
    edges : float64, shape (k - 1,)
        Increasing.
    ratios : float64, shape (k,)
        Log-ratio of d0 to d1 in each bin, estimated on the sample that defined it.
    """

    score: Score
    edges: Float
    ratios: Float

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The bin of each output, shape (m,)."""
        return cell_numbers(self.score(values), self.edges)

    def counts(self, sample: Sample) -> NDArray[np.int64]:
        """Draws in each bin, shape (k,)."""
        found = np.bincount(self.numbers(sample.values), weights=sample.weights, minlength=self.ratios.size)
        return np.asarray(np.rint(found), dtype=np.int64)

    def text(self, threshold: float, *, above: bool) -> str:
        """The event of all bins whose log-ratio is above the threshold (or not above it), as intervals of numbers."""
        if isinstance(self.score, Coordinate):
            column = 0 if self.score.column is None else self.score.column
            plain = Cells(
                columns=(column,), edges=(self.edges,), steps=(self.ratios,), scalar=self.score.column is None
            )
            return plain.text(threshold, above=above)
        inside = int(((self.ratios > threshold) == above).sum())
        return f"{inside} of {self.ratios.size} bins of a learned score, with log-ratios {sign(above)} {threshold:.6g}"

    def record(self) -> dict[str, Any]:
        """Score, edges and ratios in full."""
        return {
            "kind": "bins",
            "score": self.score.record(),
            "edges": self.edges.tolist(),
            "ratios": self.ratios.tolist(),
        }


def choose_bins(sides: tuple[Sample, Sample]) -> list[Bins]:
    """Several choices of bins for the outputs of these samples of d0 and d1; at least one."""
    first, second = sides
    pieces = max(2, min(FINE, (first.size + second.size) // (2 * FEWEST_A_BIN)))
    if first.values.ndim == 1:
        return [_cut(Coordinate(), sides, pieces)]
    scores: list[Score] = [Coordinate(column=column) for column in telling_columns(first, second, FEW_COORDINATES)]
    columns = telling_columns(first, second, COARSE)
    scores.append(cells(first, second, columns, min(COARSE, pieces)))
    if (found := table(first, second)) is not None:
        scores.append(found)
    if first.width > 1 and (regression := linear(first, second)) is not None:
        scores.append(regression)
    return [_cut(score, sides, pieces) for score in scores]


def _cut(score: Score, sides: tuple[Sample, Sample], pieces: int) -> Bins:
    first, second = sides
    values = [score(side.values) for side in sides]
    edges = cell_edges(np.concatenate(values), joined_weights(first, second), pieces)
    if first.weights is None:
        edges = np.union1d(edges, run_edges(*(side[: pieces * RUNS_FOR_A_PIECE] for side in values)))
    bare = Bins(score=score, edges=edges, ratios=np.zeros(edges.size + 1))
    left, right = (bare.counts(side).astype(np.float64) for side in sides)
    return Bins(score=score, edges=edges, ratios=np.log(left + SMOOTHING) - np.log(right + SMOOTHING))
