"""NSGD accounted for with its true sensitivity: the largest over all places, each batch with its own size.

The algorithm is that of :mod:`reference_impls.optimizers.nsgd`; the accounting of section 4.1 changes in two places:

- "it is easy to see that this is the worst case" (the last batch): here the largest Delta[j] of the recursion, which is
  that of another batch where eta > 2 / L in some epoch;
- 2 eta R / |B|: here over the batch's own size, where m does not divide n.

Where every eta <= 2 / L and all batches have one size, the two accounts are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from reference_impls.optimizers.nsgd import Nsgd

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NsgdRepaired(Nsgd):
    """Subject ``nsgd-repaired``; as :class:`~reference_impls.optimizers.nsgd.Nsgd`."""

    def believed_sizes(self, rows: int) -> list[int]:
        """The true sizes of the batches."""
        return self.batch_sizes(rows)

    def parts(self, rows: int) -> tuple[Float, Float]:
        """The largest Delta of all places."""
        return self.sensitivities(rows).max(keepdims=True), np.ones(1)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("nsgd-repaired", NsgdRepaired)
