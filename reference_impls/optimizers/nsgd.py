"""NSGD: cyclic mini-batch gradient descent with noise on the last iterate (RSGD, Algorithm 1; DISS, Algorithm 3.1).

The batches are consecutive records in the order of the table, so only the noise is random. The claim (section 4.1;
DISS, after Theorem 3.1) is (alpha, epsilon)-RDP for sigma^2 = alpha Delta^2 / (2 epsilon), with Delta the recursion's
bound for a record in the *last* batch, "easily seen" to be the worst place. ``schedule="fixed"`` without line 4 is
Proposition 2's algorithm; its noise is scaled to the recursion here too, which is at most Proposition 2's closed form
and tends to it. With one batch it is the gradient descent of Zhang et al. 2017
(:mod:`reference_impls.optimizers.out_pert_gd`).

Flaws. The last place is the worst only if no step expands distances (rho <= 1, eta <= 2 / L): where eta_0 > 2 / L, the
steps of the first epochs after the record's own multiply its influence, and the first place is the worst. And a last
batch of fewer than |B| records (m does not divide n) moves by 2 eta R over its own size, not over |B|.
:mod:`reference_impls.optimizers.nsgd_repaired` corrects both.

Not to be confused with RSGD-AR, which permutes the records first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.optimizers.output_perturbation import DeterministicTraining, record_hidden
from reference_impls.optimizers.rsgd_training import RsgdTraining

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nsgd(RsgdTraining, DeterministicTraining):
    """Subject ``nsgd``. Data set: a table, rows of norm at most `norm`. Result: the noisy weights, shape (d,)."""

    def parts(self, rows: int) -> tuple[Float, Float]:
        """Delta for a record in the last batch, as published."""
        return self.sensitivities(rows)[-1:], np.ones(1)

    def trained(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop."""
        model, table = self.prepared(dataset)
        batches = self.batches(table.rows)  # line 1
        weights = np.zeros(model.dimension(table.columns))  # 2
        tape.iterate(weights)
        for step in self.steps:  # 3, 4
            for batch in batches:  # 5
                tape.publish("step-size", step)
                weights = self.stepped(weights, step, model, table, batch)  # 6 to 8
                record_hidden(weights, tape)
        return weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("nsgd", Nsgd)
