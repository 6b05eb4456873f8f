"""BR-GRAD, BR-LISTNET, BR-LISTMLE: gradients as printed against derivatives in ball arithmetic.

What is printed is computed in doubles by the code that trains. What is true is the derivative of the function itself,
by power series of order two over balls (forward differentiation): no step, no cancellation. The claim is that nothing
but rounding lies between them, and the room for it stands in each subject: so many roundings of the size of the terms.
Doubles are exact numbers, so a difference that exceeds the room is a proved one.

(BR-GRAD.a) dp_k/df of section 6.5.3. (BR-GRAD.b) df/dtheta of the MLP of section 6.5.3, in three activations, with phi'
at the activation a1 as printed, or at the pre-activation h1 as the chain rule has it (-R). (BR-LISTNET, BR-LISTMLE) the
losses of section 6.4.2 and their slopes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Annotated

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, OneOf
from dpverify.laws.balls import at_working_precision, enclosed_ball
from dpverify.sampling.streams import stream
from reference_impls.ranking.metrics import ranking
from reference_impls.ranking.objectives.objective import find_objective
from reference_impls.ranking.scorers.mlp import ACTIVATIONS, MlpScorer
from reference_impls.ranking.top_k_probabilities import jacobian, prefixes

Float = NDArray[np.float64]
Series = flint.arb_series
UNIT = 2.0**-53
ROUNDINGS = 32.0
DOCUMENTS = 4
COLUMNS, WIDTH = 2, 2
"""Of the MLP."""
WHATS = ("loss", "gradient")


class Slopes(ABC):
    """Computed numbers beside true ones, and the room for rounding; subclasses are frozen dataclasses."""

    @abstractmethod
    def compared(self) -> tuple[list[float], list[flint.arb], float]:
        """Computed, true, and the room."""

    @cached_property
    def _sides(self) -> tuple[flint.arb, flint.arb]:
        computed, true, room = self.compared()
        apart = flint.arb(0)
        for a, b in zip(computed, true, strict=True):
            apart = apart.max(abs(flint.arb(a) - b))
        return apart, flint.arb(room)

    @at_working_precision
    def printed(self) -> Enclosed:
        """The room that rounding is allowed."""
        return Enclosed(value=float(self._sides[1]))

    @at_working_precision
    def truth(self) -> Enclosed:
        """The largest difference between computed and true."""
        return enclosed_ball(self._sides[0]) or Enclosed(value=float("nan"))

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """One over the other."""
        apart, room = self._sides
        return enclosed_ball(apart / room)


@dataclass(frozen=True, kw_only=True)
class Scored(Checked, Slopes):
    """Base: four documents' scores, in [-20, 20], and `k` places (rounded, 1 to 3)."""

    first: float = 0.0
    second: float = 0.5
    third: float = -0.5
    fourth: float = 1.0
    k: float = 1.0

    def validate(self) -> None:
        """k and all scores are small enough for the enumeration in balls."""
        if not 1 <= round(self.k) <= 3 or np.abs(self.scores).max() > 20:
            raise InputError(f"k = {self.k}, scores {self.scores}", allowed="k from 1 to 3, scores in [-20, 20]")

    @property
    def scores(self) -> Float:
        """Of the four documents."""
        return np.array([self.first, self.second, self.third, self.fourth])

    def size(self, numbers: Float) -> float:
        """What the rounding of log-probabilities of the first k places is relative to."""
        return round(self.k) * (float(np.abs(numbers).max()) + DOCUMENTS)


@dataclass(frozen=True, kw_only=True)
class PrefixSlopes(Scored):
    """Subject ``top-k-slopes``: dp_k/df of every prefix and document, as printed in section 6.5.3."""

    def compared(self) -> tuple[list[float], list[flint.arb], float]:
        """Prefixes in order, documents within them."""
        listed = prefixes(DOCUMENTS, round(self.k))
        computed = jacobian(self.scores, listed)
        lifted = [_lifted(self.scores, document) for document in range(DOCUMENTS)]
        chances = [_chance(weights, order) for order in listed.tolist() for weights in lifted]
        largest = max(float(chance[0]) for chance in chances)
        room = ROUNDINGS * UNIT * self.size(self.scores) * largest
        return computed.ravel().tolist(), [chance[1] for chance in chances], room


