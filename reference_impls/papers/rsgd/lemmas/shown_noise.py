"""What to say beside RSGD's rows on noise, averaging and whole trainings.

Those on sensitivities: :mod:`~reference_impls.papers.rsgd.lemmas.shown`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.core.remark import Remark, Shown
from reference_impls.papers.rsgd.lemmas.averaging_cost import AveragingCost
from reference_impls.papers.rsgd.lemmas.hidden_place import HiddenPlace, divergence
from reference_impls.papers.rsgd.lemmas.line import FOLDS, Line
from reference_impls.papers.rsgd.lemmas.nsgd_margins import ORDER, NsgdMargins
from reference_impls.papers.rsgd.lemmas.rsgd_ar_margins import ORDER as SAMPLED_ORDER
from reference_impls.papers.rsgd.lemmas.rsgd_ar_margins import RsgdArMargins
from reference_impls.papers.rsgd.lemmas.shown import OWN_SIZES

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

_ROUNDING = 1e-9


def _averaging(**given: Any) -> Shown:
    there = AveragingCost(**given)
    described, printed, true = there.describe(), there.printed().value, there.truth().value
    return Shown(
        numbers=(
            ("epsilon without averaging", printed),
            ("epsilon with it, at the same noise", true),
            ("largest Delta without averaging", described["largest Delta without"]),
            ("largest Delta with it", described["largest Delta with averaging"]),
        ),
        holds=true > printed,
    )


def _after_reset() -> Shown:
    """At one sigma: that of the longer run."""
    after = AveragingCost(schedule="restart", past=1.0)
    plain, end = (
        max(float(each.mid()) for each in one.deltas_ball(averaged=False)) for one in (after, AveragingCost())
    )
    at = AveragingCost(schedule="restart", noise=after.noise * plain / end)
    numbers = (
        ("epsilon without averaging", after.printed().value),
        ("epsilon with it, one epoch after a reset", after.truth().value),
        ("epsilon with it, one epoch before, at that noise", at.truth().value),
    )
    return Shown(numbers=numbers, holds=numbers[1][1] > numbers[2][1] > numbers[0][1])


def _law(first: list[float], second: list[float], **given: Any) -> tuple[float, float, float]:
    """(claimed, published, repaired): NSGD's divergence on a pair of margins."""
    found = []
    for kind in ("published", "repaired"):
        subject = NsgdMargins(kind=kind, **given)
        laws = [subject.output_law(np.array(margins)) for margins in (first, second)]
        found.append(laws[0].against(laws[1]).renyi(ORDER).value)
    return NsgdMargins().guarantee().measures()[0].claimed, found[0], found[1]


def _nsgd(first: list[float], second: list[float], **given: Any) -> Shown:
    claimed, published, repaired = _law(first, second, **given)
    return Shown(
        numbers=(
            ("claimed epsilon at order 8", claimed),
            ("exact, with the published noise", published),
            ("exact, with the repaired noise", repaired),
        ),
        holds=published > claimed >= repaired * (1.0 - _ROUNDING),
    )


def _exact(repaired: dict[str, Any], **given: Any) -> Shown:
    there = {"interval": 10.0, "schedule": "restart", **given}
    printed, true = (side().value for side in (HiddenPlace(**there).printed, HiddenPlace(**there).truth))
    mended, low = HiddenPlace(**{**there, **repaired}), HiddenPlace(**{**there, "order": 2.0})
    sizes = mended.sizes
    return Shown(
        numbers=(
            ("n / |B_m|", sum(sizes) / sizes[-1]),
            ("epsilon of (3.9) at order 38", printed),
            ("exact law of the trainings", true),
            ("the same at order 2, exact over (3.9)", low.truth().value / low.printed().value),
            ("(3.9) repaired, at its own noise", mended.printed().value),
            ("exact law with that noise", mended.truth().value),
        ),
        holds=true > printed and mended.truth().value <= mended.printed().value * (1.0 + _ROUNDING),
    )


def _averaged() -> Shown:
    """At the sigma of each accounting: the averages make it smaller."""
    found = _exact({"accounting": "run"}, accounting="averaged")
    ratios = []
    for accounting in ("literal", "averaged"):
        there = HiddenPlace(interval=10.0, schedule="restart", accounting=accounting)
        ratios.append(there.truth().value / there.printed().value)
    return Shown(
        numbers=(*found.numbers, ("exact over (3.9) without averages in Delta", ratios[0]), ("with them", ratios[1])),
        holds=found.holds and ratios[1] > max(ratios[0], 2.0),
    )


def _sampled() -> Shown:
    """The exact law of the sampled row's pair: 1 or -1 among five records of which the others are 0."""
    found = []
    for kind in ("published", "repaired"):
        subject = RsgdArMargins(kind=kind)
        sigma = subject.algorithm().noise_scale(5)
        line = Line(rows=5, batch=4, epochs=2, interval=1, schedule="restart", l2=subject.l2)
        worlds = (np.array([float(line.end_ball(record, place).mid()) for place in (0, 1)]) for record in (1, -1))
        first, second = (ends / sigma for ends in worlds)
        found.append(divergence(first, second, np.array([0.8, 0.2]), SAMPLED_ORDER).value)
    claimed = RsgdArMargins().guarantee().measures()[0].claimed
    return Shown(
        numbers=(
            ("claimed epsilon at order 2", claimed),
            ("exact, with the published noise", found[0]),
            ("exact, with the repaired noise", found[1]),
        ),
        holds=found[0] > claimed >= found[1],
    )


