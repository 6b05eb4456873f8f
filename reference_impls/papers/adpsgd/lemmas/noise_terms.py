"""The terms of ADPSGD Proposition 5.1, (9) and (10), beside those of (7): ledger row AP-PROP51.

With S_1 and S_2 as in :mod:`reference_impls.papers.adpsgd.lemmas.gain_over_dp_sgd`, its third terms are eta d L (16
G)^2 B / (2 n^2 epsilon^2) times M / S_1, which is S_1 for ADP-SGD and T S_2 / S_1 for DP-SGD, if (7) is mended
(AP-THM42). (9) prints sqrt(T / c) for S_1, which is twice that for large T: the 2 of the integral is lost. (10) prints
2 sqrt(T / c) log(1 + u / a) for what tends to a fourth of it. So the printed gain, 2 log(1 + u / a), tends to eight
times the true one. B_T is not defined in the text at hand; read as log(1 + u / a), the first two terms are right.

Not to be confused with the final accuracy of trainings, :mod:`reference_impls.papers.adpsgd.lemmas.utility_bounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import flint

from dpverify.core.ledger_words import Shown
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.adpsgd.lemmas.gain_over_dp_sgd import TRAININGS, A, C, Polynomial, gain, inverse_sums

Term = Literal["first", "second", "adp-third", "dp-third"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PropositionTerm(Polynomial):
    """Subject ``lemma-adp-sgd-proposition``: a term of (9), (10) without what both sides share.

    Attributes
    ----------
    term : str
        ``first``: 1 / S_1 against sqrt(c / (T - 1)); ``second``: S_2 against B_T / c; ``adp-third``: S_1 against
        sqrt(T / c); ``dp-third``: T S_2 / S_1 against 2 sqrt(T / c) log(1 + c T / a).
    mended : bool
        Whether (9)'s third term has its 2.
    """

    term: Term = "adp-third"
    mended: bool = False

    def printed_ball(self) -> flint.arb | None:
        """As (9) or (10) has it."""
        if not self.covered:
            return None
        root = (flint.arb(self.whole) / exact_ball(self.c)).sqrt()
        match self.term:
            case "first":
                return (exact_ball(self.c) / (self.whole - 1)).sqrt()
            case "second":
                return self.spread() / exact_ball(self.c)
            case "adp-third":
                return root * (2 if self.mended else 1)
            case "dp-third":
                return 2 * root * self.spread()

    def true_ball(self) -> flint.arb:
        """As (7) gives it."""
        first, second = inverse_sums(self.a, self.c, self.whole)
        match self.term:
            case "first":
                return 1 / first
            case "second":
                return second
            case "adp-third":
                return first
            case "dp-third":
                return self.whole * second / first


@at_working_precision
def shown() -> Shown:
    """What (9) prints for S_1 and what it is; the printed gain and the true one."""
    first, _ = inverse_sums(A, C, TRAININGS[0])
    true, printed = float(gain(A, C, TRAININGS[0])), 2 * math.log(1 + C * TRAININGS[0] / A)
    root = math.sqrt(TRAININGS[0] / C)
    numbers = (
        ("sqrt(T / c), printed in (9)", root),
        ("sum 1 / b_t", float(first)),
        ("printed gain", printed),
        ("true gain M_dp / M_adp", true),
    )
    return Shown(numbers=numbers, holds=bool(first > root) and printed > 4 * true)