@dataclass(frozen=True, kw_only=True)
class ListwiseSlopes(Scored):
    """Subject ``listwise-slopes``: loss or gradient of a listwise objective.

    Attributes
    ----------
    objective : "listnet" or "listmle"
        Which.
    what : "loss" or "gradient"
        What is compared.
    y_1, y_2, y_3, y_4 : float
        Labels, in [0, 4].
    """

    objective: Annotated[str, OneOf(("listnet", "listmle"))] = "listnet"
    what: Annotated[str, OneOf(WHATS)] = "gradient"
    y_1: float = 0.0
    y_2: float = 2.0
    y_3: float = 1.0
    y_4: float = 1.0

    def compared(self) -> tuple[list[float], list[flint.arb], float]:
        """The loss alone, or the slope in each score."""
        objective, k = find_objective(self.objective), round(self.k)
        labels = np.array([self.y_1, self.y_2, self.y_3, self.y_4])
        places = k if self.objective == "listnet" else DOCUMENTS
        room = ROUNDINGS * UNIT * places * (np.abs(self.scores).max() + DOCUMENTS) * (1 + places * labels.max())
        if self.what == "loss":
            return [objective.loss(self.scores, labels, k)], [self._loss(0, labels)[0]], float(room)
        computed = objective.slopes(self.scores, labels, k)
        return computed.tolist(), [self._loss(i, labels)[1] for i in range(DOCUMENTS)], float(room)

    def _loss(self, document: int, labels: Float) -> Series:
        """The printed loss as a series in one document's score."""
        lifted = _lifted(self.scores, document)
        if self.objective == "listmle":
            return -_chance(lifted, ranking(labels).tolist()).log()
        fixed = _lifted(labels, -1)
        total = Series([0], prec=2)
        for order in permutations(range(DOCUMENTS), round(self.k)):
            total -= _chance(fixed, order) * _chance(lifted, order).log()
        return total


@dataclass(frozen=True, kw_only=True)
class MlpSlopes(Checked, Slopes):
    """Subject ``mlp-slopes``: df/dtheta of one document.

    Attributes
    ----------
    activation : str
        A name in :data:`~reference_impls.ranking.scorers.mlp.ACTIVATIONS`.
    printed_slope : bool
        Whether phi' is taken at a1, as printed.
    seed, scale : float
        Which weights and features (rounded); the weights' size, in (0, 10].
    """

    activation: Annotated[str, OneOf(tuple(ACTIVATIONS))] = "relu"
    printed_slope: bool = True
    seed: float = 0.0
    scale: Annotated[float, Between(0, 10, open="low")] = 1.0

    def compared(self) -> tuple[list[float], list[flint.arb], float]:
        """The slope in each weight."""
        scorer = MlpScorer(width=WIDTH, activation=self.activation, printed=self.printed_slope)
        rng = stream(round(self.seed), "an mlp")
        weights = self.scale * rng.standard_normal(scorer.dimension(COLUMNS))
        features = rng.uniform(-1.0, 1.0, COLUMNS)
        computed = scorer.gradient(weights, features[None, :], np.ones(1))
        true = [self._score(weights, features, place)[1] for place in range(weights.size)]
        size = (1.0 + float(np.abs(weights).sum())) ** 2
        return computed.tolist(), true, ROUNDINGS * UNIT * size

    def _score(self, weights: Float, features: Float, place: int) -> Series:
        """f as a series in one weight."""
        lifted = [Series([w, int(i == place)], prec=2) for i, w in enumerate(weights.tolist())]
        total = Series([0], prec=2)
        for unit in range(WIDTH):
            before = lifted[WIDTH * COLUMNS + unit]
            for j in range(COLUMNS):
                before += lifted[unit * COLUMNS + j] * flint.arb(float(features[j]))
            total += lifted[WIDTH * (COLUMNS + 1) + unit] * self._active(before)
        return total

    def _active(self, before: Series) -> Series:
        if self.activation == "relu":
            return before if before[0] > 0 else Series([0], prec=2)
        if self.activation == "tanh":
            grown = (2 * before).exp()
            return (grown - 1) / (grown + 1)
        return 1 / (1 + (-before).exp())


def _lifted(scores: Float, document: int) -> list[Series]:
    """exp of the scores, as series in one of them (none for -1)."""
    grown = [flint.arb(float(score)).exp() for score in scores]
    return [Series([weight, weight if i == document else 0], prec=2) for i, weight in enumerate(grown)]


def _chance(weights: list[Series], order: Sequence[int]) -> Series:
    """(6.4) for one prefix."""
    left, found = list(range(len(weights))), Series([1], prec=2)
    for document in order:
        rest = Series([0], prec=2)
        for i in left:
            rest += weights[i]
        found *= weights[document] / rest
        left.remove(document)
    return found
