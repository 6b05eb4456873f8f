"""A median by the exponential mechanism that forgets the 1 / 2 in the exponent.

Wrong line: e^(epsilon score) for e^(epsilon score / 2), as if the constant that makes it a density were public. True
epsilon: up to 2 epsilon (`true_epsilon` has that of a pair): where a number gains what nearly all others lose. Such
numbers lie in a short gap between records, inside the range: with records at 1, 1, 1.02 and 10 in [0, 10], and one of
them moved from 1 to 10, 1 < output <= 1.02 has 0.0058 against 0.0008, 1.97 for an epsilon of 1; all numbers up to 1.02
together show 1.05.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.exponential_median import ExponentialMedian
from reference_impls.mechanisms.inputs import Float
from reference_impls.mechanisms.mechanism_claims import add_pure_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMedianUnhalved(ExponentialMedian):
    """Subject ``exponential-median-unhalved``. Data sets and outputs as its sound twin's."""

    factor: ClassVar[float] = 1.0


def true_epsilon(mechanism: ExponentialMedian, d0: Dataset, d1: Dataset) -> float:
    """The largest |log-ratio| of the two densities: between neighbouring ends of either's gaps both are constant."""
    cuts = np.union1d(mechanism.gaps(d0)[0], mechanism.gaps(d1)[0])
    densities = [_densities(*mechanism.gaps(each), (cuts[1:] + cuts[:-1]) / 2.0) for each in (d0, d1)]
    return float(np.abs(np.diff(np.log(densities), axis=0)).max())


def _densities(ends: Float, masses: Float, places: Float) -> Float:
    gap = np.searchsorted(ends, places) - 1
    return np.asarray(masses[gap] / np.diff(ends)[gap])


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("exponential-median-unhalved", ExponentialMedianUnhalved)
    add_pure_claim(
        registry,
        "exponential-median-unhalved",
        "broken",
        relation="replace",
        size=4,
        low=0.0,
        high=10.0,
        epsilon=1.0,
        source=("Dwork and Roth 2014", "section 3.4, without its 1 / 2"),
        statement="The median by the exponential mechanism is epsilon-DP where a record is replaced.",
    )
