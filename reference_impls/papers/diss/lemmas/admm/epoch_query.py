"""What one epoch computes before any noise, in units of the sensitivity that the text gives it: rows AM-SENS-*.

The other half, with noise: :mod:`reference_impls.papers.diss.lemmas.admm.epoch_release`.

Data set: a sequence of n numbers, each a record of one feature with label +1 (its sign stands for the label). The
state x = y = z = 0 is public; the Huberised SVM's gradient there is minus the feature, clipped at C, so the largest
changes are attained with features in [-C, C]. Limits: one public state and one feature; the property tests go through
others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import NonNegative, OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from reference_impls.admm.sensitivities import derived_primal, joint, printed_primal
from reference_impls.admm.updates import dual, primal, split
from reference_impls.models.model import find_model

Float = NDArray[np.float64]
QUANTITIES = ("gradient", "x", "z", "y", "all")
BOUNDS = ("printed", "derived")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochQuery(Checked):
    """Subject ``admm-epoch``: a noise-free quantity of one epoch over its claimed L2 sensitivity.

    Attributes
    ----------
    quantity : str
        ``gradient`` (Theorem 4.1, m = n), ``x``, ``z``, ``y`` (of mpADMM), or ``all`` three of these in one vector.
    bound : "printed" or "derived"
        Which Delta(x).
    eta, rho, clip : float
        Learning rate, penalty and C, > 0.
    l1 : float
        lambda, >= 0.
    model : str
        A linear one.
    """

    quantity: Annotated[str, OneOf(QUANTITIES)] = "x"
    bound: Annotated[str, OneOf(BOUNDS)] = "printed"
    eta: Positive = 1.0
    rho: Positive = 0.5
    clip: Positive = 1.0
    l1: NonNegative = 0.0001
    model: str = "huber-svm"

    def validate(self) -> None:
        """The model is a known one."""
        find_model(self.model)

    def claimed(self, rows: int) -> float:
        """The sensitivity for n records."""
        if self.quantity == "gradient":
            return 2.0 * self.clip / rows
        of_x = (printed_primal if self.bound == "printed" else derived_primal)(self.eta, self.rho, self.clip, rows)
        return {"x": of_x, "z": of_x, "y": self.rho * of_x, "all": joint(of_x, self.rho)}[self.quantity]

    def query(self, dataset: Dataset) -> Float:
        """The quantity over `claimed`, shape (1,), or (3,) for ``all``.

        Raises
        ------
        InputError
            For anything but a non-empty sequence of numbers.
        """
        numbers, epoch = first_epoch(dataset, self.model, clip=self.clip, eta=self.eta, rho=self.rho, l1=self.l1)
        parts = "xzy" if self.quantity == "all" else (self.quantity,)
        return np.concatenate([epoch[part] for part in parts]) / self.claimed(numbers)


def first_epoch(
    dataset: Dataset, model: str, *, clip: float, eta: float, rho: float, l1: float
) -> tuple[int, dict[str, Float]]:
    """n, and what lines 4 to 7 of Algorithm 4.2 compute from zeros: ``gradient``, ``x``, ``z``, ``y``, shape (1,) each.

    Raises
    ------
    InputError
        For anything but a non-empty sequence of numbers.
    """
    numbers = np.asarray(dataset, dtype=np.float64)
    if numbers.ndim != 1 or not numbers.size:
        raise InputError(f"a data set of shape {numbers.shape}", allowed="a sequence of at least one number")
    table = Table(features=numbers[:, None], labels=np.ones(numbers.size), name="numbers")
    start = np.zeros(1)
    gradient = find_model(model).gradient(start, table, clip=clip) / numbers.size
    x = primal(gradient, start, start, start, eta, rho)
    z = split(x, start, rho, l1)
    return numbers.size, {"gradient": gradient, "x": x, "z": z, "y": dual(start, x, z, rho)}
