"""ADADP for 50 epochs, then DP-SGD with a decaying learning rate (ADADP, "Comparison of ADADP against DP-Adam").

In epoch k > 50 the learning rate is eta_50 / (1 + 0.1 (k - 50)). The text says ADADP for 50 "steps", with k the number
of the epoch and 100 epochs in all, so these are read as epochs, and eta_50 as what the last iteration of ADADP adapted
the step size to. SGD goes along the same noisy sums (divisor 1). A batch left over where 50 epochs have an odd number
of them is a step of SGD at eta_50.

Each batch costs a subsampled Gaussian, in either phase. Without `rate`, the number of batches and the epochs in which
the step size decays depend on N, too, and the transcript's length shows N: under add/remove no sound claim is made.

Not to be confused with ADADP to the end, as in "Experiments for ADADP and SGD".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.adadp_training import AdadpTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpThenSgd(AdadpTraining):
    """Subject ``adadp-then-sgd``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.adadp_training.AdadpTraining`.

    Attributes
    ----------
    epochs : int
        Epochs in all; if at most `adaptive_epochs`, all of them are ADADP's.
    adaptive_epochs : int
        Epochs of ADADP, whose iterations take two batches each.
    decay : float
        How much the divisor of the step size grows in an epoch, >= 0.
    """

    epochs: Count = 100
    adaptive_epochs: Count = 50
    decay: NonNegative = 0.1

    def batch_count(self, rows: int) -> int:
        """N / |B| batches in every epoch; 1 / q where `rate` is given, whatever N is."""
        return self.epochs * self.epoch_length(rows)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model, table, weights = self.begin(dataset)
        gradient, rule, step = self.noisy_gradient(model, table, tape), self.rule, self.initial_step
        length = self.epoch_length(table.rows)
        tape.iterate(weights)
        iterations = min(self.adaptive_epochs, self.epochs) * length // 2
        for _ in range(iterations):
            weights, step = rule.advanced(weights, step, gradient, tape)
            tape.iterate(weights)
        for batch in range(2 * iterations, self.epochs * length):
            epoch = batch // length + 1
            decayed = step / (1.0 + self.decay * max(epoch - self.adaptive_epochs, 0))
            weights = weights - decayed * gradient(weights)
            tape.publish("step-size", decayed)
            tape.iterate(weights)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("adadp-then-sgd", AdadpThenSgd)
