"""Small made-up tables that differ in one canary: where a trainer is audited.

A claim holds for every pair of neighbours, so any pair may refute it, and made-up ones show nobody's record. The canary
is a row of the largest norm in a direction of its own: the weight of that direction is where it shows. Under
``add-remove`` one table has it and the other lacks it; under ``replace`` the other has it with the other label.

Limits: a trainer may leak on other pairs only. Rows longer than those of the data are not tried unless `norm` says so,
since a trainer may rightly rely on their length. The number of records is taken as public, as it is nearly
everywhere: beside hundreds of others one record more hardly changes it. On tables of a few records (`FEW`) a trainer
whose noise or steps follow their number shows that, under add-remove.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.relation_names import PRICED
from dpverify.core.subjects import Float
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream

OTHERS = (200, 5000)
"""Records beside the canary: the first number that the trainer takes (some need as many as a batch has)."""

FEW = (2, 40)
"""Records beside the canary on small tables."""

PROBES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryPair:
    """Two neighbouring tables.

    Attributes
    ----------
    words : str
        What they are.
    inside, outside : Table
        With the canary, and without it (or with its label changed).
    probes : float64, shape (PROBES, columns)
        Records on which a model is asked; the first is the canary.
    """

    words: str
    inside: Table
    outside: Table
    probes: Float


def canary_pairs(columns: int, classes: int, *, relation: str, norm: float, others: int) -> tuple[CanaryPair, ...]:
    """Two pairs with this many columns and classes, the same at every call.

    Raises
    ------
    InputError
        For another relation than one record added or removed, or replaced.
    """
    if relation not in PRICED:
        raise InputError(f"relation {relation!r}", allowed=", ".join(PRICED))
    low, high = (-1.0, 1.0) if classes == 2 else (0.0, 1.0)
    canary = np.zeros(columns)
    canary[0] = norm
    others = max(others, classes)
    elsewhere = _elsewhere(others, columns)
    around = np.arange(others) % classes
    labels = np.where(around == 1, high, low) if classes == 2 else around.astype(np.float64)
    against = np.tile(canary / norm, (others, 1))
    bases = [
        (f"the only record of its direction, beside {others} others", elsewhere, labels),
        (f"against {others} records of its direction with the other label", against, np.full(others, low)),
    ]
    if classes > 2:  # every class is there
        words, rows, marks = bases.pop()
        bases.append((words, np.concatenate([rows, elsewhere[:classes]]), np.concatenate([marks, labels[:classes]])))
    probes = np.zeros((PROBES, columns))
    probes[:3, 0] = norm, -norm, norm / 2
    probes[3:] = elsewhere[np.arange(PROBES - 3) % others]
    return tuple(_pair(words, rows, marks, canary, (low, high), relation, probes) for words, rows, marks in bases)


def _pair(
    words: str, rows: Float, labels: Float, canary: Float, marks: tuple[float, float], relation: str, probes: Float
) -> CanaryPair:
    base = Table(features=rows, labels=labels, name="made-up records", source="made up")
    inside = base.with_record(canary, marks[1], name="with the canary")
    changed = base.with_record(canary, marks[0], name="the canary's label changed")
    outside = changed if keeps_size(relation) else base
    return CanaryPair(words=words, inside=inside, outside=outside, probes=probes)


def _elsewhere(rows: int, columns: int) -> Float:
    """Random directions without the canary's; with one column, short rows along it."""
    if columns == 1:
        return np.where(np.arange(rows) % 2, 0.1, -0.1)[:, None]
    found = np.zeros((rows, columns))
    found[:, 1:] = stream(0, "frontier", "made-up records").standard_normal((rows, columns - 1))
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    return np.asarray(found / np.maximum(lengths, 1e-300)[:, None])
