"""The relation ``labels``: two sets of ranking sessions that differ in the labels of one session (DISS Definition 6.2).

Documents are public, and so are how many there are. The data set is `space.size` sessions of the named data set
`space.data` (all of them when it has no more; simulated ones when none is named), always the same ones, in which one
session gets two labellings with values in [low, high] of the search space.

The labellings follow an order of the session's documents along one feature: the first few at `high` against the last
few at `high`, the others lower. That holds one relevant document against another, reversed judgements, all equal and
all irrelevant, and splits by a half-space, which move a sum of document vectors the furthest; random labels of two
values follow. Limits: the other sessions keep the labels of the data.

Often confused with ``replace``, where the documents may change too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.neighbors.continuum import Continuum, distinct
from dpverify.datasets.sessions import Sessions, load_sessions

_SUBSET_SEED = 0  # which sessions make up a subset: part of the relation's definition, never an audit's randomness
_DEFAULT = "simulated-sessions"
_END = 1e-9
_PATTERNS = (
    ("the first relevant, then the last", _END, _END, 0.0, 0.0),
    ("reversed halves", 0.5, 0.5, 0.0, 0.0),
    ("a third relevant, then the others", 1 / 3, 2 / 3, 0.0, 0.0),
    ("one relevant, then none", _END, 0.0, 0.0, 0.0),
    ("all relevant, then none", 1.0, 0.0, 0.0, 0.0),
    ("all relevant, then one", 1.0, _END, 0.0, 0.0),
    ("the first above the middle, then the last", _END, _END, 0.5, 0.5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChange(Continuum):
    """Generator ``labels``.

    The box, shape (6, 2), all in [0, 1]: which session; along which feature its documents are ordered; which share of
    them, from the front, is at `high` in d0, and which share, from the back, in d1 (rounded up); and how high the
    others are, from `low` to `high`, in either.
    """

    name: str = "labels"
    relation: str = "labels"

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when both are sessions with the same documents, and the labels of one session at most differ."""
        if not isinstance(d0, Sessions) or not isinstance(d1, Sessions):
            return f"d0 is a {type(d0).__name__} and d1 a {type(d1).__name__}: both must be sessions"
        if not np.array_equal(d0.offsets, d1.offsets):
            return f"d0 has {d0.count} sessions and d1 {d1.count}, or their lengths differ: these are public"
        if not np.array_equal(d0.documents, d1.documents):
            return "the documents differ: they are public"
        moved = np.flatnonzero(d0.labels != d1.labels)
        differ = np.unique(np.searchsorted(d0.offsets, moved, side="right")).size
        if differ > 1:
            return f"the labels of {differ} sessions differ, only those of one may"
        return None

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """At most `limit` pairs, all distinct: patterns on every session in turn, then random labels of two values."""
        proposals = chain(self.listed(space), self.drawn(space, 4 * limit, rng=rng))
        return distinct(proposals, limit, ordered=False, content=lambda data: data.labels.tobytes())

    def box(self, space: SearchSpace) -> Float:
        """Bounds, shape (6, 2)."""
        return np.array([[0.0, 1.0]] * 6)

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box."""
        which, along, front, back, rest0, rest1 = np.clip(np.asarray(vector, dtype=np.float64), 0.0, 1.0).tolist()
        data = sessions(space)
        index = min(int(which * data.count), data.count - 1)
        feature = min(int(along * data.columns), data.columns - 1)
        order = np.argsort(data.documents_of(index)[:, feature], kind="stable")
        first = np.full(order.size, space.low + rest0 * (space.high - space.low))
        second = np.full(order.size, space.low + rest1 * (space.high - space.low))
        first[order[: int(np.ceil(front * order.size))]] = space.high
        second[order[order.size - int(np.ceil(back * order.size)) :]] = space.high
        return _pair(data, index, first, second, f"session {index} along feature {feature}")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """The patterns on every session and along every feature, the plainest first."""
        data = sessions(space)
        ranked = sorted(
            (i + j + c, i, j, c) for i in range(data.count) for j in range(len(_PATTERNS)) for c in range(data.columns)
        )
        for _, i, j, c in ranked:
            label, *shares = _PATTERNS[j]
            point = [(i + 0.5) / data.count, (c + 0.5) / data.columns, *shares]
            pair = self.decode(space, np.array(point))
            yield Pair(d0=pair.d0, d1=pair.d1, label=f"{label}: {pair.label}")

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Labels of two values on any session."""
        data = sessions(space)
        for _ in range(attempts):
            index = int(rng.integers(data.count))
            one, two = rng.choice([space.low, space.high], (2, int(data.lengths[index])))
            yield _pair(data, index, one, two, f"session {index}, random labels")


def sessions(space: SearchSpace) -> Sessions:
    """The `space.size` sessions that the pairs are made from, always the same ones, in the data set's own order."""
    data = load_sessions(space.data or _DEFAULT)
    if space.size >= data.count:
        return data
    chosen = np.random.Generator(np.random.PCG64(_SUBSET_SEED)).permutation(data.count)[: space.size]
    return data.take(np.sort(chosen))


def _pair(data: Sessions, index: int, first: Float, second: Float, label: str) -> Pair:
    return Pair(d0=data.relabelled(index, first), d1=data.relabelled(index, second), label=label)


def register(registry: Registry) -> None:
    """Put the relation's default generator into the registry."""
    registry.neighbors.add("labels", LabelChange())
