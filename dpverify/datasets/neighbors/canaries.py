"""Worst-case gradient canaries for one-weight squared loss: records whose clipped gradient is the same at any weight.

A record (x, y) = (1, +-high) with a huge `high` has the gradient w - y, which clipping turns into -+C whatever the
weight w does (a *Dirac* canary: all its length along one coordinate); the *sign-flipped* one points the other way; a
*blank* record (0, 0) has none. Among blank records a Dirac canary is the worst add-remove neighbour there is for noisy
sums with Poisson batches (Nasr et al. 2023, arXiv 2302.07956; Annamalai and De Cristofaro 2024, arXiv 2405.14106).
Among sign-flipped ones it shows samplings whose batches depend on one another: a record that takes part keeps another
one out (Chua et al. 2024, arXiv 2403.17673).

`size` is the number of the other records, `high` the size of a label; `low` is not looked at. Not to be confused with
the canaries of a real table (`table.py`), whose gradients fall as the model learns them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Pair
from dpverify.datasets.neighbors.continuum import WithoutBox
from dpverify.datasets.neighbors.table import TableRecords
from dpverify.datasets.table import Table

BLANK, DIRAC, FLIPPED = "blank", "Dirac", "sign-flipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Canaries(WithoutBox):
    """Generators ``add-remove/canaries``, ``replace/canaries`` and ``replace/zero-out``."""

    name: str
    relation: str
    makes: tuple[tuple[str, str, str], ...]
    """Tuple of (others, absent, present): the kinds of the pairs, best first: what the other records are, what d0 has
    in the canary's place (empty for nothing), what d1 has there."""

    def count(self, space: SearchSpace) -> int | None:
        """None: a few pairs of a relation that has no end."""
        return None

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when they are tables of one column that differ as the relation says, in any order of records."""
        if not isinstance(d0, Table) or not isinstance(d1, Table) or d0.columns != 1 or d1.columns != 1:
            return "both must be tables of one column"
        if self.relation == "add-remove":
            return TableRecords().check(d0, d1)
        if d0.rows != d1.rows:
            return f"d0 has {d0.rows} records and d1 has {d1.rows}: the sizes must be equal"
        first, second = ([tuple(row) for row in np.column_stack([d.features, d.labels])] for d in (d0, d1))
        for row in first:
            if row in second:
                second.remove(row)
        return None if len(second) <= 1 else f"{len(second)} records of d1 are not in d0, only one may be replaced"

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The kinds in their order; nothing is random."""
        return [_pair(space, *make) for make in self.makes[:limit]]


def canary_table(kinds: list[str], *, high: float, name: str) -> Table:
    """Records of these kinds, in this order."""
    features = [[0.0 if kind == BLANK else 1.0] for kind in kinds]
    labels = [0.0 if kind == BLANK else high if kind == DIRAC else -high for kind in kinds]
    return Table(features=np.array(features).reshape(-1, 1), labels=np.array(labels), name=name)


def _pair(space: SearchSpace, others: str, absent: str, present: str) -> Pair:
    rest = [others] * space.size
    d0 = canary_table([*rest, *([absent] if absent else [])], high=space.high, name=f"{space.size} {others}, {absent}")
    d1 = canary_table([*rest, present], high=space.high, name=f"{space.size} {others} and a {present} record")
    return Pair(d0=d0, d1=d1, label=f"{space.size} {others} records and {absent or 'none'} or a {present} one more")


def register(registry: Registry) -> None:
    """Put the generators into the registry."""
    for name, relation, makes in (
        ("add-remove/canaries", "add-remove", ((BLANK, "", DIRAC), (FLIPPED, "", DIRAC))),
        (
            "replace/canaries",
            "replace",
            ((BLANK, FLIPPED, DIRAC), (FLIPPED, FLIPPED, DIRAC), (BLANK, BLANK, DIRAC), (FLIPPED, BLANK, DIRAC)),
        ),
        ("replace/zero-out", "replace", ((BLANK, BLANK, DIRAC), (FLIPPED, BLANK, DIRAC))),
    ):
        registry.neighbors.add(name, Canaries(name=name, relation=relation, makes=makes))
