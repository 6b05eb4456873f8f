"""A noisy gradient divided by the expected batch size, rate x len(data), although len(data) is private.

Wrong line: ``/ len(data)`` after the noise is added, where only a public number may stand. Source: Opacus (issue 571:
epsilon about 1.2 claimed and about 2.5 leaked with two or three records, found by sampling; extended in issue 819).
At rate 1, as here, the sum of n clipped gradients plus N(0, sigma^2) is released as it should be and then divided by n.
Now the spread, sigma / n, tells the number of records, and the mean moves by up to 2 / n where 1 / n was paid for.

True epsilon(1e-5), from the exact densities, where 1.2 is claimed: 31.4 for one record against two, 14.5 for two
against three (the claim's search space), 4.5 for ten against eleven, and 2.6 however many there are, by the mean
alone: all records at 1, and one more at -1. The law here is one of cells (`gaussian_cells`): it can be proved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.laws.coarse import CoarseLaw, gaussian_cells
from reference_impls.mechanisms.additive_noise import with_gaussian
from reference_impls.mechanisms.gaussian import exact_sigma
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_claim
from reference_impls.mechanisms.noise_scale import SigmaScaled

_OUTWARD = np.array([0.125, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0])
EDGES = np.concatenate([-_OUTWARD[::-1], [0.0], _OUTWARD])
"""Where the output is cut, in sigma (an output's own spread is sigma / n)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedBatchSize(SigmaScaled):
    """Subject ``expected-batch-size``. Data sets: numeric records, at least one; outputs: float64, shape (size,).

    Attributes
    ----------
    sigma : float
        Of the noise on the sum, for gradients clipped to [-1, 1].
    """

    def query(self, dataset: Dataset) -> Float:
        """The mean of the clipped gradients, shape (1,)."""
        return np.array([np.clip(records(dataset), -1.0, 1.0).sum()]) / self._batch(dataset)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy means, shape (size,)."""
        return with_gaussian(self.query(dataset), self._spread(dataset), size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the cell of `EDGES`: normal around the mean, with a spread that tells the number of records."""
        return gaussian_cells(float(self.query(dataset)[0]), self._spread(dataset), self.sigma * EDGES)

    def _batch(self, dataset: Dataset) -> int:
        """The expected batch size at rate 1; an empty batch counts as one record."""
        return max(records(dataset).size, 1)

    def _spread(self, dataset: Dataset) -> float:
        return self.sigma * self.noise_multiplier / self._batch(dataset)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim, at the size of the public report."""
    registry.known_broken.add("expected-batch-size", ExpectedBatchSize)
    add_claim(
        registry,
        "expected-batch-size",
        "broken",
        guarantee=ApproxDP(epsilon=1.2, delta=1e-5),
        parameters={"sigma": exact_sigma(1.2, 1e-5)},
        relation="add-remove",
        size=3,
        low=-1.0,
        high=1.0,
        source=("Opacus", "issues 571, 819"),
        statement="A sum of clipped gradients with enough noise, divided by the expected batch size, meets the bound.",
    )
