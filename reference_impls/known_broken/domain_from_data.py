"""A noisy histogram whose bins are read off the private records: 0 up to the largest one.

Wrong line: ``bins = max(records) + 1``. Source: dpmm's AIM and PrivBayes, domain = max + 1 of the private data
(dp-recorder, PETS 2026); reprosyn issue 38. The number of bins goes out without noise, so true epsilon
infinite: a record above all others shows by its bin. Outputs have one column for each bin there could be; a bin
outside the data's domain is exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Count
from dpverify.core.subjects import Dataset
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.point import PointLaw
from dpverify.laws.product import ProductLaw
from dpverify.recording.tape import Tape
from reference_impls.mechanisms.additive_noise import with_laplace
from reference_impls.mechanisms.inputs import Float, records
from reference_impls.mechanisms.mechanism_claims import add_pure_claim
from reference_impls.mechanisms.noise_scale import EpsilonScaled
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainFromData(EpsilonScaled, Replayable):
    """Subject ``domain-from-data``. Data sets: records in [0, width); outputs: float64, shape (size, width).

    Attributes
    ----------
    width : int
        How many bins an output has room for.
    """

    width: Count = 5

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent noisy histograms, 0 beyond the largest record's bin, shape (size, width)."""
        counts, known = self._histogram(dataset)
        out = np.zeros((size, self.width))
        if known:
            out[:, :known] = with_laplace(counts[:known], self.scale(1.0), size, rng=rng)
        return out

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One noisy histogram over the data's own bins, 0 beyond."""
        counts, known = self._histogram(dataset)
        out = np.zeros(self.width)
        out[:known] = tape.perturb("bins", counts[:known], law="laplace", scale=self.scale(1.0), sensitivity=1.0)
        return out

    def output_law(self, dataset: Dataset) -> ProductLaw:
        """The number of bins as a point, beside noisy counts of all that there is room for.

        Beyond the data's own bins the output is exactly 0. Noise around 0 stands in for it: the same on both sides
        where the numbers of bins agree, and where they do not, the point tells them apart already.
        """
        counts, known = self._histogram(dataset)
        noise = LaplaceLaw(locations=counts, scales=np.array(self.scale(1.0)))
        return ProductLaw(laws=(PointLaw(place=np.array([float(known)])), noise))

    def _histogram(self, dataset: Dataset) -> tuple[Float, int]:
        """Counts, shape (width,), and the number of bins that the data makes."""
        bins = np.floor(records(dataset)).astype(np.int64)
        if bins.size and not 0 <= bins.min() <= bins.max() < self.width:
            raise InputError(f"records in bins {bins.min()}..{bins.max()}", allowed=f"records in [0, {self.width})")
        return np.bincount(bins, minlength=self.width).astype(np.float64), int(bins.max()) + 1 if bins.size else 0


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("domain-from-data", DomainFromData)
    add_pure_claim(
        registry,
        "domain-from-data",
        "broken",
        relation="add-remove",
        size=3,
        low=0.0,
        high=4.0,
        epsilon=1.0,
        parameters={"width": 5},
        source=("dp-recorder", "dpmm: domain = max + 1"),
        statement="A noisy histogram over the data's own domain is epsilon-DP.",
    )
