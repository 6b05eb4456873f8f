"""Smart sums whose block sums carry no noise (CheckDP's badsmartsum).

Wrong line: the noise at the end of a block is 0, so that every finished block's sum goes out exactly. Source:
Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5. True epsilon: infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Dataset, Law
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.point import PointLaw
from dpverify.laws.product import ProductLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.smart_sum import noised_quantities, running_sums


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartSumExactBlocks(EpsilonScaled):
    """Subject ``bad-smart-sum``. Data sets: m entries; outputs: float64, shape (size, m).

    Attributes
    ----------
    block : int
        Length of a block, at least 2.
    """

    block: Annotated[int, Between(2, math.inf)] = 3

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent vectors of prefix sums, exact at the end of each block, shape (size, m)."""
        entries = query_vector(dataset)
        scales = np.full(entries.size, self.scale(1.0))
        scales[self._ends()] = 0.0
        noisy = with_laplace(noised_quantities(entries, self.block), scales, size, rng=rng)
        return running_sums(noisy, self.block)

    def output_law(self, dataset: Dataset) -> Law:
        """The exact sums as a point, beside the noisy entries: together they carry what the output does."""
        entries = query_vector(dataset)
        noise = LaplaceLaw(locations=np.delete(entries, self._ends()), scales=np.array(self.scale(1.0)))
        exact = running_sums(noised_quantities(entries, self.block)[None, :], self.block)[0, self._ends()]
        return ProductLaw(laws=(PointLaw(place=exact), noise)) if exact.size else noise

    def _ends(self) -> slice:
        return slice(self.block - 1, None, self.block)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-smart-sum", SmartSumExactBlocks)
    add_pure_claim(
        registry,
        "bad-smart-sum",
        "broken",
        relation="one-query",
        size=10,
        claimed=0.2,
        parameters={"block": 3},
        source=(BENCHMARK, "smartsum, bad"),
        statement="Smart sums without noise on block sums are 2 epsilon-DP when one entry moves by one.",
    )
