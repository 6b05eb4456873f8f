"""RAPPOR: Bloom-filter bits with permanent and instantaneous randomised response.

Erlingsson, Pihur, Korolova (CCS 2014), Algorithm 1. A value sets `hashes` of `bits` filter bits. Permanent:
each bit is replaced by a fair coin with probability f. One-time RAPPOR reports these; RAPPOR proper reports
each as 1 with probability q where the permanent bit is 1, and p where it is 0. Every run draws its permanent
bits afresh.

Any two values differ in at most 2 h bits, and bits are independent given the value: with the benchmark's
numbers one-time RAPPOR (f = 0.95) is 2 h ln((1 - f/2) / (f/2)) = 0.80067-DP and RAPPOR (f = 0.75, p = 0.45, q =
0.55) is h ln(q* (1 - p*) / (p* (1 - q*))) = 0.40008-DP (Theorems 1 and 2), met with equality by two values
without a common bit. The multiplier acts on f, the share of noise. Hashes are BLAKE2b's, a fixed choice: values
may collide.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numba import njit

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, Positive, Probability
from dpverify.core.subjects import Dataset
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import ProductLaw
from dpverify.sampling.streams import state_from
from dpverify.sampling.xoshiro import uniform
from reference_impls.mechanisms.inputs import Float, category
from reference_impls.mechanisms.mechanism_claims import STANDARD, add_claim

_VALUES = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class OneTimeRappor(Checked):
    """Subject ``rappor-one-time``. Data sets: one whole number >= 0; outputs: bits 0 and 1, shape (size, bits).

    Attributes
    ----------
    hashes, bits : int
        h hash functions into a filter of this many bits.
    f : float
        Probability that a permanent bit is a fair coin, in (0, 1].
    noise_multiplier : float
        Multiplies f; anything but 1 is a deliberate fault, for the known-broken variants.
    """

    hashes: Count = 4
    bits: Count = 20
    f: Positive = 0.95
    noise_multiplier: Positive = 1.0

    def validate(self) -> None:
        """There is a bit for each hash, and f with the noise multiplier is a probability."""
        if not (self.hashes <= self.bits and self.f * self.noise_multiplier <= 1):
            raise InputError(
                f"{self.hashes} hashes, {self.bits} bits, f = {self.f}", allowed="hashes <= bits and f <= 1"
            )

    def filter_of(self, value: int) -> Float:
        """The Bloom filter of a value: 0 and 1, shape (bits,)."""
        bits = np.zeros(self.bits)
        for index in range(self.hashes):
            digest = hashlib.blake2b(f"{index}:{value}".encode(), digest_size=8).digest()
            bits[int.from_bytes(digest, "big") % self.bits] = 1.0
        return bits

    def instantaneous(self) -> tuple[float, float]:
        """(p, q): the chance of reporting 1 for a permanent bit of 0, and of 1."""
        return 0.0, 1.0

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent reports, each with permanent bits of its own, shape (size, bits)."""
        out = np.empty((size, self.bits), order="F")
        p, q = self.instantaneous()
        _fill(out, self.filter_of(category(dataset, _VALUES)), self._noise(), p, q, *state_from(rng))
        return out

    def output_law(self, dataset: Dataset) -> ProductLaw:
        """Independent bits, with exact fractions for the decimal parameters."""
        laws = _bit_laws(self._noise(), *self.instantaneous())
        return ProductLaw(laws=tuple(laws[int(bit)] for bit in self.filter_of(category(dataset, _VALUES))))

    def _noise(self) -> float:
        return self.f * self.noise_multiplier


@dataclass(frozen=True, slots=True, kw_only=True)
class Rappor(OneTimeRappor):
    """Subject ``rappor``: with instantaneous randomised response on top.

    Attributes
    ----------
    p, q : float
        Chance of reporting 1 for a permanent bit of 0, and of 1; in [0, 1].
    """

    f: Positive = 0.75
    p: Probability = 0.45
    q: Probability = 0.55

    def instantaneous(self) -> tuple[float, float]:
        """The probabilities (p, q) of the second randomisation."""
        return self.p, self.q


@lru_cache(maxsize=16)
def _bit_laws(f: float, p: float, q: float) -> tuple[DiscreteLaw, DiscreteLaw]:
    """The law of a reported bit, for a filter bit of 0 and of 1: the same objects for all values and bits."""
    half, low, high = _decimal(f) / 2, _decimal(p), _decimal(q)
    ones = (permanent * high + (1 - permanent) * low for permanent in (half, 1 - half))
    zero, one = (DiscreteLaw.from_fractions([1 - share, share]) for share in ones)
    return zero, one


def _decimal(number: float) -> Fraction:
    """The fraction that a short decimal was meant to be: 0.95 is 19/20."""
    return Fraction(repr(float(number)))


@njit(cache=True, nogil=True)
def _fill(
    out: Float,
    bits: Float,
    f: float,
    p: float,
    q: float,
    s0: np.uint64,
    s1: np.uint64,
    s2: np.uint64,
    s3: np.uint64,
) -> None:
    """Write one report a row: first the permanent bit, then the reported one (without branches: all are coin flips)."""
    half = f / 2.0
    for trial in range(out.shape[0]):
        for i in range(bits.size):
            draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            permanent = (draw < half) + bits[i] * (draw >= f)
            draw, s0, s1, s2, s3 = uniform(s0, s1, s2, s3)
            out[trial, i] = draw < p + (q - p) * permanent


def register(registry: Registry) -> None:
    """Register both mechanisms, their claims for 21 values, and their noise deficits."""
    for name, factory, claimed in (("rappor-one-time", OneTimeRappor, 0.8007), ("rappor", Rappor, 0.4001)):
        registry.mechanisms.add(name, factory)
        add_claim(
            registry,
            name,
            "stands",
            guarantee=PureDP(epsilon=claimed),
            parameters={},
            relation="value",
            size=21,
            low=0.0,
            high=20.0,
            source=("Erlingsson, Pihur, Korolova 2014", "Thm 1" if claimed > 0.5 else "Thm 2"),
            statement=f"{name} with the benchmark's parameters is {claimed}-DP for any two values.",
            suites=STANDARD,
            noise_deficit="broken",
        )
