"""Attacks on a trainer's outputs: which number of an output tells best whether the canary was in.

Chosen on pilot runs, which no bound rests on: the model's score on the canary; its length (or spread); a linear rule
that the pilots teach (the mean difference over the variance of each number). The rule is compared on pilots that it did
not learn from, and then learned from all. Where the pilots do not tell, the score on the canary is taken. Any attack is
sound; a poor one shows little.

Pairs of small made-up tables differ in one canary. A claim holds for every pair of neighbours, so any pair may refute
it, and made-up ones show nobody's record. The canary is a row of the largest norm in a direction of its own: the weight
of that direction is where it shows. Under ``add-remove`` one table has it and the other lacks it; under ``replace`` the
other has it with the other label. A trainer may leak on other pairs only. Rows longer than those of the data are not
tried unless `norm` says so, since a trainer may rightly rely on their length. The number of records is taken as public,
as it is nearly everywhere: beside hundreds of others one record more hardly changes it. On tables of a few records
(`FEW`) a trainer whose noise or steps follow their number shows that, under add-remove.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.relation_names import PRICED
from dpverify.core.subjects import Float
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream

CANARY, LENGTH, LEARNED = "the model's score on the canary", "the length of the output", "a linear rule from pilot runs"


OTHERS = (200, 5000)
"""Records beside the canary: the first number that the trainer takes (some need as many as a batch has)."""

FEW = (2, 40)
"""Records beside the canary on small tables."""

PROBES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A number from each output."""

    words: str
    weights: Float | None = None
    """Shape (k,): of the linear rule."""

    def scores(self, outputs: Float) -> Float:
        """Scores (n,) of outputs (n, 1 + k): the score on the canary, then what else was seen."""
        if self.words == CANARY:
            return np.asarray(outputs[:, 0])
        if self.words == LENGTH:
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", outputs[:, 1:], outputs[:, 1:])))
        assert self.weights is not None
        return np.asarray(outputs[:, 1:] @ self.weights)


def learned(inside: Float, outside: Float) -> Attack:
    """The linear rule of these pilots, shapes (n, 1 + k) and (m, 1 + k)."""
    spread = inside[:, 1:].var(axis=0) + outside[:, 1:].var(axis=0)
    moved = inside[:, 1:].mean(axis=0) - outside[:, 1:].mean(axis=0)
    floor = max(float(spread.max(initial=0.0)) * 1e-12, 1e-300)
    return Attack(words=LEARNED, weights=moved / np.maximum(spread, floor))


def best_attack(inside: Float, outside: Float) -> tuple[Attack, float]:
    """(the attack that tells the sides apart best, by how far its AUC is from 1/2) on pilots of both sides."""
    plain, length = (_apart(Attack(words=words), inside, outside) for words in (CANARY, LENGTH))
    halves = [slice(0, None, 2), slice(1, None, 2)]
    crossed = [
        _apart(learned(inside[taught], outside[taught]), inside[asked], outside[asked])
        for taught, asked in (halves, halves[::-1])
    ]
    found = [(Attack(words=LENGTH), length), (learned(inside, outside), float(np.mean(crossed)))]
    other, apart = max(found, key=lambda each: each[1])
    chance = 2.0 * math.sqrt((1 / len(inside) + 1 / len(outside)) / 12.0)  # two standard errors of an AUC of 1/2
    return (other, apart) if apart > plain + chance else (Attack(words=CANARY), plain)


def _apart(attack: Attack, inside: Float, outside: Float) -> float:
    first, second = attack.scores(inside), attack.scores(outside)
    above = (first[:, None] > second).mean() + 0.5 * (first[:, None] == second).mean()
    return abs(float(above) - 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryPair:
    """Two neighbouring tables."""

    words: str
    """What they are."""
    inside: Table
    outside: Table
    """`inside`, `outside`: with the canary, and without it (or with its label changed)."""
    probes: Float
    """Shape (PROBES, columns): records on which a model is asked; the first is the canary."""


def canary_pairs(columns: int, classes: int, *, relation: str, norm: float, others: int) -> tuple[CanaryPair, ...]:
    """Two pairs with this many columns and classes, the same at every call.

    InputError for another relation than one record added or removed, or replaced.
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
