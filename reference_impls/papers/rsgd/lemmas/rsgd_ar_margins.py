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
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.core.rules import OneOf
from dpverify.core.subjects import Dataset
from dpverify.definitions.rdp import RDP
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.optimizers.rsgd_ar_repaired import RsgdArRepaired
from reference_impls.papers.rsgd.lemmas.margin_tables import margin_table

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

ORDER, EPSILON = 2.0, 1.0
_KINDS = {"published": RsgdAr, "repaired": RsgdArRepaired}


@dataclass(frozen=True, slots=True, kw_only=True)
class RsgdArMargins(Checked):
    """Subject ``rsgd-ar-margins``. Data set: margins in [-1, 1], shape (n,). Result: the noisy weight, shape (1,).

    Attributes
    ----------
    kind : "published" or "repaired"
        Which accounting of batches that are not of one size.
    accounting : "averaged" or "printed"
        See :class:`~reference_impls.optimizers.rsgd_ar.RsgdAr`.
    epochs, interval, batch_size, initial_step, l2 :
        As RSGD-AR has them.
    """

    kind: Annotated[str, OneOf(tuple(_KINDS))] = "published"
    accounting: str = "averaged"
    epochs: int = 2
    interval: int = 1
    batch_size: int = 4
    initial_step: float = 1.0
    l2: float = 0.001

    def validate(self) -> None:
        """What the algorithm refuses is refused when the subject is made."""
        self.algorithm()

    def algorithm(self) -> RsgdAr:
        """RSGD-AR at the claimed order and epsilon."""
        return _KINDS[self.kind](
            model="huber-svm",
            accounting=self.accounting,
            epochs=self.epochs,
            interval=self.interval,
            batch_size=self.batch_size,
            initial_step=self.initial_step,
            l2=self.l2,
            order=ORDER,
            epsilon=EPSILON,
        )

    def guarantee(self) -> RDP:
        """The guarantee that RSGD-AR claims."""
        return RDP(order=ORDER, epsilon=EPSILON)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent trainings, float64, shape (size, 1)."""
        return self.algorithm().sample(margin_table(dataset), size, rng=rng)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.lemmas.add("rsgd-ar-margins", RsgdArMargins)
