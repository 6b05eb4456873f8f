"""SGD-MA (RSGD section 5; DISS 3.6.3): DP-SGD with batches of sqrt(n), the baseline that the moments accountant prices.

Abadi et al. 2016, Algorithm 1, with Poisson samples at q = 1 / sqrt(n), so that sqrt(n) records are expected. RSGD
prints only the batch size; step size, clipping and the number of steps are open, the last "tuned" for each budget
without charge. The number of records is public.

Not to be confused with ``dp-sgd``, whose rate is a number that does not depend on the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.recording.tape import Tape
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.noisy_sgd import NoisySgd
from reference_impls.training.claim_conditions import need_records

Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SgdMa(NoisySgd):
    """Subject ``sgd-ma``. The other attributes: :class:`~reference_impls.optimizers.noisy_sgd.NoisySgd`.

    Attributes
    ----------
    records : int or None
        A public number for n; None takes the table's own.
    """

    records: Count | None = None

    relation = "add-remove"

    def dp_sgd(self, rows: int) -> DpSgd:
        """The same algorithm for so many records (or the public number), with the rate and the divisor as numbers."""
        need_records(self, rows)
        settings = {each.name: getattr(self, each.name) for each in fields(DpSgd) if hasattr(self, each.name)}
        return DpSgd(**{**settings, "divisor": self.divisor_for(rows)}, rate=1.0 / self.expected(rows))

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """Independent Poisson samples."""
        return self.dp_sgd(rows).batches(rows, tape)

    def plan(self, rows: int) -> tuple[int, float]:
        """Poisson samples at rate 1 / sqrt(n)."""
        return self.dp_sgd(rows).plan(rows)

    def expected(self, rows: int) -> float:
        """The expected batch size, sqrt(n)."""
        return math.sqrt(self.records or rows)

    def composition(self, rows: int) -> Composition:
        """T Poisson-sampled Gaussians under add/remove; takes n as public."""
        return self.dp_sgd(rows).composition(rows)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("sgd-ma", SgdMa)
