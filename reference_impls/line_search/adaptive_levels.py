"""The two budgets and two clipping thresholds that DP-BLSGD adapts while it runs, and the release of its gradient.

All four are public. The release is lines 5 and 6 of BLSGD Algorithm 2: per-record gradients clipped at C_grad by (6),
their sum over the sample, noise N(0, C_grad^2 / (2 rho_grad)) in every coordinate, the whole divided by a divisor. The
transcript holds the *divided* value and scale, because these are released: where the divisor is the realised sample
size, both depend on the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.models.model import Model

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The current budgets and clipping thresholds.

    Attributes
    ----------
    rho_grad : float
        Budget of one gradient: (order, order rho_grad)-RDP for the sum.
    budget_bt : float
        Budget of one line search: epsilon_BT (Laplace) or rho_BT (Gaussian).
    c_grad, c_obj : float
        Clipping thresholds of a record's gradient (L2) and loss.
    """

    rho_grad: float
    budget_bt: float
    c_grad: float
    c_obj: float

    def lowered(self, zeta: float) -> Levels:
        """The levels with both thresholds multiplied by 1 - zeta: equation (9)."""
        return replace(self, c_grad=(1.0 - zeta) * self.c_grad, c_obj=(1.0 - zeta) * self.c_obj)


def release_gradient(
    tape: Tape,
    model: Model,
    table: Table,
    batch: Integer | None,
    weights: Float,
    levels: Levels,
    *,
    divisor: float,
    l2: float = 0.0,
) -> Float:
    """The noisy mean gradient, shape (dimension,), plus l2 w, which depends on no record.

    Parameters
    ----------
    batch : int64, shape (k,), or None
        The sample; for k = 0 the release is noise alone.
    divisor : float
        What sum and noise are divided by, > 0.
    """
    tape.publish("gradient-budget", levels.rho_grad)
    tape.publish("clip", [levels.c_grad, levels.c_obj])
    clean = model.gradient(weights, table, batch, clip=levels.c_grad) / divisor
    scale = levels.c_grad / math.sqrt(2.0 * levels.rho_grad) / divisor
    noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=levels.c_grad / divisor)
    return np.asarray(noisy + l2 * weights) if l2 else noisy
