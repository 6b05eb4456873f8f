"""Computations behind the remarks on the gradients of DISS chapter 6 (BR-GRAD).

The text names no activation; ReLU is the one under which its formula is right.
"""

from __future__ import annotations

from dpverify.core.ledger_words import Shown
from reference_impls.papers.diss.lemmas.ranking.slopes_in_balls import MlpSlopes


def shown(activation: str) -> Shown:
    """The numbers shown beside the remarks on BR-GRAD.b-tanh and BR-GRAD.b-logistic."""
    printed, repaired, relu = (
        MlpSlopes(activation=name, printed_slope=at_a1)
        for name, at_a1 in ((activation, True), (activation, False), ("relu", True))
    )
    gaps = [each.truth().value for each in (printed, repaired, relu)]
    numbers = (
        (f"largest error of a slope, {activation}, as printed", gaps[0]),
        (f"largest error, {activation}, phi' at h1", gaps[1]),
        ("largest error, relu, as printed", gaps[2]),
    )
    return Shown(numbers=numbers, holds=gaps[0] > 1e-3 and max(gaps[1:]) < 1e-12)
