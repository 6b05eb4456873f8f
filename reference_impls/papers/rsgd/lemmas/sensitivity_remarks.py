"""Computations behind the remarks on refuted claims about sensitivities in RSGD.

Those on noise, averaging and whole trainings: :mod:`~reference_impls.papers.rsgd.lemmas.noise_remarks`.
"""

from __future__ import annotations

from typing import Any

from dpverify.core.ledger_words import Shown
from reference_impls.papers.rsgd.lemmas.fixed_step import FixedStep
from reference_impls.papers.rsgd.lemmas.gradient_bound import GradientBound
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.one_feature_runs import FOLDS, LARGE_FOLDS
from reference_impls.papers.rsgd.lemmas.place_bound import PlaceBound

_ROUNDING = 1e-9


def both_sides(subject: PlaceBound | LastPlace | FixedStep | GradientBound) -> tuple[float, float]:
    """What is printed, and what is true."""
    return subject.printed().value, subject.truth().value


def whole_space() -> Shown:
    """The numbers shown beside the remark on RS-COND.a."""
    printed, true = both_sides(GradientBound(where="space", bound=1e6))
    return Shown(numbers=(("R", printed), ("gradient at w = 2 (R + 1) / lambda", true)), holds=true > printed)


def along_runs() -> Shown:
    """The numbers shown beside the remark on RS-COND.b."""
    printed, true = both_sides(GradientBound(own=1.0, rest=1.0))
    _, difference = both_sides(GradientBound(where="difference", weight=1.5))
    return Shown(
        numbers=(
            ("R of the unit ball", printed),
            ("largest gradient along a run", true),
            ("largest difference of two records' there, 2 R being allowed", difference),
        ),
        holds=true > printed and difference <= 2.0 * printed,
    )


def beyond() -> Shown:
    """The numbers shown beside the remark on RS-FIXED.b."""
    printed, true = both_sides(FixedStep(initial_step=2.5, epochs=20, own=0.0, rest=0.0))
    finite = FixedStep(initial_step=2.5, epochs=20, bound="finite").printed().value
    return Shown(
        numbers=(
            ("formula at eta = 2.5, 20 epochs", printed),
            ("two runs end apart by", true),
            ("the finite sum that bounds it", finite),
        ),
        holds=printed < 0.0 < true <= finite,
    )


def last_bounds() -> Shown:
    """The numbers shown beside the remark on RS-LAST.a."""
    first, last = (
        LastPlace(compared="bounds", initial_step=4.0, epochs=2, place=place).truth().value for place in (0.0, 1.0)
    )
    low, high = (LastPlace(compared="bounds", epochs=2, place=place).truth().value for place in (0.0, 1.0))
    return Shown(
        numbers=(
            ("eta_0 = 4: Delta of the first place", first),
            ("eta_0 = 4: Delta of the last", last),
            ("eta_0 = 1: Delta of the first place", low),
            ("eta_0 = 1: Delta of the last", high),
        ),
        holds=first > last and low <= high,
    )


def last_runs() -> Shown:
    """The numbers shown beside the remark on RS-LAST.c."""
    run = LastPlace(initial_step=2.5, epochs=1, batches=2, place=0.0, own=0.4, rest=1.0)
    printed, true = both_sides(run)
    largest = LastPlace(initial_step=2.5, epochs=1, batches=2, taken="largest").printed().value
    return Shown(
        numbers=(
            ("Delta of the last place", printed),
            ("a record in the first of two batches moves the end by", true),
            ("largest Delta of all places", largest),
        ),
        holds=printed < true <= largest * (1.0 + _ROUNDING),
    )


def nominal() -> Shown:
    """The numbers shown beside the remark on RS-DELTA.b."""
    numbers: list[tuple[str, float]] = []
    holds = True
    for name, rows in (FOLDS | LARGE_FOLDS).items():
        there = PlaceBound(rows=rows)
        printed, true = both_sides(there)
        repaired = PlaceBound(rows=rows, believed="own").printed().value
        numbers += [(f"{name}: records in the last batch", float(there.sizes[-1]))]
        numbers += [(f"{name}: how far one of them moves the end, over Delta[m]", true / printed)]
        uneven = there.sizes[-1] < there.sizes[0]
        holds = holds and (printed < true) is uneven and true <= repaired * (1.0 + _ROUNDING)
    return Shown(numbers=tuple(numbers), holds=holds)


def even() -> Shown:
    """The numbers shown beside the remark on RS-DELTA.even."""
    there = PlaceBound(rows=FOLDS["BANK"], split="even")
    printed, true = both_sides(there)
    numbers = (
        ("smallest part", float(min(there.sizes))),
        ("largest part, taken for all", float(there.nominal)),
        ("how far a record moves the end, over Delta[m]", true / printed),
    )
    return Shown(numbers=numbers, holds=printed < true)


def literal(schedule: str, accounting: str = "literal", **where: float) -> Shown:
    """The numbers shown beside the remarks on RS-AVG.averaged-h, RS-AVG.literal-h and RS-AVG.literal-s."""
    there: dict[str, Any] = {"schedule": schedule, "interval": 10.0, **where}
    printed, true = both_sides(PlaceBound(accounting=accounting, **there))
    repaired = PlaceBound(**there).printed().value
    return Shown(
        numbers=(
            ("Algorithm 2" + (" to the letter" if accounting == "literal" else ", averaged"), printed),
            ("a record moves the end by", true),
            ("the recursion along the run's own steps, averaged", repaired),
        ),
        holds=printed < true <= repaired * (1.0 + _ROUNDING),
    )
