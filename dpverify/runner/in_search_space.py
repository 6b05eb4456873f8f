"""Whether a pair and parameters from a file lie in a claim's search space.

A claim holds for its search space only: boxes of parameters, sizes, a range of values, and neighbours. A point outside
it may leak more and refutes nothing. Vectors must have the sizes and lie in the range; values of a finite domain must
lie in the domain. Neighbours of an example must have its size, and records of its kind. Tables and sessions must be the
generator's data, up to numbers in the range. Any other pair must be among those that the generator lists.

Side of the error: a point that cannot be shown to be inside counts as outside. The generator's `check` is different: it
checks neither sizes nor range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Dataset, Float, NeighborGenerator, Pair
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.losses import TabulatedLosses
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.datasets.neighbors.value import Value
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.table import Table

LISTED, ALL = 64, 4096
"""At most this many pairs of each size are compared with a saved one."""


def foreign_parameters(space: SearchSpace, parameters: Mapping[str, Any]) -> str | None:
    """Return None when every parameter is searched and lies in its box, else a line that names one that does not."""
    for name, value in parameters.items():
        if name not in space.parameters:
            return f"the claim searches no parameter {name}"
        low, high = space.parameters[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            return f"{name} = {value!r} lies outside [{low:g}, {high:g}]"
    return None


def listed_pairs(task: Task, space: SearchSpace) -> list[Pair]:
    """The first pairs that the generator lists at every size of the claim; `space` is in the subject's units."""
    rng, found = task.stream("replay", "form"), []
    for size in dict.fromkeys((space.size, *space.sizes)):
        total = task.neighbors.count(space.at(size)) or 0
        limit = total if total <= ALL else LISTED
        found += task.neighbors.candidates(space.at(size), limit=max(limit, LISTED), rng=rng)
    return found


def foreign_pair(
    generator: NeighborGenerator, space: SearchSpace, d0: Dataset, d1: Dataset, listed: list[Pair]
) -> str | None:
    """Return None when the claim covers the pair, else one line with the reason.

    Parameters
    ----------
    space : SearchSpace
        In the subject's units.
    listed : list of Pair
        The generator's pairs in this space.
    """
    if (reason := generator.check(d0, d1)) is not None:
        return reason
    sides = plain_dataset(d0), plain_dataset(d1)
    if any(sides in (each, each[::-1]) for each in ((plain_dataset(p.d0), plain_dataset(p.d1)) for p in listed)):
        return None
    if isinstance(generator, OfExample):
        return generator.outside(d0, d1)
    if isinstance(generator, Value):
        return None if max(d0, d1) < max(space.size, *space.sizes, 0) else "a value outside the claim's domain"
    if generator.box(space) is None:
        return "the generator lists no such pair"
    if all(isinstance(each, np.ndarray) and each.ndim == 1 for each in (d0, d1)):
        return _sizes(space, d0.size, d1.size) or _range(space, d0) or _range(space, d1)
    known = [side for pair in listed for side in (pair.d0, pair.d1)]
    if isinstance(d0, Table) and isinstance(d1, Table):
        return _tables(space, d0, d1, [each for each in known if isinstance(each, Table)])
    if isinstance(d0, Sessions) and isinstance(d1, Sessions):
        return _sessions(space, d0, d1, [each for each in known if isinstance(each, Sessions)])
    if isinstance(generator, TabulatedLosses):
        return _losses(space, d0, d1, generator.most)
    return "the generator lists no such pair"


def _sizes(space: SearchSpace, first: int, second: int) -> str | None:
    """Check the size of the larger data set; the smaller one has as many records, or one less under add/remove."""
    sizes = {space.size, *space.sizes}
    return (
        None if max(first, second) in sizes else f"{max(first, second)} entries, where the claim is for {sorted(sizes)}"
    )


def _range(space: SearchSpace, numbers: Float) -> str | None:
    outside = ~((numbers >= space.low) & (numbers <= space.high))
    if np.any(outside):
        return f"an entry {np.asarray(numbers)[outside].flat[0]:g} outside [{space.low:g}, {space.high:g}]"
    return None


def _tables(space: SearchSpace, d0: Table, d1: Table, known: list[Table]) -> str | None:
    """One table must be the generator's.

    A record that only the other has must lie in the range, and agree with the data in columns that are constant there.
    """
    own = next((t for t in known if any(_content(t) == _content(each) for each in (d0, d1))), None)
    if own is None:
        return "neither is a table that the generator lists"
    labels = {label for each in known for label in each.labels.tolist()}
    constant = np.all(own.features == own.features[:1], axis=0)
    rows = {row.tobytes() for row in own.features}
    for features, label in zip(np.vstack([d0.features, d1.features]), [*d0.labels, *d1.labels], strict=True):
        if features.tobytes() not in rows:
            if not np.array_equal(features[constant], own.features[0, constant]):
                return "a constant column of the data differs"
            if (reason := _range(space, features[~constant])) is not None:
                return reason
        if float(label) not in labels:
            return f"a label {label:g} that no listed table has"
    return None


def _content(table: Table) -> tuple[bytes, bytes, tuple[int, ...]]:
    return table.features.tobytes(), table.labels.tobytes(), table.features.shape


def _sessions(space: SearchSpace, d0: Sessions, d1: Sessions, known: list[Sessions]) -> str | None:
    """The documents must be the generator's; labels may differ within the range."""
    for each in known:
        if np.array_equal(each.offsets, d0.offsets) and np.array_equal(each.documents, d0.documents):
            moved = [labels[labels != each.labels] for labels in (d0.labels, d1.labels)]
            return _range(space, np.concatenate(moved))
    return "other documents than the generator's"


def _losses(space: SearchSpace, d0: Float, d1: Float, most: int) -> str | None:
    """Losses of `space.size` candidates must lie in the range, with no more records of a kind than the generator's."""
    for table in (d0, d1):
        if table.shape[1] - 2 not in {space.size, *space.sizes}:
            return f"{table.shape[1] - 2} candidates"
        if np.max(table[:, 0], initial=0.0) > most:
            return f"more than {most} records of a kind"
    return _range(space, np.concatenate([d0[:, 1:].ravel(), d1[:, 1:].ravel()]))
