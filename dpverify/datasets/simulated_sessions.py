"""Simulated ranking sessions: small sets that tests and searches for witnesses run on, always the same ones by name.

Documents are uniform directions times uniform lengths in the unit ball; a hidden direction and some noise rank them,
and the labels 0, 1 .. levels - 1 follow that order, most documents at 0, as in click data. ``uneven-sessions`` is the
smallest set on which two sessions differ in scale: two documents each, one feature, 1 apart and `NARROW` apart.

Not to be confused with LETOR: nothing here says anything about utility on real data.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Made
from dpverify.datasets.sessions import Sessions

_SEED = 0  # part of the data sets' definition, never an audit's randomness
NARROW = 2.0**-10
"""How far apart the documents of the second uneven session are, those of the first being 1 apart."""


def simulate_sessions(
    sessions: int, *, shortest: int = 2, longest: int = 6, columns: int = 3, levels: int = 3, rng: np.random.Generator
) -> Sessions:
    """So many sessions of `shortest` to `longest` documents with labels 0 .. levels - 1, each label >= 1 at most once.

    InputError for no session, no document, no feature or fewer than two levels.
    """
    if min(sessions, shortest, columns) < 1 or longest < shortest or levels < 2:
        raise InputError(
            f"{sessions} sessions of {shortest} to {longest} documents, {columns} features, {levels} levels",
            allowed="at least one of each, two levels, shortest <= longest",
        )
    lengths = rng.integers(shortest, longest + 1, sessions)
    direction = rng.standard_normal(columns)
    documents = rng.standard_normal((int(lengths.sum()), columns))
    norms = np.sqrt(np.einsum("ij,ij->i", documents, documents))
    documents *= (rng.uniform(0.2, 1.0, norms.size) / norms)[:, None]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    labels = np.zeros(norms.size)
    for first, last in pairwise(offsets.tolist()):
        relevance = np.einsum("ij,j->i", documents[first:last], direction) + 0.1 * rng.standard_normal(last - first)
        best = np.argsort(-relevance)[: levels - 1]
        labels[first + best] = np.arange(levels - 1, 0, -1)[: best.size]
    return Sessions(documents=documents, labels=labels, offsets=offsets, name="simulated-sessions", source="simulated")


@cache
def load_simulated() -> Sessions:
    """Twelve sessions of 2 to 6 documents with 3 features, labels 0, 1, 2."""
    return simulate_sessions(12, rng=np.random.Generator(np.random.PCG64(_SEED)))


@cache
def load_uneven() -> Sessions:
    """Two sessions of two documents with one feature: documents 0 and 1, and documents 0 and `NARROW`."""
    return Sessions(
        documents=np.array([[0.0], [1.0], [0.0], [NARROW]]),
        labels=np.array([0.0, 1.0, 0.0, 1.0]),
        offsets=np.array([0, 2, 4]),
        name="uneven-sessions",
        source="simulated",
    )


def register(registry: Registry) -> None:
    """Register the data sets."""
    for name, make, rows, columns in (
        ("simulated-sessions", load_simulated, None, 3),
        ("uneven-sessions", load_uneven, 4, 1),
    ):
        made = Made(name=name, make=make, rows=rows, columns=columns, source="simulated", licence="none needed")
        registry.datasets.add(name, made)
