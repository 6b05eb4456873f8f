"""RSGD-AR with the batches' own sizes in its accounting.

The algorithm is that of :mod:`reference_impls.optimizers.rsgd_ar`; the accounting changes where m does not divide n (as
in the paper's experiments: batches of 4,000):

- Algorithm 2, line 9 (DISS 3.2, line 12): 2 eta R / |B_j| with the batch's own size, and not the nominal one;
- Proposition 3 and (3.9): batch j has the replaced record with probability |B_j| / n, and not 1 / m.

Only the averaged recursion is offered: Algorithm 2 as printed does not describe a run that sets its steps back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from reference_impls.optimizers.rsgd_ar import RsgdAr

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RsgdArRepaired(RsgdAr):
    """Subject ``rsgd-ar-repaired``; as :class:`~reference_impls.optimizers.rsgd_ar.RsgdAr`."""

    def validate(self) -> None:
        """Only the averaged recursion is sound."""
        if self.accounting != "averaged":
            raise InputError(
                f"accounting = {self.accounting!r}", allowed="averaged", remedy="rsgd-ar offers the others"
            )

    def believed_sizes(self, rows: int) -> list[int]:
        """The true sizes of the batches."""
        return self.batch_sizes(rows)

    def parts(self, rows: int) -> tuple[Float, Float]:
        """All places, each with the probability |B_j| / n."""
        return self.sensitivities(rows), np.array(self.batch_sizes(rows)) / rows


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("rsgd-ar-repaired", RsgdArRepaired)
