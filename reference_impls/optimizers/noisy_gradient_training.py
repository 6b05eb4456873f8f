"""What DP-SGD and its relatives have in common: sums of clipped gradients with Gaussian noise (Abadi et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.rules import NonNegative
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from reference_impls.models.model import Model
from reference_impls.training.clipping import Clip, need_finite_clip
from reference_impls.training.model_training import ModelTraining

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyGradientTraining(ModelTraining):
    """Clipping and noise; subclasses have the loop. Other attributes: those of `ModelTraining`.

    Attributes
    ----------
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma times `clip`. 0 for none.
    clip : float
        C, on the L2 norm of a record's gradient; inf for none (then `noise_multiplier` must be 0).
    """

    noise_multiplier: NonNegative = 1.0
    clip: Clip = 1.0

    def validate(self) -> None:
        """Noise needs a finite clipping threshold."""
        if self.noise_multiplier:
            need_finite_clip(self)

    @property
    def sensitivity(self) -> float:
        """How far one record moves a clean sum in L2, under `relation`: 2 C where it is replaced, else C."""
        return 2.0 * self.clip if self.relation == "replace" else self.clip

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.clip if self.noise_multiplier else 0.0

    def noisy_sum(self, model: Model, table: Table, weights: Float, batch: Integer, tape: Tape) -> Float:
        """The sum of the batch's clipped gradients with noise, shape (dimension,)."""
        clean = model.gradient(weights, table, batch, clip=self.clip)
        return tape.perturb("gradient", clean, law="gaussian", scale=self.noise_scale, sensitivity=self.sensitivity)
