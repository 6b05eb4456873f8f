"""ADADP for 50 epochs, then DP-SGD with a decaying learning rate (ADADP, "Comparison of ADADP against DP-Adam").

In epoch k > 50 the learning rate is eta_50 / (1 + 0.1 (k - 50)). The text says ADADP for 50 "steps", with k the number
of the epoch and 100 epochs in all, so these are read as epochs, and eta_50 as what the last iteration of ADADP adapted
the step size to. SGD goes along the same noisy sums (divisor 1). A batch left over where 50 epochs have an odd number
of them is a step of SGD at eta_50.

Each batch costs a subsampled Gaussian, in either phase. Without `rate`, how many there are, and when the step size
decays, follow N too, and the transcript's length shows it: under add/remove nothing sound is claimed then.

Not to be confused with ADADP to the end, as in "Experiments for ADADP and SGD".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.adadp_training import AdadpTraining
from reference_impls.training.settings import need_count, need_non_negative
from reference_impls.training.trainer import table_for

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpThenSgd(AdadpTraining):
    """Subject ``adadp-then-sgd``. Data set: a table. Result: the last iterate, shape (d,).

    The other attributes: :class:`~reference_impls.optimizers.adadp_training.AdadpTraining`.

    Attributes
    ----------
    epochs : int
        In all; with `adaptive_epochs` or fewer, ADADP all the way.
    adaptive_epochs : int
        Of ADADP, whose iterations take two batches each.
    decay : float
        What the divisor of the step size grows by an epoch, >= 0.
    """

    epochs: int = 100
    adaptive_epochs: int = 50
    decay: float = 0.1

    def __post_init__(self) -> None:
        AdadpTraining.__post_init__(self)
        need_count(self, "epochs", "adaptive_epochs")
        need_non_negative(self, "decay")

    def batch_count(self, rows: int) -> int:
        """N / |B| an epoch; 1 / q where `rate` is given, whatever N."""
        return self.epochs * self.epoch_length(rows)

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        gradient, rule, length = self.noisy_gradient(model, table, tape), self.rule, self.epoch_length(table.rows)
        weights, step = model.start(table.columns, rng=stream(self.start_seed, "start")), self.initial_step
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
