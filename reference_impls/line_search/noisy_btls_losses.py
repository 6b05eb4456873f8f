"""NoisyBTLS on tabulated losses: the algorithm with losses that an adversary may choose.

Algorithm 1 evaluates the loss f only at w and at the max_it points w - eta_i g of one ray. A record is therefore given
by its losses at those points, f_w and h_i, and every table of numbers belongs to a concrete loss: piecewise linear
along the ray with knots at the eta_i. (This is in exact arithmetic. Where ``w - eta_i g`` rounds to w, for eta_i below
about 1e-16, a floating-point run would have h_i = f_w.)

Adding one record moves query i by ``f_w - h_i``, with **one** f_w for all i: less freedom than arbitrary queries have.

Rounding: losses that are multiples of 2^-20 are summed exactly as long as the total stays below 2^32, and the public
term ``alpha eta_i |g|^2`` is rounded to a multiple of 2^-20 here, so neighbours' queries differ by exactly ``f_w -
h_i``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.datasets.neighbors.losses import GRID, check_losses
from reference_impls.line_search.noisy_btls import NoisyBtls
from reference_impls.training.clipping import Clip

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsLosses(NoisyBtls):
    """Subject ``noisy-btls-losses``.

    Data set: float64, shape (k, max_it + 2), a row for each *kind* of record: the number of such records (a whole
    number >= 1), its loss at w, and its losses at w - eta_1 g .. w - eta_max_it g. A row with count n and n equal rows
    with count 1 are the same data.

    Attributes
    ----------
    clip : float
        C_obj: losses enter as min(f, clip), which bounds them from above only. inf for none.
    gradient_norm : float
        |g|, in the public term alpha eta_i |g|^2.
    """

    clip: Clip = 1.0
    gradient_norm: float = 1.0

    def query(self, dataset: Dataset) -> Float:
        """q_i = sum of (f_w - h_i) over the records, less alpha eta_i |g|^2: shape (max_it,).

        Raises
        ------
        InputError
            When the data set is not a table of losses with max_it + 2 columns.
        """
        table = np.asarray(dataset, dtype=np.float64)
        wrong = check_losses(table, columns=self.max_it + 2)
        if wrong is not None:
            raise InputError(
                f"tabulated losses: {wrong}",
                allowed=f"rows of {self.max_it + 2} numbers: count, loss at w, losses at the {self.max_it} candidates",
            )
        objective = table[:, 0] @ np.minimum(table[:, 1:], self.clip)
        public = np.round(self.alpha * self.step_sizes * self.gradient_norm**2 / GRID) * GRID
        return np.asarray(objective[0] - objective[1:] - public, dtype=np.float64)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("noisy-btls-losses", NoisyBtlsLosses)
