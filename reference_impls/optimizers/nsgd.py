"""NSGD: cyclic mini-batch gradient descent with noise on the last iterate (RSGD, Algorithm 1; DISS, Algorithm 3.1).

The batches are the data in its own order: nothing but the noise is random. The claim (section 4.1; DISS, after Theorem
3.1) is (alpha, epsilon)-RDP for sigma^2 = alpha Delta^2 / (2 epsilon), with Delta the recursion's bound for a record in
the *last* batch, "easily seen" to be the worst place. ``schedule="fixed"`` without line 4 is Proposition 2's algorithm;
its noise is scaled to the recursion here too, which is at most Proposition 2's closed form and tends to it. With one
batch that is the gradient descent of Zhang et al. 2017 (:mod:`reference_impls.optimizers.out_pert_gd`).

Flaws: the last place is the worst only if no step expands (rho <= 1, eta <= 2 / L): where eta_0 > 2 / L, every step of
the first epochs that follows the record's own multiplies its influence, and the first place is the worst. And a
last batch of fewer than |B| records (m does not divide n) moves by 2 eta R over its own size, not |B|.
:mod:`reference_impls.optimizers.nsgd_repaired` mends both.

Not to be confused with RSGD-AR, which permutes the records first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.laws.density import GaussianLaw
from dpverify.recording.tape import Tape
from reference_impls.optimizers.rsgd_training import RsgdTraining, note

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nsgd(RsgdTraining):
    """Subject ``nsgd``. Data set: a table, rows of norm at most `norm`. Result: the noisy weights, shape (d,)."""

    def parts(self, rows: int) -> tuple[Float, Float]:
        """Delta of the last place, as published."""
        return self.sensitivities(rows)[-1:], np.ones(1)

    def query(self, dataset: Dataset) -> Float:
        """The last iterate before the noise, shape (d,)."""
        return self._trained(dataset, Tape((np.uint64(0),) * 4, keep=False))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published algorithm."""
        weights = self._trained(dataset, tape)
        return self.released(weights, dataset.rows, tape)

    def _trained(self, dataset: Dataset, tape: Tape) -> Float:
        model, table = self.prepared(dataset)
        batches = self.batches(table.rows)  # line 1
        weights = np.zeros(model.dimension(table.columns))  # 2
        tape.iterate(weights)
        for step in self.steps:  # 3, 4
            for batch in batches:  # 5
                tape.publish("step-size", step)
                weights = self.stepped(weights, step, model, table, batch)  # 6 to 8
                note(weights, tape)
        return weights

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around the last iterate: exact."""
        return GaussianLaw(locations=self.query(dataset), scales=np.array(self.noise_scale(dataset.rows)))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): one training, `size` noises."""
        weights = self.query(dataset)
        tape = Tape.recording(rng, keep=False)
        noise = tape.normal("model", size * weights.size).reshape(size, -1)
        return np.asarray(weights + self.noise_scale(dataset.rows) * noise)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("nsgd", Nsgd)
