"""Output perturbation: training with no noise on the way, and Gaussian noise on the weights at the end."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.laws.density import GaussianLaw
from dpverify.recording.tape import Tape
from reference_impls.training.trainer import Training

Float = NDArray[np.float64]


class OutputPerturbation(Training):
    """Training whose only released value is the last weights with noise."""

    __slots__ = ()

    @abstractmethod
    def sensitivity(self, rows: int) -> float:
        """How far one record is claimed to move the weights for n records, in L2."""

    @abstractmethod
    def noise_scale(self, rows: int) -> float:
        """Standard deviation of a coordinate's noise for n records."""

    def released(self, weights: Float, rows: int, tape: Tape) -> Float:
        """The weights with noise, shape (d,)."""
        scale, sensitivity = self.noise_scale(rows), self.sensitivity(rows)
        return tape.perturb("model", weights, law="gaussian", scale=scale, sensitivity=sensitivity)


class DeterministicTraining(OutputPerturbation):
    """Output perturbation of a training that draws nothing: the noise is the only randomness, so the law is exact."""

    __slots__ = ()

    @abstractmethod
    def trained(self, dataset: Dataset, tape: Tape) -> Float:
        """The last iterate before the noise, shape (d,); the tape is told the iterates and draws nothing."""

    def query(self, dataset: Dataset) -> Float:
        """The last iterate before the noise, shape (d,)."""
        return self.trained(dataset, Tape((np.uint64(0),) * 4, keep=False))

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published algorithm."""
        return self.released(self.trained(dataset, tape), dataset.rows, tape)

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Normal around the last iterate: exact."""
        return GaussianLaw(locations=self.query(dataset), scales=np.array(self.noise_scale(dataset.rows)))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, d): one training, `size` noises."""
        weights = self.query(dataset)
        noise = Tape.recording(rng, keep=False).normal("model", size * weights.size).reshape(size, -1)
        return np.asarray(weights + self.noise_scale(dataset.rows) * noise)


def record_hidden(weights: Float, tape: Tape) -> None:
    """Put an iterate into the transcript as a value that is not released."""
    if tape.keep:
        tape.perturb("iterate", weights, law="none", scale=0.0, released=False)
