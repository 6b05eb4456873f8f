"""BR-DESCENT: does the update of DISS, Algorithm 6.1, lower the risk (6.7)?

Line 14 adds up gains times slopes of p_k, so G points where the expected NDCG@k rises, that is where the risk R = -
E NDCG@k falls, and line 21 moves by **minus** eta G. Compared are 1 + R after and before, in [0, 1]: what an update is
said to lower. Linear scores on simulated sessions, no noise, and the code's own G, with the sign as printed or turned.

*step*: one update of a batch of all sessions, from any weights. *training*: 400 updates at the paper's own batch of 10,
eta_0 = 0.1 and k = 1, from zeros, by the algorithm itself. R is computed in doubles, and in balls for a proof.

With the sign turned a small step lowers R and a large one need not: with documents in the unit ball and k = 1 the
second derivative of a session's R along a unit vector is at most 1 (the variance of a score's slope), so steps of at
most 2 over the number of sessions cannot raise the sum.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Annotated, Any

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import OneOf
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.simulated_sessions import simulate_sessions
from dpverify.laws.balls import at_working_precision
from dpverify.sampling.streams import stream
from reference_impls.papers.enclosures import quotient
from reference_impls.ranking.prefix_gradients import accumulated_gradient
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.privbr_repaired import PrivBrRepaired
from reference_impls.ranking.scorers.scorer import find_scorer

Float = NDArray[np.float64]
SIGNS = ("printed", "turned")
FLOAT_ERROR = 1e-12


@dataclass(frozen=True, kw_only=True)
class Descent(Checked, ABC):
    """Base: 1 + R of (6.7) before and after.

    Attributes
    ----------
    sign : "printed" or "turned"
        Of line 21.
    k : float
        Places, rounded: 1 or 2.
    seed : float
        Rounded: which sessions.
    """

    sign: Annotated[str, OneOf(SIGNS)] = "printed"
    k: float = 1.0
    seed: float = 0.0

    def validate(self) -> None:
        """There are one or two places."""
        if round(self.k) not in (1, 2):
            raise InputError(f"{self.called()}: k = {self.k}", allowed="1 or 2")

    @property
    def places(self) -> int:
        """k, rounded to a whole number."""
        return round(self.k)

    @abstractmethod
    def ends(self) -> tuple[Sessions, Float, Float]:
        """Sessions, and the weights before and after."""

    @cached_property
    def _found(self) -> tuple[Sessions, Float, Float]:
        return self.ends()

    def printed(self) -> Enclosed:
        """1 + R before."""
        return Enclosed(value=float(regret(*self._found[:2], self.places, exact=False)), error=FLOAT_ERROR)

    def truth(self) -> Enclosed:
        """1 + R after."""
        value = float(regret(self._found[0], self._found[2], self.places, exact=False))
        return Enclosed(value=value, error=FLOAT_ERROR)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """After over before, in balls."""
        sessions, before, after = self._found
        return quotient(*(regret(sessions, weights, self.places, exact=True) for weights in (after, before)))


@dataclass(frozen=True, kw_only=True)
class OneUpdate(Descent):
    """Subject ``privbr-update``. `scale` is the size of the weights before, >= 0; `step_size` is eta > 0."""

    scale: float = 0.0
    step_size: float = 0.1

    def ends(self) -> tuple[Sessions, Float, Float]:
        """Weights before and after line 21 was run once."""
        rng = stream(round(self.seed), "an update")
        sessions = simulate_sessions(3, longest=4, columns=2, rng=rng)
        scorer, before = find_scorer("linear"), self.scale * rng.standard_normal(2)
        total = np.zeros(2)
        for j in range(sessions.count):
            total += accumulated_gradient(scorer, before, sessions.documents_of(j), sessions.labels_of(j), self.places)
        return sessions, before, before + (self.step_size if self.sign == "turned" else -self.step_size) * total


@dataclass(frozen=True, kw_only=True)
class WholeTraining(Descent):
    """Subject ``privbr-training``: 400 updates without noise."""

    def ends(self) -> tuple[Sessions, Float, Float]:
        """By the algorithm as printed, or as repaired."""
        rng = stream(round(self.seed), "a training")
        sessions = simulate_sessions(16, rng=rng)
        kind = PrivBr if self.sign == "printed" else PrivBrRepaired
        training = kind(scorer="linear", k=self.places, noise_multiplier=0.0, spectral=False, reduced=False)
        return sessions, np.zeros(sessions.columns), training.train(sessions, rng=rng)


def regret(sessions: Sessions, weights: Float, k: int, *, exact: bool) -> Any:
    """1 + R of linear scores: 1 minus the mean of the expected NDCG@k; a ball, or (not `exact`) a float."""
    number = flint.arb if exact else float
    total = number(0.0)
    for j in range(sessions.count):
        grown = [
            _grown(sum((number(a) * number(w) for a, w in zip(row, weights.tolist(), strict=True)), number(0.0)))
            for row in sessions.documents_of(j).tolist()
        ]
        gains = [number(2.0) ** number(label) - 1 for label in sessions.labels_of(j).tolist()]
        total += _expected(grown, gains, min(k, len(gains)), number)
    return 1 - total / sessions.count


def _grown(score: Any) -> Any:
    return score.exp() if isinstance(score, flint.arb) else math.exp(score)


def _expected(grown: list[Any], gains: list[Any], k: int, number: Any) -> Any:
    """Expected NDCG@k of one session, k <= 2; 0 where every gain is."""
    second = flint.arb(2).log() / flint.arb(3).log() if number is flint.arb else math.log(2.0) / math.log(3.0)
    shares = [number(1.0), second]
    highest = sorted(gains, key=float, reverse=True)
    best = sum((gain * share for gain, share in zip(highest[:k], shares, strict=False)), number(0.0))
    if not best > 0:
        return number(0.0)
    total = number(0.0)
    for order in permutations(range(len(gains)), k):
        chance, left = number(1.0), list(range(len(gains)))
        for document in order:
            chance *= grown[document] / sum((grown[other] for other in left), number(0.0))  # no subtraction: it cancels
            left.remove(document)
        total += chance * sum((gains[i] * share for i, share in zip(order, shares, strict=False)), number(0.0))
    return total / best


def shown(kind: str, k: float) -> Shown:
    """1 + R before and after, by both signs."""
    build: Any = {"step": OneUpdate, "training": WholeTraining}[kind]
    printed, turned = (build(sign=sign, k=k) for sign in SIGNS)
    what = "one update" if kind == "step" else "400 updates without noise"
    numbers = (
        ("1 + R before", printed.printed().value),
        (f"after {what}, as printed", printed.truth().value),
        (f"after {what}, sign turned", turned.truth().value),
    )
    return Shown(numbers=numbers, holds=turned.truth().value < turned.printed().value < printed.truth().value)
