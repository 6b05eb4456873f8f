"""Figure of ACC-EPS-TABLE-BR: PrivBR's sixteen printed epsilons beside what its lemma gives.

Numbers only, from :mod:`reference_impls.papers.accounting.lemmas.table_privbr`.
"""

from __future__ import annotations

from dpverify.core.figure import Curve, Figure
from dpverify.core.registry import Registry
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


def register(registry: Registry) -> None:
    """Register the figure."""
    registry.figures.add(
        "privbr-captions",
        Figure(
            title="The epsilons in the captions of Figures 6.1 and 6.2",
            claims=("ACC-EPS-TABLE-BR", "ACC-EPS-TABLE-BR-R"),
            x="noise sigma",
            y="epsilon at delta = 1e-4",
            curves=captions,
            note=(
                "Lemma 2.3, Proposition 2.1, batch 10, n = 1356 and 628. A dot off its line is a print that does not "
                "come out."
            ),
            log_x=True,
            log_y=True,
        ),
    )
