"""What the published and the repaired DP-BLSGD have in common: sampling, angles, and CHEB with adaptive clipping.

CHEB (BLSGD Algorithm 3) takes its gradient on a fresh sample, at the budget and thresholds it was called with. Then
:mod:`reference_impls.line_search.cheb` decides which budget is raised. If that is rho_grad, adaptive clipping (section
IV-D, equation (9)) lowers both thresholds, at most once in an update. Thresholds change *after* the gradient was
clipped and perturbed, and C_obj both clips the losses and scales the noise of the next search. So the noise is always
scaled to the threshold of the sum that it is added to, also within one update (ledger id BL-AC).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.rules import BelowOne, Between, OpenUnit, Share
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.budgeted_line_search import BudgetedLineSearch
from reference_impls.line_search.cheb import Raising, angle_between, raised
from reference_impls.models.model import Model

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledLineSearch(BudgetedLineSearch):
    """Settings of sampling and CHEB, with section V-D's values.

    Attributes
    ----------
    q : float
        Each record's chance to enter a sample.
    psi : float
        Decay rate of the moving average of angles, in (0, 1).
    phi_max, phi_min : float
        Thresholds (8): phi_max > 1, phi_min in (0, 1).
    zeta : float
        zeta of equation (9), in [0, 1); 0 keeps the thresholds.
    raising : "adap", "no" or "must"
        When CHEB raises a budget: as the angle says (Algorithm 3), never, always; see
        :mod:`reference_impls.line_search.cheb`.
    """

    q: Share = 0.1
    psi: OpenUnit = 0.8
    phi_max: Annotated[float, Between(1, math.inf, open="both")] = 1.1
    phi_min: OpenUnit = 0.5
    zeta: BelowOne = 0.0
    raising: Raising = "adap"

    @property
    def sampling_ratio(self) -> float:
        """q, each record's chance to enter a sample."""
        return self.q

    def cheb(
        self,
        tape: Tape,
        model: Model,
        table: Table,
        weights: Float,
        levels: Levels,
        direction: Float,
        average: float,
        lowered: bool,
    ) -> tuple[Levels, Float, bool]:
        """Algorithm 3: the next levels and direction, and whether this update has lowered the thresholds."""
        batch = tape.poisson_subset("batch", table.rows, self.q)  # 2
        second = self.gradient(tape, model, table, batch, weights, levels)  # 3, 4
        angle = angle_between(direction, second)  # 5
        limits = {"xi": self.xi, "phi_max": self.phi_max, "phi_min": self.phi_min}
        after = raised(levels, self.raising, angle, average, **limits)  # 6 .. 10
        if self.zeta and after.rho_grad > levels.rho_grad and not lowered:
            after, lowered = after.lowered(self.zeta), True
        return after, np.asarray((direction + second) / 2.0), lowered  # 11
