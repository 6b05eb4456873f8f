"""PrivGene: model fitting by a genetic algorithm with private selections (Zhang et al., SIGMOD 2013): a baseline.

Each of r rounds selects m' parents from the candidates by the *enhanced* exponential mechanism. Its scale is not the
sensitivity of a candidate's fitness, but how far one record can move the *difference* of two candidates' fitness. The
next candidates are made from the parents with public randomness:

- m' = 1 (the default): the parent moved by +s and -s along every coordinate, 2 d candidates;
- m' > 1: 2 d children of two random parents, crossed over at a random place and moved by +-s in one random coordinate.

s starts at 0.5 and shrinks by 0.95 a round; the last round selects one candidate, the result. Fitness is minus the sum
of the losses. One replaced record moves a difference by at most 2 R D, with R a bound on gradients and D the largest
distance of two candidates, so index i with probability proportional to e^(epsilon' u_i / (2 R D)) is epsilon'-DP
(McSherry and Talwar 2007 with the range of the scores, as Dong, Durfee and Rogers 2019 call it). For m' = 1, D = 2 s
and R = 1 this is the 4 s of public code. epsilon is split evenly over all selections: epsilon-DP, one record replaced.

The paper's text was not at hand: the structure is from its abstract and from papers that compare with it, the constants
and the form for m' = 1 are from public code. The m' parents are the candidates with the m' largest sums of score and
Gumbel noise, which is the same as m' selections one after another, each among the candidates not yet selected.

Limits: models with bounded gradients in a ball. Not to be confused with private genetic algorithms for synthetic data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, Positive, Share
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.tape import Tape
from reference_impls.models.coordinate_losses import coordinate_sums
from reference_impls.models.linear import LinearModel
from reference_impls.models.loss_constants import constants
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import ModelText, find_model
from reference_impls.models.sparse_rows import sparse_rows, sparse_scores
from reference_impls.training.claim_conditions import need_records
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
LARGEST = 1 << 26
"""The most numbers in a generation: candidates times coordinates."""
CHUNK = 256
"""How many candidates' distances are computed together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivGene(Training):
    """Subject ``priv-gene``. Data set: a table, rows of norm at most `norm`. Result: a candidate, shape (dimension,).

    Attributes
    ----------
    model : str
        A linear or softmax model with bounded gradients.
    epsilon : float
        The budget of the whole run, > 0.
    rounds : int or None
        r; None for n epsilon / 800, rounded, at least 1 (n is then public).
    parents : int
        m', at most the 2 d candidates.
    scale, shrink : float
        The first s, > 0, and its factor a round, in (0, 1].
    norm : float
        Bound on the rows' L2 norms, > 0; longer rows are refused.
    """

    model: ModelText = "logistic"
    epsilon: Positive = 1.0
    rounds: Count | None = None
    parents: Count = 1
    scale: Positive = 0.5
    shrink: Share = 0.95
    norm: Positive = 1.0

    relation = "replace"

    def validate(self) -> None:
        """The loss must have bounded gradients."""
        if not math.isfinite(self.lipschitz):
            raise InputError(f"PrivGene: model {self.model!r}", allowed="a loss with bounded gradients")

    @property
    def lipschitz(self) -> float:
        """R, the bound on the gradient of one record's loss."""
        return constants(find_model(self.model), norm=self.norm).lipschitz

    def rounds_for(self, rows: int) -> int:
        """The number of rounds r for n records."""
        need_records(self, rows)
        return max(1, round(rows * self.epsilon / 800)) if self.rounds is None else self.rounds

    def guarantee(self) -> PureDP:
        """What is claimed, one record replaced."""
        return PureDP(epsilon=self.epsilon)

    def range_of(self, candidates: Float) -> float:
        """2 R D: how far one replaced record moves the difference of two candidates' fitness; shape (k, d)."""
        return 2.0 * self.lipschitz * largest_distance(candidates)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The algorithm described above."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        table.need_norm(self.norm)
        dimension = model.dimension(table.columns)
        if self.parents > 2 * dimension:
            raise InputError(
                f"PrivGene: parents = {self.parents} of {2 * dimension} candidates", allowed=f"1..{2 * dimension}"
            )
        if 2 * dimension**2 > LARGEST:
            raise InputError(
                f"PrivGene: {2 * dimension} candidates of {dimension} coordinates each",
                allowed=f"at most {LARGEST} numbers in all (512 MiB)",
                remedy="a model or a table of fewer dimensions",
            )
        rounds, size = self.rounds_for(table.rows), self.scale
        each = self.epsilon / ((rounds - 1) * self.parents + 1)
        chosen = np.zeros((1, dimension))
        candidates, moved = _around(chosen[0], size), 4.0 * self.lipschitz * size
        for turn in range(rounds):
            if self.parents == 1 and isinstance(model, LinearModel):
                fitness = _fitness_around(model, table, chosen[0], size)
            else:
                fitness = np.array([-summed_loss(model, at, table) for at in candidates])
            wanted = self.parents if turn + 1 < rounds else 1
            scale = moved / each
            if tape.keep:
                tape.perturb("fitness", fitness, law="none", scale=0.0, released=False)
            tape.publish("range", moved)
            tape.publish("gumbel-scale", scale)
            noisy = fitness + scale * tape.gumbel("selection", fitness.size)
            answer = np.argsort(-noisy, kind="stable")[:wanted]
            chosen, size = candidates[answer], size * self.shrink
            tape.publish("budget", each * wanted)
            for point in chosen:
                tape.iterate(point)
            if turn + 1 == rounds:
                break
            if wanted == 1:
                candidates, moved = _around(chosen[0], size), 4.0 * self.lipschitz * size
            else:
                candidates = _children(chosen, size, tape)
                moved = self.range_of(candidates)
        return np.asarray(chosen[0])


