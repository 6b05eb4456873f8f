"""Computations behind the remarks on claims of RSGD that stand: what they rest on, and how much they gain."""

from __future__ import annotations

from dataclasses import replace

from dpverify.core.ledger_words import Shown
from reference_impls.papers.rsgd.lemmas.gradient_bound import GradientBound
from reference_impls.papers.rsgd.lemmas.hidden_place import HiddenPlace
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.permutation_cost import PermutationCost
from reference_impls.papers.rsgd.lemmas.place_bound import PlaceBound
from reference_impls.papers.rsgd.lemmas.sgd_operator import OneStep

_ROUNDING = 1e-9


def far_out() -> Shown:
    """One record, far from 0, where its regularised gradient is beyond any R that the features give."""
    step = OneStep(step=1.0, w=-1e5, v=-1e5, size=1, record=1.0, other=-1.0)
    gradient = GradientBound(where="space", bound=1.0).truth().value
    numbers = (
        ("R of the loss alone", 1.0),
        ("a regularised gradient far out", gradient),
        ("two points after a step on two records, from w = -1e5", step.truth().value),
        ("Lemma 2 with R = 1", step.printed().value),
    )
    return Shown(numbers=numbers, holds=step.truth().value <= step.printed().value and gradient > 1.0)


def windows() -> Shown:
    """The numbers shown beside the remark on RS-AVG.rsgd-h."""
    first, second = (
        PlaceBound(text=text, schedule="restart", interval=10.0).moved().value for text in ("RSGD", "DISS")
    )
    numbers = (("moved, RSGD's lines 13 to 15", first), ("moved, DISS's lines 14 and 15", second))
    return Shown(numbers=numbers, holds=first == second)


def hidden() -> Shown:
    """The numbers shown beside the remark on RS-RDP.rsgd."""
    there = HiddenPlace(interval=10.0, schedule="restart")
    known = there.order / (2.0 * there.noise**2)
    printed, exact = there.printed().value, there.truth().value
    numbers = (
        ("epsilon if the worst place were known", known),
        ("epsilon of (3.9)", printed),
        ("exact law of the trainings", exact),
    )
    return Shown(numbers=numbers, holds=exact <= printed <= known)


def permuted() -> Shown:
    """The numbers shown beside the remark on RS-PERM.a."""
    there = PermutationCost()
    plain, mixed = there.printed().value, there.truth().value
    numbers = (("epsilon of NSGD", plain), ("after a permutation", mixed), ("gain", 1.0 - mixed / plain))
    return Shown(numbers=numbers, holds=mixed <= plain)


def capped() -> Shown:
    """Runs follow a turned share of their records closely, so the furthest of a grid of shares is shown."""
    far = LastPlace(initial_step=10.0, epochs=1.0, batches=8.0, place=0.0, own=0.1, rest=0.87)
    plain, capped = (replace(far, taken=taken).printed().value for taken in ("largest", "capped"))
    shares = (share / 200 for share in range(100))
    moved = max(replace(far, opposed=share).truth().value for share in shares)
    two = LastPlace(initial_step=2.5, epochs=1.0, batches=2.0, place=0.0, own=0.4, rest=1.0, taken="capped")
    reached = two.truth().value / two.printed().value
    return Shown(
        numbers=(
            ("eta_0 = 10, one epoch of 8 batches: largest Delta[j]", plain),
            ("the same, capped", capped),
            ("two runs end apart by, the furthest of a hundred pairs", moved),
            ("eta_0 = 2.5, 2 batches: two runs, over the capped Delta", reached),
        ),
        holds=moved <= capped < plain and 1.0 - _ROUNDING < reached < 1.0 + _ROUNDING,
    )
