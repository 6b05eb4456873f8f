"""RS-NSGD: NSGD on records of one feature, whose output law is exactly normal, under its own (alpha, epsilon) claim.

RSGD, section 4.1 (DISS, after Theorem 3.1): sigma^2 = alpha Delta^2 / (2 epsilon) makes Algorithm 1
(alpha, epsilon)-RDP, Delta being the recursion's bound for the last place. A data set here is a vector of margins
z = y x in [-1, 1], in the order in which NSGD reads them, under the huberised hinge with the papers' h and lambda; the
algorithm is :class:`~reference_impls.optimizers.nsgd.Nsgd` itself. Readings: (a) batches of one size and
eta_0 <= 2 / L; (b) m does not divide n; (c) eta_0 > 2 / L, and the record in the first batch (`turned`: the vector is
read from its end).

Few records and epochs, so that pairs can be searched: the papers' own numbers of records are RS-DELTA's and RS-LAST's,
whose ratios count squared here; their remarks say where it breaks. **Repaired**, RS-NSGD-R: Delta is the largest of all
places, each batch with its own size (:class:`~reference_impls.optimizers.nsgd_repaired.NsgdRepaired`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.laws.density import GaussianLaw
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.nsgd_repaired import NsgdRepaired
from reference_impls.papers.rsgd.lemmas.margin_tables import MarginTraining, margin_table

Float = NDArray[np.float64]
ORDER = 8.0
_KINDS = {"published": Nsgd, "repaired": NsgdRepaired}


@dataclass(frozen=True, slots=True, kw_only=True)
class NsgdMargins(MarginTraining):
    """Subject ``nsgd-margins``. Data set: margins in [-1, 1], shape (n,). Result: the noisy weight, shape (1,).

    Attributes
    ----------
    turned : bool
        Whether the data set is read from its end.
    """

    order: ClassVar[float] = ORDER
    turned: bool = False

    def algorithm(self) -> Nsgd:
        """NSGD at the claimed order and epsilon."""
        return _KINDS[self.kind](**self.settings())

    def table(self, dataset: Dataset) -> Table:
        """The margins as records with label 1."""
        return margin_table(dataset, turned=self.turned)

    def query(self, dataset: Dataset) -> Float:
        """The last iterate before the noise, shape (1,)."""
        return self.algorithm().query(self.table(dataset))

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around it: exact."""
        algorithm, table = self.algorithm(), self.table(dataset)
        return GaussianLaw(locations=algorithm.query(table), scales=np.array(_noise(algorithm, table.rows)))


@lru_cache(maxsize=64)
def _noise(algorithm: Nsgd, rows: int) -> float:
    """sigma: the same for every data set of one size."""
    return algorithm.noise_scale(rows)
