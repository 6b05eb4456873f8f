"""One epoch of mpADMM from zeros, with its noise, in units of Delta(x) as claimed: row AM-MP-RDP.

Data set: a sequence of numbers, as for :mod:`reference_impls.papers.diss.lemmas.admm.epoch_query`. The law is exactly
Gaussian, so that Theorem 4.3 for T = 1 can be compared with the truth: with noise s Delta(x), an epoch is claimed

    (alpha, alpha (2 + rho^2) / (2 s^2))-RDP.

``released="all"`` gives x, z and y, which the next epoch starts from; ``"x"`` gives x alone, all that T = 1 returns. As
printed, Delta(x) is too small by eta. x alone then breaks the claim only where eta^2 > 2 + rho^2, since z and y are
charged for and not released; all three break it where eta^2 (1 + max(1, rho^2)) > 2 + rho^2 (at rho = 1/2: eta >
1.061).

Limits: one feature, one epoch, one public state. More epochs are adaptive, and can only cost more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.fields import Checked
from dpverify.core.rules import NonNegative, OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.definitions.rdp import RDP
from dpverify.laws.density import GaussianLaw
from reference_impls.admm.sensitivities import derived_primal, printed_primal
from reference_impls.papers.diss.lemmas.admm.epoch_query import BOUNDS, first_epoch

Float = NDArray[np.float64]
RELEASED = {"all": "xzy", "x": "x"}
ORDER = 2.0
"""Of the claim in the ledger: both sides are proportional to the order."""
CLIP, MODEL = 1.0, "huber-svm"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochRelease(Checked):
    """Subject ``admm-epoch-release``.

    Attributes
    ----------
    released : "all" or "x"
        What is shown.
    bound : "printed" or "derived"
        Which Delta(x) the noise is scaled to.
    eta, rho, l1 : float
        Learning rate > 0, penalty > 0, lambda >= 0.
    noise : float
        s, > 0: a coordinate's noise over Delta(x).
    """

    released: Annotated[str, OneOf(tuple(RELEASED))] = "all"
    bound: Annotated[str, OneOf(BOUNDS)] = "printed"
    eta: Positive = 1.0
    rho: Positive = 0.5
    l1: NonNegative = 0.0
    noise: Positive = 1.0

    def guarantee(self) -> RDP:
        """Theorem 4.3 for T = 1, at order 2, under replacement."""
        return RDP(order=ORDER, epsilon=ORDER * (2.0 + self.rho**2) / (2.0 * self.noise**2))

    def query(self, dataset: Dataset) -> Float:
        """What is shown, without noise and in units of Delta(x): shape (3,) or (1,)."""
        rows, epoch = first_epoch(dataset, MODEL, clip=CLIP, eta=self.eta, rho=self.rho, l1=self.l1)
        unit = (printed_primal if self.bound == "printed" else derived_primal)(self.eta, self.rho, CLIP, rows)
        return np.concatenate([epoch[part] for part in RELEASED[self.released]]) / unit

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Independent normals around the query, exactly."""
        return GaussianLaw(locations=self.query(dataset), scales=np.array(self.noise))
