"""DP-SGD with one wrong line each, under the claim that its accountant makes.

* ``noise-of-mean``: the noise is scaled for the mean, sigma C / (q n), and added to the sum: a batch size too small.
* ``clip-mean``: the mean of the batch's gradients is clipped instead of each record's, and gets the noise of a mean of
  clipped ones times the divisor.
* ``unclipped-last``: the last record of every batch escapes the clip (an off-by-one in the loop over records).
* ``noise-per-epoch``: noise in the first step of every 1/q only.
* ``realised-size``: the noisy sum is divided by the number of records that the batch turned out to have.

Sources: noise and clip at the wrong scale are those of Tramer et al., "Debugging Differential Privacy" (2022, arXiv
2202.12219) and of Opacus' issues on expected batch sizes; the others are slips that audits of DP-SGD plant (Annamalai
and De Cristofaro 2024, arXiv 2405.14106). True epsilon: infinite without noise on some step or without a clip;
otherwise far above the claim, except ``realised-size``, which leaks how many records were drawn. Their claims are
registered in ``optimizers/white_box.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.models.model import find_model
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]
Fault = Literal["noise-of-mean", "clip-mean", "unclipped-last", "noise-per-epoch", "realised-size"]
FAULTS: tuple[Fault, ...] = ("noise-of-mean", "clip-mean", "unclipped-last", "noise-per-epoch", "realised-size")


@dataclass(frozen=True, slots=True, kw_only=True)
class DpSgdFault(DpSgd):
    """Subject ``dp-sgd-fault``: DP-SGD's loop with a wrong line.

    Attributes
    ----------
    fault : str
        Which; see above.
    """

    fault: Fault = "noise-of-mean"

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One run of the loop with the fault."""
        model = find_model(self.model)
        table = table_for(model, dataset)
        divisor = self.expected(table.rows) if self.divisor is None else self.divisor
        epoch = max(1, round(1 / self.rate))
        weights = np.zeros(model.dimension(table.columns))
        tape.iterate(weights)
        for step, batch in zip(range(self.steps), self.batches(table.rows, tape), strict=False):
            scale, divided = self.noise_scale, divisor
            if self.fault == "clip-mean":
                mean = model.gradient(weights, table, batch) / max(batch.size, 1)
                clean = divisor * mean * min(1.0, self.clip / max(math.hypot(*mean), 1e-300))
            elif self.fault == "unclipped-last":
                clean = model.gradient(weights, table, batch[:-1], clip=self.clip)
                clean = clean + model.gradient(weights, table, batch[-1:])
            else:
                clean = model.gradient(weights, table, batch, clip=self.clip)
            if self.fault == "noise-of-mean":
                scale = scale / divisor
            if self.fault == "noise-per-epoch" and step % epoch:
                scale = 0.0
            if self.fault == "realised-size":
                divided = float(max(batch.size, 1))
            noisy = tape.perturb("gradient", clean, law="gaussian", scale=scale, sensitivity=self.sensitivity)
            weights = weights - self.step_size * (noisy / divided + self.l2 * weights)
            tape.publish("step-size", self.step_size)
            tape.iterate(weights)
        return weights

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Results of independent runs, float64, shape (size, d): the loop, since the kernel has no faults."""
        tape = Tape.recording(rng, keep=False)
        return np.stack([self.run(dataset, tape) for _ in range(size)])


def register(registry: Registry) -> None:
    """Register the subject; its claims stand with the other white-box ones."""
    registry.known_broken.add("dp-sgd-fault", DpSgdFault)
