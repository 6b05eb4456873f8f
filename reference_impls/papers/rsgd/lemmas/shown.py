"""What to say beside the rows of RSGD that fell: the line that breaks, what it means, what to do, and the numbers.

The rows on sensitivities; those on noise, averaging and trainings:
:mod:`~reference_impls.papers.rsgd.lemmas.shown_noise`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpverify.core.remark import Remark, Shown
from reference_impls.papers.rsgd.lemmas.conditions import GradientBound
from reference_impls.papers.rsgd.lemmas.fixed_step import FixedStep
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.line import FOLDS, LARGE_FOLDS
from reference_impls.papers.rsgd.lemmas.place_bound import PlaceBound

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

OWN_SIZES = "Divide by the batch's own size (2 eta R / |B_j|), or drop the records that fill no batch."
_ROUNDING = 1e-9


def both_sides(subject: PlaceBound | LastPlace | FixedStep | GradientBound) -> tuple[float, float]:
    """What is printed, and what is true."""
    return subject.printed().value, subject.truth().value


def _whole_space() -> Shown:
    printed, true = both_sides(GradientBound(where="space", bound=1e6))
    return Shown(numbers=(("R", printed), ("gradient at w = 2 (R + 1) / lambda", true)), holds=true > printed)


def _along_runs() -> Shown:
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


def _beyond() -> Shown:
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


def _last_bounds() -> Shown:
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


def _last_runs() -> Shown:
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


def _nominal() -> Shown:
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


def _even() -> Shown:
    there = PlaceBound(rows=FOLDS["BANK"], split="even")
    printed, true = both_sides(there)
    numbers = (
        ("smallest part", float(min(there.sizes))),
        ("largest part, taken for all", float(there.nominal)),
        ("how far a record moves the end, over Delta[m]", true / printed),
    )
    return Shown(numbers=numbers, holds=printed < true)


def _literal(schedule: str, accounting: str = "literal", **where: float) -> Shown:
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


REMARKS = (
    Remark(
        claim="RS-COND.a",
        breaks="Condition 4 asks for one R for all w in Theta. Strong convexity alone makes gradients grow at least "
        "like mu |w|, so no R serves on the whole space, and no algorithm of the papers projects.",
        means="On a bounded Theta regularised losses do meet the conditions, but then steps have to stay in Theta, "
        "which nothing printed ensures; on the whole space no loss meets them.",
        instead="Ask that the gradients of two records at one w differ by at most 2 R: that is all Lemma 2 uses.",
        shown=_whole_space,
    ),
    Remark(
        claim="RS-COND.b",
        breaks="'Ensuring that the feature vectors lie inside a ball' bounds the gradient of the loss, not that of the "
        "regulariser: along a run it is exceeded by lambda |w|.",
        means="Immaterial at the papers' lambda, and it never reaches the privacy claim, because the regulariser "
        "cancels in the difference that the proofs take.",
        instead="Use R of the loss without its regulariser, and say that it bounds half of that difference.",
        shown=_along_runs,
    ),
    Remark(
        claim="RS-FIXED.b",
        breaks="DISS's proof lets the number of epochs grow 'since 0 < rho < 1'. Neither statement has that condition; "
        "with eta > 2 / L rho exceeds 1, and the closed form is negative.",
        means="Code that computes the formula without the check gets a negative sensitivity, hence nonsense for noise.",
        instead="Refuse eta > 2 / L, or use the finite sum over the epochs, which grows without end there.",
        shown=_beyond,
    ),
    Remark(
        claim="RS-LAST.a",
        breaks="What follows a record's own step in its epoch is worth rho^(m - j). 'Easy to see' holds for rho <= "
        "1; in epochs with eta_0 / s > 2 / L, rho is above 1 and the first place has the largest bound.",
        means="With a large initial step, NSGD's noise is scaled to one of the smallest Delta[j] instead of the "
        "largest.",
        instead="Compute Delta[j] for every place and take the largest.",
        shown=_last_bounds,
    ),
    Remark(
        claim="RS-LAST.c",
        breaks="The same, in runs: with eta_0 > 2 / L a step over records with curvature at w multiplies the "
        "distance by up to eta L - 1 > 1, so a record of the first batch can end further away than one of "
        "the last.",
        means="NSGD with the last place's noise is less private than it says; only with eta_0 > 2 / L and few "
        "epochs, since later, smaller steps contract what the first ones expanded.",
        instead="Take the largest Delta[j], or keep eta_0 <= 2 / L.",
        shown=_last_runs,
    ),
    Remark(
        claim="RS-DELTA.b",
        breaks="Algorithm 2, line 9 (DISS 3.2, line 12) adds 2 eta R / nu with one nu for every batch. The gradient "
        "of the last batch is divided by its own size (Algorithm 3, line 10), and 4,000 divides only one of "
        "the papers' folds.",
        means="A record that stands in the last batch moves the end by 4,000 / |B_m| times what the noise was made "
        "for: material on the folds of four of the papers' five data sets, and most on BANK.",
        instead=OWN_SIZES,
        shown=_nominal,
    ),
    Remark(
        claim="RS-DELTA.even",
        breaks="The same line: with even parts one |B| is still one too many for the smaller ones.",
        means="Immaterial for batches of thousands.",
        instead=OWN_SIZES,
        shown=_even,
    ),
    Remark(
        claim="RS-AVG.averaged-h",
        breaks="Section 4.3 averages 'the most recent m tau values of Delta in Algorithm 2', whose line 5 steps by "
        "eta_0 / s; Algorithm 3, line 14, sets h back and so steps by eta_0 again every tau epochs.",
        means="Code that does as it is told accounts for smaller steps than it makes, and takes off the averaging too.",
        instead="Feed the recursion the very steps of the run.",
        shown=lambda: _literal("restart", "averaged"),
    ),
    Remark(
        claim="RS-AVG.literal-h",
        breaks="Algorithm 2 has eta_0 / s in line 5 and no averaging, yet is cited for Algorithm 3, which sets h "
        "back to 0 (line 14) and so steps by eta_0 again every tau epochs.",
        means="Code that follows Algorithm 2's lines accounts for smaller steps than it makes.",
        instead="Feed the recursion the very steps of the run, and average Delta where the run averages.",
        shown=lambda: _literal("restart"),
    ),
    Remark(
        claim="RS-AVG.literal-s",
        breaks="With eta_0 / s throughout (DISS, line 8) Algorithm 2 lacks only the averaging. It mostly errs high "
        "then; but for the first places and tau = 1 a mean over an epoch holds iterates that had contracted "
        "less than the last.",
        means="Little at the papers' lambda; the last places, which matter most, are safe.",
        instead="Average Delta where the run averages.",
        shown=lambda: _literal("epoch", interval=1.0, epochs=40.0, place=0.0),
    ),
)


def register(registry: Registry) -> None:
    """Put the remarks beside their claims."""
    for remark in REMARKS:
        registry.remarks.add(remark.claim, remark)
