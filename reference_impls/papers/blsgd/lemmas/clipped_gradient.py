"""The private gradient of BLSGD (Algorithm 2, lines 5, 6): clipped per-record gradients, summed, with Gaussian noise.

``g = sum_i clip(grad f(w; d_i), C)`` has L2 sensitivity C when a record is added or removed (section IV-B), so
``g + N(0, C^2 / (2 rho) I)`` is claimed (order, order * rho)-RDP. The weights w are public: an iterate of plain
gradient descent on a named data set (see :mod:`reference_impls.line_search.descent_ray`).

Not to be confused with line 6 as printed, which divides by the size of the sample too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from dpverify.laws.density import GaussianLaw
from reference_impls.line_search.descent_ray import descent
from reference_impls.models.margin import clipped_gradient, margin_model

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClippedGradient(Checked):
    """Subject ``clipped-gradient``. Data set: a :class:`~dpverify.datasets.table.Table` with d columns.

    Attributes
    ----------
    weights : float64, shape (d,)
        w, public.
    loss : str
        A linear model.
    clip : float
        C_grad, > 0.
    rho : float
        rho_grad, > 0.
    noise_multiplier : float
        Multiplies every noise scale; anything but 1 is a deliberate fault, for the known-broken variants.
    """

    weights: Float
    loss: str = "logistic"
    clip: Positive = 3.0
    rho: Positive = 0.5
    noise_multiplier: Positive = 1.0

    def validate(self) -> None:
        """The loss is a known one."""
        margin_model(self.loss)  # an unknown name is said now, not in a worker

    @property
    def noise_scale(self) -> float:
        """Standard deviation of each coordinate's noise."""
        return self.noise_multiplier * self.clip / math.sqrt(2.0 * self.rho)

    def query(self, dataset: Dataset) -> Float:
        """The sum of the clipped gradients, shape (d,).

        Raises
        ------
        InputError
            When the data set is no table, or has another number of columns than w.
        """
        if not isinstance(dataset, Table) or dataset.columns != self.weights.size:
            raise InputError(
                f"data set {dataset if isinstance(dataset, Table) else type(dataset).__name__}",
                allowed=f"a Table with {self.weights.size} columns",
                remedy="build the mechanism with data= set to the name of the data set it runs on",
            )
        return clipped_gradient(margin_model(self.loss), dataset, self.weights, self.clip)

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around the sum, in d dimensions: exact."""
        return GaussianLaw(locations=self.query(dataset), scales=np.array(self.noise_scale))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent noisy gradients, float64, shape (size, d)."""
        sums = self.query(dataset)
        noisy: NDArray[Any] = sums + self.noise_scale * rng.standard_normal((size, sums.size))
        return noisy


def noisy_gradient(
    *, data: str = "auto", loss: str = "logistic", iterate: float = 5, **settings: Any
) -> ClippedGradient:
    """The mechanism at an iterate of gradient descent on the named data; `settings` as :class:`ClippedGradient`'s."""
    if not iterate >= 0:
        raise InputError(f"iterate = {iterate}", allowed="a number >= 0")
    return ClippedGradient(weights=descent(load_table(data), loss, round(iterate)).weights, loss=loss, **settings)
