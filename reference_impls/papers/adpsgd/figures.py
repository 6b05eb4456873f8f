"""Figures of the ledger's ADPSGD rows: where Theorem 4.1 fails, what AdaGrad-norm's b shows, footnote 3's epsilons.

Numbers only, from :mod:`reference_impls.papers.adpsgd.lemmas.whole_run`,
:mod:`reference_impls.papers.adpsgd.lemmas.first_step` and :mod:`reference_impls.papers.accounting.lemmas.table_adpsgd`;
they are drawn elsewhere.
"""

from __future__ import annotations

import numpy as np

from dpverify.accounting.filters import CONSTANT
from dpverify.core.ledger_words import Curve
from reference_impls.papers.accounting.lemmas.table_adpsgd import DELTA, PRINTED, exact_bracket
from reference_impls.papers.adpsgd.lemmas.batch_run import BatchRun
from reference_impls.papers.adpsgd.lemmas.first_step import AdpSgdStep
from reference_impls.papers.adpsgd.lemmas.whole_run import BUDGETS, RECORDS, TRAINING, reaches

_STEPS = tuple(round(10 ** (k / 4)) for k in range(8, 33))  # 10^2 .. 10^8
_DIMENSIONS = (2, 10, 30, 100, 300, 1000, 2000)
_TRAININGS = (TRAINING, 23400, 39000)


def theorem_map() -> tuple[Curve, ...]:
    """By T at section 6's n and delta: up to which epsilon (6) suffices, and from which it is shown to fail."""
    found = [(float(steps), *reaches(RECORDS, steps, DELTA)) for steps in _STEPS]
    used = tuple((float(steps), CONSTANT * budget) for steps in _TRAININGS for budget in BUDGETS)
    return (
        Curve(label="fails above", points=tuple((steps, fails) for steps, _, fails in found if fails == fails)),
        Curve(label="proved below", points=tuple((steps, proved) for steps, proved, _ in found), kind="bound"),
        Curve(label="section 6's T and epsilon", points=used, kind="dots"),
    )


def leakage() -> tuple[Curve, ...]:
    """By dimension: a proved-from-below epsilon of one step whose b follows the raw gradient, at delta = 1e-5."""
    points = []
    for dimension in _DIMENSIONS:
        step = AdpSgdStep(follows="gradient", dimension=dimension, epsilon=1.0, steps=1)
        one, other = (step.output_law(np.array([1.0, last])) for last in (1.0, 0.0))
        pair = one.against(other)
        points.append((float(dimension), max(pair.epsilon(DELTA).value, pair.swap().epsilon(DELTA).value)))
    return (
        Curve(label="lower bound on epsilon", points=tuple(points)),
        Curve(label="claimed", points=((float(_DIMENSIONS[0]), 1.0), (float(_DIMENSIONS[-1]), 1.0)), kind="claimed"),
    )


def footnote() -> tuple[Curve, ...]:
    """By epsilon_bar: footnote 3's epsilon beside the exact cost, a record added or removed, and one replaced."""
    run = BatchRun()
    exact = tuple((budget, exact_bracket(budget).upper) for budget in BUDGETS)
    replaced = tuple((budget, run.bracket(CONSTANT * budget).lower) for budget in BUDGETS)
    return (
        Curve(label="printed", points=tuple(sorted(PRINTED.items())), kind="claimed"),
        Curve(label="exact, one record added or removed", points=exact),
        Curve(label="one record replaced, at least", points=replaced, kind="bound"),
    )