RESTART = (
    "A restart sets the step back to eta_0, which costs more than the averaging saves: the largest Delta grows. "
    "Section 4.3 argues from (5) for the averaging alone."
)
CONTRACTS = (
    "The mean over a run holds iterates on which the pull of the large early steps has not contracted yet; where "
    "eta_0 mu is of the order of 1 these lie further apart than the last ones."
)
SAVES = "None at the papers' lambda, where averaging alone halves epsilon; code with strong regularisation pays for it."
COMPARE = "Compute epsilon from both recursions, with and without, before choosing; they cost nothing."

REMARKS = (
    Remark(
        claim="RS-AVG-LESS.restart",
        breaks=RESTART,
        means="At equal epochs RSGD-AR as printed by RSGD needs more noise than the permuted Algorithm 1, not less; "
        "whatever it gains is gained in accuracy.",
        instead="Average without setting the step back (DISS's eta_0 / s), which does lower the noise; or compare "
        "both.",
        shown=lambda: _averaging(schedule="restart"),
    ),
    Remark(
        claim="RS-AVG-LESS.reset",
        breaks=RESTART + " Right after a reset, an epoch of eta_0 comes on top that nothing has averaged.",
        means="Stopping one epoch after an averaging takes half as much epsilon again as stopping at it, and twice "
        "that of the permuted Algorithm 1, at the same noise.",
        instead="Let T be a multiple of tau, so that the end is an average.",
        shown=_after_reset,
    ),
    Remark(
        claim="RS-AVG-LESS.steps",
        breaks=CONTRACTS,
        means=SAVES,
        instead=COMPARE,
        shown=lambda: _averaging(schedule="epoch", against="same", l2=0.45, interval=1.0, runs=6.0, batches=8.0),
    ),
    Remark(
        claim="RS-AVG-LESS.alone",
        breaks=CONTRACTS,
        means=SAVES,
        instead=COMPARE,
        shown=lambda: _averaging(
            schedule="restart", against="same", initial_step=1.3, l2=0.5, interval=2.0, runs=5.0, batches=2.0
        ),
    ),
    Remark(
        claim="RS-NSGD.b",
        breaks="Delta is taken with one |B| for all batches; the ninth record is alone in its batch and moves the end "
        "further by the ratio of the sizes, which costs its square in epsilon.",
        means="NSGD leaks more than it claims wherever the batch size does not divide n.",
        instead=OWN_SIZES,
        shown=lambda: _nsgd([0.0] * 8 + [1.0], [0.0] * 8 + [-1.0], batch_size=4),
    ),
    Remark(
        claim="RS-NSGD.c",
        breaks="The noise is scaled to a record in the last batch, and with eta_0 > 2 / L one in the first moves "
        "the end further (RS-LAST).",
        means="NSGD leaks more than it claims where the first steps are larger than 2 / L.",
        instead="Scale the noise to the largest Delta[j], or keep eta_0 <= 2 / L.",
        shown=lambda: _nsgd(
            [1.0] * 40 + [0.4] * 39 + [1.0],
            [1.0] * 40 + [0.4] * 39 + [-1.0],
            turned=True,
            epochs=1,
            initial_step=2.5,
            batch_size=40,
        ),
    ),
    Remark(
        claim="RS-RDP.nominal",
        breaks="(3.9) averages over q_j = 1 / m the Delta[j] of one |B|. The permutation puts a record into batch j "
        "with probability |B_j| / n, and a small last batch moves the end further: rare, but every order sees it, "
        "2 by a little, 5 and more by a factor of tens.",
        means="On four of five folds of BANK a record comes to stand in the last batch once in n / |B_m| trainings, "
        "and is then hardly hidden at all.",
        instead=OWN_SIZES + " And weigh batch j with |B_j| / n.",
        shown=lambda: _exact({"believed": "own", "shares": "sizes"}, rows=FOLDS["BANK"]),
    ),
    Remark(
        claim="RS-RDP.literal",
        breaks="Delta of Algorithm 2 to the letter (eta_0 / s, no averaging) is too small for Algorithm 3, which "
        "sets its steps back (RS-AVG.literal-h).",
        means="epsilon is larger than claimed, and the more so the more restarts there are.",
        instead="Run the recursion along the steps and averagings of the run.",
        shown=lambda: _exact({"accounting": "run"}, accounting="literal"),
    ),
    Remark(
        claim="RS-RDP.averaged-h",
        breaks="Section 4.3 averages Algorithm 2's Delta, whose line 5 steps by eta_0 / s, whereas Algorithm 3 starts "
        "at eta_0 again after every averaging (RS-AVG.averaged-h). The averages lower a Delta that was too small "
        "already, so more is missing than without them (RS-RDP.literal).",
        means="epsilon is more than twice what is claimed with one restart in twenty epochs.",
        instead="Run the recursion along the steps and averagings of the run.",
        shown=_averaged,
    ),
    Remark(
        claim="RS-RDP-SAMPLED.nominal",
        breaks="As RS-RDP.nominal, in whole trainings: five records in batches of four leave one alone.",
        means="Draws alone show the leak: no assumption on the law is needed.",
        instead=OWN_SIZES,
        shown=_sampled,
    ),
)


def register(registry: Registry) -> None:
    """Put the remarks beside their claims."""
    for remark in REMARKS:
        registry.remarks.add(remark.claim, remark)
