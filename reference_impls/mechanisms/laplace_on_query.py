"""Bases of mechanisms that answer a query with independent Laplace noise: what they draw, and its exact law."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float


class LaplaceOnVector:
    """A mechanism that adds Laplace noise of one scale to each entry of a query: shape (size, k)."""

    __slots__ = ()

    @abstractmethod
    def query(self, dataset: Dataset) -> Float:
        """The answer without noise, shape (k,)."""

    @abstractmethod
    def laplace_scale(self, dataset: Dataset) -> float:
        """Scale of the noise; it depends on the data only where that is public, or the bug."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size, k)."""
        return with_laplace(self.query(dataset), self.laplace_scale(dataset), size, rng=rng)

    def output_law(self, dataset: Dataset) -> LaplaceLaw:
        """Independent Laplace around the answer."""
        return LaplaceLaw(locations=self.query(dataset), scales=np.array(self.laplace_scale(dataset)))


class LaplaceOnNumber(LaplaceOnVector):
    """The same for a query that is one number: `query` has shape (1,), outputs have shape (size,)."""

    __slots__ = ()

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy answers, shape (size,)."""
        return with_laplace(self.query(dataset), self.laplace_scale(dataset), size, rng=rng)[:, 0]
