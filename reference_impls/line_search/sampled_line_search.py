"""What DP-BLSGD has whatever its control flow: a sampling ratio, the angles, and CHEB with adaptive clipping.

CHEB (BLSGD Algorithm 3) takes its gradient on a fresh sample, at the budget and thresholds it was called with; then the
judgement of :mod:`reference_impls.line_search.cheb` raises a budget, and adaptive clipping (section IV-D, equation (9))
lowers both thresholds when it was rho_grad, once in an update. Thresholds change *after* the gradient was clipped and
perturbed, and C_obj clips and scales the next search alike, so the noise always belongs to the threshold of the very
sum that it perturbs, also within one update (ledger id BL-AC).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.budgeted_line_search import BudgetedLineSearch
from reference_impls.line_search.cheb import angle_between, enlarged
from reference_impls.models.model import Model
from reference_impls.training.settings import need_between, need_non_negative, need_share

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledLineSearch(BudgetedLineSearch):
    """Settings of section V-D.

    Attributes
    ----------
    q : float
        Each record's chance to enter a sample.
    psi : float
        Decay of the mean angle, in (0, 1).
    phi_max, phi_min : float
        Thresholds (8): phi_max > 1, phi_min in (0, 1).
    zeta : float
        Equation (9), in [0, 1); 0 for thresholds that stay.
    """

    q: float = 0.1
    psi: float = 0.8
    phi_max: float = 1.1
    phi_min: float = 0.5
    zeta: float = 0.0

    def __post_init__(self) -> None:
        BudgetedLineSearch.__post_init__(self)
        need_share(self, "q")
        need_between(self, 0.0, 1.0, "psi", "phi_min")
        need_between(self, 1.0, math.inf, "phi_max")
        need_non_negative(self, "zeta")
        if self.zeta >= 1:
            raise InputError(f"{type(self).__name__}: zeta = {self.zeta}", allowed="a number in [0, 1)")

    @property
    def sampling_ratio(self) -> float:
        """q."""
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
        """Algorithm 3: the levels and the direction to go on with, and whether this update has lowered thresholds."""
        batch = tape.poisson_subset("batch", table.rows, self.q)  # 2
        second = self.gradient(tape, model, table, batch, weights, levels)  # 3, 4
        angle = angle_between(direction, second)  # 5
        after = enlarged(levels, angle, average, xi=self.xi, phi_max=self.phi_max, phi_min=self.phi_min)  # 6 .. 10
        if self.zeta and after.rho_grad > levels.rho_grad and not lowered:
            after, lowered = after.lowered(self.zeta), True
        return after, np.asarray((direction + second) / 2.0), lowered  # 11