def _around(parent: Float, size: float) -> Float:
    """parent + size e_j and parent - size e_j, shape (2 d, d): two of them are 2 size apart, the others less."""
    candidates = np.tile(parent, (2 * parent.size, 1))
    axes = np.arange(parent.size)
    candidates[2 * axes, axes] += size
    candidates[2 * axes + 1, axes] -= size
    return candidates


def _fitness_around(model: LinearModel, table: Table, parent: Float, size: float) -> Float:
    """The fitness of the candidates of `_around`, shape (2 d,), by one pass over what is not 0."""
    rows, scores, sums = sparse_rows(table), np.empty(table.rows), np.empty(2 * parent.size)
    sparse_scores(scores, parent, rows)
    coordinate_sums(sums, model.code, model.h_bar, scores, table.labels, rows, size)
    return -sums


def _children(parents: Float, size: float, tape: Tape) -> Float:
    """2 d children, shape (2 d, d): the head of one parent, the tail of another, one coordinate moved."""
    dimension = parents.shape[1]
    children = np.empty((2 * dimension, dimension))
    for child in children:
        first, second = (parents[tape.index("parent", len(parents))] for _ in range(2))
        cut = tape.index("cut", dimension + 1)
        child[:cut], child[cut:] = first[:cut], second[cut:]
        child[tape.index("coordinate", dimension)] += size * (1.0 - 2.0 * tape.index("sign", 2))
    return children


def largest_distance(points: Float) -> float:
    """The largest L2 distance of two of the points, shape (k, d); never below it, above by a relative 1e-15 (d + 4)."""
    points = points - points.mean(axis=0)
    squares = np.einsum("ij,ij->i", points, points)
    largest = max(
        float((squares[start : start + CHUNK, None] + squares - 2.0 * points[start : start + CHUNK] @ points.T).max())
        for start in range(0, len(points), CHUNK)
    )
    slack = 8.0 * (points.shape[1] + 4) * np.finfo(np.float64).eps * float(squares.max())
    return math.sqrt(largest + slack)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("priv-gene", PrivGene)
