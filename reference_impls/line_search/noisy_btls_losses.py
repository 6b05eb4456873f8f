"""NoisyBTLS on tabulated losses: the algorithm itself, with a loss that an adversary may choose.

Algorithm 1 looks at the loss f only at w and at the max_it points w - eta_i g of one ray. A record is therefore its
losses at those points, and every table of numbers belongs to a concrete loss: piecewise linear along the ray with
knots at the eta_i. (In exact arithmetic. Where ``w - eta_i g`` rounds to w, eta_i below about 1e-16, a floating-point
run would see h_i = f_w.)

Adding one record moves query i by ``f_w - h_i``, with **one** f_w for all i: less than arbitrary queries may move.

Numbers: losses that are multiples of 2^-20 are summed exactly as long as the total stays below 2^32, and the public
term ``alpha eta_i |g|^2`` is rounded to a multiple of 2^-20 here, so neighbours' queries differ by exactly ``f_w -
h_i``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.neighbors.losses import GRID, check_losses
from reference_impls.line_search.noisy_btls import NoisyBtls

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsLosses(NoisyBtls):
    """Subject ``noisy-btls-losses``.

    Data set: float64, shape (k, max_it + 2), a row for each *kind* of record: how many records are of it (a whole
    number >= 1), its loss at w, and its losses at w - eta_1 g .. w - eta_max_it g. A row in a data set of n records is
    one of n this way, or n rows with count 1: the same data set.

    Attributes
    ----------
    clip : float
        C_obj: losses enter as min(f, clip), which bounds them from above only. inf for none.
    gradient_norm : float
        |g|, in the public term alpha eta_i |g|^2.
    """

    clip: float = 1.0
    gradient_norm: float = 1.0

    def __post_init__(self) -> None:
        NoisyBtls.__post_init__(self)
        if not self.clip > 0:
            raise InputError(f"clip = {self.clip}", allowed="a number > 0 (inf for no clipping)")

    def query(self, dataset: Dataset) -> Float:
        """q_i = sum of (f_w - h_i) over the records, less alpha eta_i |g|^2: shape (max_it,).

        Raises
        ------
        InputError
            When the data set is no table of losses with max_it + 2 columns.
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
