"""What the ledger says beside the rows of mpADMM that fell: (4.13) of DISS has lost a factor eta.

The remarks on Theorem 4.2, soft thresholding and DP-ADMM stand beside their claims.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpverify.core.remark import Remark, Shown
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, FLIPPED, canary_table
from reference_impls.admm.sensitivities import derived_primal, printed_primal
from reference_impls.papers.diss.lemmas.admm.epoch_query import first_epoch
from reference_impls.papers.diss.lemmas.admm.white_box import LABEL, MpShown

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

ROWS, RHO, ETA = 4, 0.5, 4.0
_BREAKS = (
    "The last line of the display above (4.13) divides by 1 + eta rho; (4.8) divides by rho + 1 / eta, which is (1 + "
    "eta rho) / eta. The factor eta got lost, and eta^(k+1) stands where the step was made with eta^k."
)
_INSTEAD = (
    "Take Delta(x) = 2 C eta^k / (n (1 + eta^k rho)), rho times that for y, the same for z (mp-admm-repaired); less "
    "noise is enough where x, z and y are accounted for as one vector: it moves by sqrt(1 + max(1, rho^2)) Delta(x)."
)


def _moved_shown(part: str, share: float, l1: float) -> Shown:
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


def _spent_shown(parts: tuple[int, ...]) -> Shown:
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


def register(registry: Registry) -> None:
    """Register the remarks."""
    moved = "Noise that is scaled to (4.13) is too small by the factor eta wherever eta > 1, and wasted where eta < 1."
    spent = (
        "A run with eta > 1 spends up to eta^2 times the Renyi budget that its account shows; one with eta < 1 spends "
        "less. The chapter does not print its eta."
    )
    everything, alone = (0, 1, 2), (0,)
    rows = (
        ("AM-SENS-X", moved, partial(_moved_shown, "x", 1.0, 0.0)),
        ("AM-SENS-ZY.z-end", moved, partial(_moved_shown, "z", 1.0, 0.0)),
        ("AM-SENS-ZY.y-end", moved, partial(_moved_shown, "y", RHO, 100.0)),
        ("AM-MP-RDP.large-eta", spent, partial(_spent_shown, everything)),
        ("AM-MP-RDP.returned", spent, partial(_spent_shown, alone)),
        ("AM-MP-RDP-RUN.large-eta", spent, partial(_spent_shown, everything)),
        ("AM-MP-RDP-RUN.large-eta-returned", spent, partial(_spent_shown, alone)),
    )
    for claim, means, shown in rows:
        remark = Remark(claim=claim, breaks=_BREAKS, means=means, instead=_INSTEAD, shown=shown)
        registry.remarks.add(claim, remark)
