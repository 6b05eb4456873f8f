"""The truncated geometric mechanism on finite computers: a count in 0..n plus geometric noise, clipped to 0..n.

Balcer, Vadhan, "Differential Privacy on Finite Computers" (ITCS 2018), Algorithm 4.8 (GeoSample): one uniform
integer of {1..d}, d = (2^(k+1) + 1)(2^k + 1)^(n-1), inverted through an integer distribution function, so that
every probability is an exact fraction and no floating point is involved. Exactly ln(1 + 2^-k)-DP.

k = ceil(ln(2 / epsilon)), with the *natural* logarithm, as DP-Sniper's benchmark has it: at epsilon = 0.1, k =
3 and the true epsilon is ln(9/8) = 0.1178, above 0.1. The claim at that true value stands (here); the claim at
0.1 is broken (`known_broken/truncated_geometric_natural_log.py`). With the binary logarithm k would be 5 and
0.1 would hold.

The multiplier acts on 2^k, rounded to a whole number: 0.9 makes 8 a 7, and the true epsilon ln(8/7) = 0.1335.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.laws.discrete import DiscreteLaw
from reference_impls.mechanisms.inputs import Float, Integer, single_answer
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedGeometric(EpsilonScaled):
    """Subject ``truncated-geometric``. Data sets: one count, rounded and clipped to 0..n; outputs: int64, (size,).

    Attributes
    ----------
    n : int
        The largest count, at least 1.
    """

    n: Count = 5

    def validate(self) -> None:
        """All weights together fit a 64-bit integer."""
        if self._total() > _LARGEST:
            raise InputError(
                f"n = {self.n} at epsilon = {self.epsilon}",
                allowed="a total weight below 2^62",
                remedy="take a smaller n or a larger epsilon",
            )

    def query(self, dataset: Dataset) -> Float:
        """The count that is noised, shape (1,)."""
        return np.array([float(self._count(dataset))])

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """Independent noisy counts, shape (size,)."""
        return np.searchsorted(np.array(self._cumulative(self._count(dataset))), self._uniform(size, rng))

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Integer:
        """How often each of 0..n came, shape (n + 1,)."""
        uniform, cumulative = self._uniform(size, rng), self._cumulative(self._count(dataset))
        beyond = [int(np.count_nonzero(uniform > limit)) for limit in cumulative]  # few limits: no search, no branch
        return -np.diff(np.array([size, *beyond]))

    def output_law(self, dataset: Dataset) -> DiscreteLaw:
        """The law of the output, in exact fractions."""
        cumulative = [0, *self._cumulative(self._count(dataset))]
        weights = (after - before for before, after in itertools.pairwise(cumulative))
        return DiscreteLaw.from_fractions([Fraction(weight, self._total()) for weight in weights])

    def _uniform(self, size: int, rng: np.random.Generator) -> Integer:
        """Uniform whole numbers of 1 .. d, shape (size,)."""
        return rng.integers(1, self._total(), size=size, endpoint=True)

    def _count(self, dataset: Dataset) -> int:
        # Half up, not half to even: answers one apart must round to counts at most one apart.
        return int(np.clip(np.floor(single_answer(dataset)[0] + 0.5), 0, self.n))

    def _base(self) -> int:
        """2^k, times the multiplier."""
        return max(1, round(2.0 ** math.ceil(math.log(2.0 / self.epsilon)) * self.noise_multiplier))

    def _total(self) -> int:
        base = self._base()
        total: int = (2 * base + 1) * (base + 1) ** (self.n - 1)
        return total

    def _cumulative(self, count: int) -> list[int]:
        """d times P(output <= z) for z = 0..n, when the count is `count`."""
        base, n = self._base(), self.n
        lower = [base ** (count - z) * (base + 1) ** (n - (count - z)) for z in range(count)]
        upper = [self._total() - base ** (z - count + 1) * (base + 1) ** (n - 1 - (z - count)) for z in range(count, n)]
        return [*lower, *upper, self._total()]


def register(registry: Registry) -> None:
    """Register the mechanism, the claim at its true epsilon and its noise deficit."""
    registry.mechanisms.add("truncated-geometric", TruncatedGeometric)
    add_pure_claim(
        registry,
        "truncated-geometric",
        "stands",
        relation="one-query",
        size=1,
        low=0.0,
        high=5.0,
        claimed=math.nextafter(math.log1p(2.0**-3), 1.0),
        parameters={"n": 5},
        source=("Balcer, Vadhan 2018", "Thm 4.7"),
        statement="The truncated geometric mechanism with parameter k is ln(1 + 2^-k)-DP.",
        noise_deficit="broken",
    )
