"""RS-RDP-SAMPLED: whole trainings of RSGD-AR on a handful of records of one feature, for auditors that draw.

RSGD, Proposition 3 (DISS, Theorem 3.2), as :mod:`~reference_impls.papers.rsgd.lemmas.hidden_place` has it exactly at
the papers' own numbers of records; here the permutation, the loop, the averaging and the noise are run, and nothing is
known of the law. A data set is a vector of margins z = y x in [-1, 1] (see
:mod:`~reference_impls.papers.rsgd.lemmas.margin_tables`); the algorithm is
:class:`~reference_impls.optimizers.rsgd_ar.RsgdAr` itself, for two epochs, averaged after each.

Limits: few records, so that millions of trainings can be run; what a sampled audit does not see may be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.optimizers.rsgd_ar_repaired import RsgdArRepaired
from reference_impls.papers.rsgd.lemmas.margin_tables import MarginTraining, margin_table

ORDER = 2.0
_KINDS = {"published": RsgdAr, "repaired": RsgdArRepaired}


@dataclass(frozen=True, slots=True, kw_only=True)
class RsgdArMargins(MarginTraining):
    """Subject ``rsgd-ar-margins``. Data set: margins in [-1, 1], shape (n,). Result: the noisy weight, shape (1,).

    Attributes
    ----------
    accounting : "averaged" or "printed"
        See :class:`~reference_impls.optimizers.rsgd_ar.RsgdAr`.
    interval : int
        As RSGD-AR has it.
    """

    order: ClassVar[float] = ORDER
    accounting: str = "averaged"
    interval: int = 1

    def algorithm(self) -> RsgdAr:
        """RSGD-AR at the claimed order and epsilon."""
        return _KINDS[self.kind](accounting=self.accounting, interval=self.interval, **self.settings())

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent trainings, float64, shape (size, 1)."""
        return self.algorithm().sample(margin_table(dataset), size, rng=rng)
