"""Attacks on a trainer's outputs: which number of an output tells best whether the canary was in.

Chosen on pilot runs, which no bound rests on: the model's score on the canary; its length (or spread); a linear rule
that the pilots teach (the mean difference over the variance of each number). The rule is compared on pilots that it did
not learn from, and then learned from all. Where the pilots do not tell, the score on the canary is taken. Any attack is
sound; a poor one shows little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.core.subjects import Float

CANARY, LENGTH, LEARNED = "the model's score on the canary", "the length of the output", "a linear rule from pilot runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """A number from each output.

    Attributes
    ----------
    words : str
        Which.
    weights : float64, shape (k,), or None
        Of the linear rule.
    """

    words: str
    weights: Float | None = None

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
