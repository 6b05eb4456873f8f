"""What encodings of one value as a vector with a single 1 share: how long it is, bits as numbers, how they are claimed.

Vectors of bits are written as one number, bit i being bit i of it, so that a histogram can count all 2^categories of
them. Not to be confused with a Bloom filter (`rappor.py`), which sets several bits for a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Integer
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

_MOST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding(EpsilonScaled):
    """An encoding of one value in 0..categories-1.

    Attributes
    ----------
    categories : int
        k, 2 to 12: the length of the vector.
    """

    categories: Annotated[int, Between(2, _MOST)] = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BitEncoding(Encoding, ABC):
    """An encoding that puts out bits, as one number: int64."""

    @abstractmethod
    def bits(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Independent vectors, shape (size, categories)."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent vectors, written as numbers, shape (size,)."""
        return np.asarray(self.bits(dataset, size, rng=rng) @ (1 << np.arange(self.categories)), dtype=np.int64)

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each vector came, shape (2^categories,)."""
        return np.bincount(self.sample(dataset, size, rng=rng), minlength=1 << self.categories)


def add_encoding(
    registry: Registry, name: str, factory: Callable[..., Any], *, short: str, claimed: float, statement: str
) -> None:
    """Register an encoding, its claim of `claimed`-DP for four values at epsilon = 1, and its noise deficit.

    Parameters
    ----------
    registry : Registry
        Gets the subject and the claim, both under `name`, and their noise deficits.
    name : str
        The subject's.
    factory : callable
        Makes the mechanism from an `Encoding`'s parameters.
    short : str
        What the benchmark calls it: the claim's locus.
    claimed : float
        Pure epsilon, in nats.
    statement : str
        The claim in words.
    """
    registry.mechanisms.add(name, factory)
    add_pure_claim(
        registry,
        name,
        "stands",
        relation="value",
        size=4,
        low=0.0,
        high=3.0,
        epsilon=1.0,
        claimed=claimed,
        parameters={"categories": 4},
        source=(BENCHMARK, short),
        statement=statement,
        noise_deficit="broken",
    )
