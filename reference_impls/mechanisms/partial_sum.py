"""The noisy total: sum of all entries + Lap(1 / epsilon) (CheckDP's partialsum).

One entry moves by one, so the sum does, and the mechanism is exactly epsilon-DP. Not to be confused with
`prefix_sum.py`, which releases every partial sum.

Floating-point sums of neighbours can differ by a hair more than one (Casacuberta, Shoemate, Vadhan, Wagaman
2022); the noise is scaled to 1 + 1e-9 instead of 1, which covers sums up to about 10^6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.calibrated import Calibrated, Float, query_vector

SUM_SENSITIVITY = 1.0 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialSum(Calibrated):
    """Subject ``partial-sum``. Data sets: m entries; outputs: float64, shape (size,)."""

    def query(self, dataset: Dataset) -> Float:
        """The sum, shape (1,)."""
        return np.array([query_vector(dataset).sum()])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy sums, shape (size,)."""
        return with_laplace(self.query(dataset), self.scale(SUM_SENSITIVITY), size, rng=rng)[:, 0]

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Laplace around the sum."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.scale(SUM_SENSITIVITY)))


def register(registry: Registry) -> None:
    """Register the mechanism, its claim and its noise deficit."""
    registry.mechanisms.add("partial-sum", PartialSum)
    claim = Claim(
        id="partial-sum",
        guarantee=PureDP(epsilon=0.1),
        relation="one-query",
        subject="partial-sum",
        parameters={"epsilon": 0.1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="field's standard benchmark", locus="partialsum"),
        statement="A sum with Lap(1/epsilon) is epsilon-DP when one entry moves by one.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="stands", noise_deficit="broken"))
