"""BR-TOPK: the top-k probabilities (6.4) of DISS sum to one.

*exact*: with any positive weights psi(s), here rationals, the sum over all n! / (n - k)! prefixes is 1 exactly, by
enumeration in fractions. *computed*: :func:`reference_impls.ranking.top_k_probabilities.top_k` with psi = exp, in
doubles, within what rounding may do to log-probabilities of that size; scores may saturate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.rules import OneOf
from reference_impls.papers.equal_up_to_rounding import UNIT, EqualUpToRounding
from reference_impls.ranking.top_k_probabilities import top_k

WAYS = ("exact", "computed")
ROUNDINGS = 8
"""Of each term of a log-probability, and of each addition."""


@dataclass(frozen=True, kw_only=True)
class TotalProbability(EqualUpToRounding):
    """Subject ``top-k-total``: how far the sum is from 1, over what rounding may do.

    Attributes
    ----------
    way : "exact" or "computed"
        In fractions, or in doubles.
    first, second, third, fourth : float
        Scores of four documents, in [-300, 300].
    k : float
        Places, rounded, from 1 to 4.
    """

    way: Annotated[str, OneOf(WAYS)] = "exact"
    first: float = 0.0
    second: float = 0.5
    third: float = -0.5
    fourth: float = 1.0
    k: float = 1.0

    def validate(self) -> None:
        """k and all scores are small enough for the enumeration."""
        if not 1 <= round(self.k) <= 4 or np.abs(self.scores).max() > 300:
            raise InputError(f"k = {self.k}, scores {self.scores}", allowed="k from 1 to 4, scores in [-300, 300]")

    @property
    def scores(self) -> NDArray[np.float64]:
        """Of the four documents."""
        return np.array([self.first, self.second, self.third, self.fourth])

    def sides(self) -> tuple[Fraction, Fraction]:
        """The distance from 1; one rounding, or those of all terms."""
        k = round(self.k)
        if self.way == "exact":
            weights = [Fraction(float(weight)) for weight in np.exp(self.scores)]
            total = sum((_chance(weights, order) for order in permutations(range(4), k)), Fraction(0))
            return abs(total - 1), UNIT
        listed, chances = top_k(self.scores, k)
        largest = Fraction(float(np.abs(self.scores).max()))
        return abs(Fraction(float(chances.sum())) - 1), ROUNDINGS * UNIT * (k * (largest + 4) + len(listed))


def _chance(weights: list[Fraction], order: tuple[int, ...]) -> Fraction:
    """The probability (6.4) of a prefix."""
    left, found = sum(weights), Fraction(1)
    for document in order:
        found *= weights[document] / left
        left -= weights[document]
    return found
