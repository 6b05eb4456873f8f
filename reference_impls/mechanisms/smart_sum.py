"""Smart sums: noisy prefix sums whose noise restarts at the end of each block.

Chan, Shi, Song, "Private and Continual Release of Statistics" (ICALP 2010), the two-level counter; the SmartSum
of LightDP and CheckDP. At the end of a block the running sum becomes (previous block sums + this block's true
sum + Lap(1 / epsilon)); inside a block each entry adds itself with its own Lap(1 / epsilon). An entry inside a
block is used twice: 2 epsilon-DP when one entry moves by one, and no less.

Outputs and (noisy entries, noisy block sums) determine each other, which gives the exact law. The noise is
scaled to 1 + 1e-9 for the rounding of the sums (see `partial_sum.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.partial_sum import SUM_SENSITIVITY


@dataclass(frozen=True, slots=True, kw_only=True)
class SmartSum(EpsilonScaled):
    """Subject ``smart-sum``. Data sets: m entries; outputs: float64, shape (size, m).

    Attributes
    ----------
    block : int
        Length of a block, at least 2.
    """

    block: Annotated[int, Between(2, math.inf)] = 3

    def query(self, dataset: Dataset) -> Float:
        """What is noised, shape (m,): entries, and at the end of each block the block's sum instead."""
        return noised_quantities(query_vector(dataset), self.block)

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent vectors of noisy prefix sums, shape (size, m)."""
        noised = self.query(dataset)
        return running_sums(with_laplace(noised, self.scale(SUM_SENSITIVITY), size, rng=rng), self.block)

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """The law of the noisy entries and block sums, which carry the same information (a bijection)."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.scale(SUM_SENSITIVITY)))


def noised_quantities(entries: Float, block: int) -> Float:
    """The entries, shape (m,), with the last entry of each whole block replaced by the block's sum."""
    noised = entries.copy()
    for end in range(block - 1, entries.size, block):
        noised[end] = entries[end + 1 - block : end + 1].sum()
    return noised


def running_sums(noisy: Float, block: int) -> Float:
    """Prefix sums, shape (size, m), from noisy entries that hold the block's noisy sum at each block's end."""
    sums = np.empty_like(noisy)
    start = np.zeros(noisy.shape[0])  # sum of all finished blocks
    for first in range(0, noisy.shape[1], block):
        part = noisy[:, first : first + block]
        inside = min(block - 1, part.shape[1])
        sums[:, first : first + inside] = start[:, None] + np.cumsum(part[:, :inside], axis=1)
        if part.shape[1] == block:
            start = start + part[:, -1]
            sums[:, first + block - 1] = start
    return sums


def register(registry: Registry) -> None:
    """Register the mechanism, its claim at 2 epsilon and its noise deficit."""
    registry.mechanisms.add("smart-sum", SmartSum)
    add_pure_claim(
        registry,
        "smart-sum",
        "stands",
        relation="one-query",
        size=10,
        claimed=0.2,
        parameters={"block": 3},
        source=(BENCHMARK, "smartsum"),
        statement="Smart sums with Lap(1/epsilon) are 2 epsilon-DP when one entry moves by one.",
        noise_deficit="broken",
    )
