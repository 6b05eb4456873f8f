"""Computations behind the remarks on RSGD's noise, its averaging and whole trainings.

Those on sensitivities: :mod:`~reference_impls.papers.rsgd.lemmas.sensitivity_remarks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.core.ledger_words import Shown
from reference_impls.papers.rsgd.lemmas.averaging_cost import AveragingCost
from reference_impls.papers.rsgd.lemmas.hidden_place import HiddenPlace, divergence
from reference_impls.papers.rsgd.lemmas.nsgd_margins import ORDER, NsgdMargins
from reference_impls.papers.rsgd.lemmas.one_feature_runs import OneFeatureRuns
from reference_impls.papers.rsgd.lemmas.rsgd_ar_margins import ORDER as SAMPLED_ORDER
from reference_impls.papers.rsgd.lemmas.rsgd_ar_margins import RsgdArMargins

_ROUNDING = 1e-9


def averaging(**given: Any) -> Shown:
    """The numbers shown beside the remarks on RS-AVG-LESS.restart, RS-AVG-LESS.steps and RS-AVG-LESS.alone."""
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


def after_reset() -> Shown:
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


def nsgd_small_last_batch() -> Shown:
    """Shown beside RS-NSGD.b: nine records in batches of four, of which the one that moves is alone in its batch."""
    return _nsgd([0.0] * 8 + [1.0], [0.0] * 8 + [-1.0], batch_size=4)


def nsgd_large_steps() -> Shown:
    """Shown beside RS-NSGD.c: two batches of forty and eta_0 = 2.5 / L; the record that moves is in the first."""
    others = [1.0] * 40 + [0.4] * 39
    return _nsgd([*others, 1.0], [*others, -1.0], turned=True, epochs=1, initial_step=2.5, batch_size=40)


def exact(repaired: dict[str, Any], **given: Any) -> Shown:
    """The numbers shown beside the remarks on RS-RDP.nominal and RS-RDP.literal."""
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


def averaged() -> Shown:
    """At the sigma of each accounting: the averages make it smaller."""
    found = exact({"accounting": "run"}, accounting="averaged")
    ratios = []
    for accounting in ("literal", "averaged"):
        there = HiddenPlace(interval=10.0, schedule="restart", accounting=accounting)
        ratios.append(there.truth().value / there.printed().value)
    return Shown(
        numbers=(*found.numbers, ("exact over (3.9) without averages in Delta", ratios[0]), ("with them", ratios[1])),
        holds=found.holds and ratios[1] > max(ratios[0], 2.0),
    )


def sampled() -> Shown:
    """The exact law of the sampled row's pair: 1 or -1 among five records of which the others are 0."""
    found = []
    for kind in ("published", "repaired"):
        subject = RsgdArMargins(kind=kind)
        sigma = subject.algorithm().noise_scale(5)
        line = OneFeatureRuns(rows=5, batch=4, epochs=2, interval=1, schedule="restart", l2=subject.l2)
        sides = (np.array([float(line.end_ball(record, place).mid()) for place in (0, 1)]) for record in (1, -1))
        first, second = (ends / sigma for ends in sides)
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
