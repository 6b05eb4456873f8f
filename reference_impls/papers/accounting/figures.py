"""Figure of ACC-EPS-TABLE-BR: PrivBR's sixteen printed epsilons beside what its lemma gives.

Numbers only, from :mod:`reference_impls.papers.accounting.lemmas.table_privbr`.
"""

from __future__ import annotations

from dpverify.core.ledger_words import Curve
from reference_impls.papers.accounting.lemmas.table_privbr import PRINTED, STEPS, PrivBrTable


def captions() -> tuple[Curve, ...]:
    """By sigma, for each data set and number of iterations: computed, and as printed."""
    table = PrivBrTable()
    cells = list(table.cells())
    curves = []
    for name in PRINTED:
        for steps in STEPS:
            here = sorted(cell for cell in cells if (cell[0], cell[2]) == (name, steps))
            points = tuple((sigma, table.computed((name, sigma, steps, value))) for _, sigma, _, value in here)
            curves.append(Curve(label=f"computed, {name}, {steps} iterations", points=points))
    printed = tuple(sorted((sigma, value) for _, sigma, _, value in cells))
    return (*curves, Curve(label="printed", points=printed, kind="dots"))
