"""Computations behind the remarks on refuted claims about mpADMM: (4.13) of DISS lacks a factor eta.

Those on Theorem 4.2, soft thresholding and DP-ADMM stand in the modules of their lemmas.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.ledger_words import Shown
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, FLIPPED, canary_table
from reference_impls.admm.sensitivities import derived_primal, printed_primal
from reference_impls.papers.diss.lemmas.admm.epoch_query import first_epoch
from reference_impls.papers.diss.lemmas.admm.white_box import LABEL, MpShown

ROWS, RHO, ETA = 4, 0.5, 4.0


def moved_shown(part: str, share: float, l1: float) -> Shown:
    """How far one quantity of an epoch moves between opposite records, beside (4.13) to (4.15) and their repair."""
    ends = [
        first_epoch(np.array([1.0] * (ROWS - 1) + [last]), "huber-svm", clip=1.0, eta=ETA, rho=RHO, l1=l1)[1][part][0]
        for last in (1.0, -1.0)
    ]
    moved = float(abs(ends[0] - ends[1]))
    printed, derived = (share * bound(ETA, RHO, 1.0, ROWS) for bound in (printed_primal, derived_primal))
    numbers = (
        (f"{part} moves by, n = {ROWS}, eta = {ETA:g}, rho = {RHO:g}", moved),
        ("printed", printed),
        ("with the factor eta", derived),
    )
    return Shown(numbers=numbers, holds=printed * (1 + 1e-9) < moved <= derived * (1 + 1e-9))


def spent_shown(parts: tuple[int, ...]) -> Shown:
    """What the first epochs of a run truly spend at order 2, beside both accounts."""
    shown = MpShown(eta=ETA, epochs=2, sigma=0.4)
    tables = [canary_table([BLANK] * ROWS + [kind], high=LABEL, name=kind) for kind in (FLIPPED, DIRAC)]
    first, second = (shown.output_law(table).locations.reshape(-1, 3) for table in tables)
    moved = (first - second)[:, parts] / shown.sigma
    true = float(np.square(moved if len(parts) > 1 else moved[-1:]).sum())
    printed, repaired = (
        float(shown.training(repaired=fixed).guarantee(ROWS + 1).epsilons[0]) for fixed in (False, True)
    )
    what = "x, z and y of two epochs" if len(parts) > 1 else "x of the second epoch alone"
    numbers = (
        (f"Renyi epsilon of {what}, order 2, eta = {ETA:g}", true),
        ("Theorem 4.3 as printed", printed),
        ("Theorem 4.3 with the factor eta", repaired),
    )
    return Shown(numbers=numbers, holds=printed < true <= repaired)
