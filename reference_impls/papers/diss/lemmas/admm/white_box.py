"""AM-SS-RDP and AM-MP-RDP on the algorithms themselves: laws of all that a run shows, and claims about what it returns.

Records are canaries of one-weight squared loss (`replace/canaries`), whose clipped gradients are the same at any
weight. So an iteration's shift does not depend on what came before, T iterations cost T times as much as one, on both
sides of the claim, and the laws here are exact:

- `SsIteration`: what one iteration of ssADMM releases, the noisy mean gradient (x, z and y follow from it): a mixture
  of normal laws over the batches, seen in public cells so that a divergence can be proved.
- `MpShown`: x, z and y of all epochs of mpADMM, each given what was shown before it: the run is replayed with its
  released values held, through the algorithm's own code, and what it then computes from the records is the law's
  centre.

The exact auditor looks at these; the `event` auditor at samples of the returned x^T, by claims on the algorithms.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.neighbors.canaries import BLANK, canary_table
from dpverify.datasets.table import Table
from dpverify.definitions.rdp import RDP
from dpverify.laws.coarse import CoarseLaw, gaussian_cells
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw
from dpverify.sampling.streams import stream
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.models.model import find_model
from reference_impls.training.trainer import table_for

Float = NDArray[np.float64]
LABEL = 1e9
"""So long a gradient that no weight shortens it below the clip."""
MODEL = "squared"
BEYOND, WIDTH = 30.0, 0.25
"""How far the cells go beyond the clip, and their width, in standard deviations."""
MOST = 8
"""Records unlike the most frequent one, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SsIteration:
    """Subject ``ss-admm-iteration``: the law of the first noisy gradient. Data set: a table of one column.

    Attributes
    ----------
    batch_size : int or None
        m; None for sqrt(n), rounded.
    sigma, clip : float
        As :class:`~reference_impls.admm.ss_admm.SsAdmm`'s.
    """

    batch_size: int | None = None
    sigma: float = 0.01
    clip: float = 1.0

    def training(self) -> SsAdmm:
        """One iteration of the algorithm."""
        return SsAdmm(model=MODEL, steps=1, batch_size=self.batch_size, sigma=self.sigma, clip=self.clip)

    @property
    def edges(self) -> Float:
        """Of the cells, from C and sigma alone: whatever the records are, centres lie in [-C, C]."""
        reach = self.clip / self.sigma + BEYOND
        return np.asarray(self.sigma * np.linspace(-reach, reach, 2 * round(reach / WIDTH) + 1))

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """In cells; InputError for many records unlike the most frequent one, or more than one column."""
        centres = self._centres(dataset)
        parts = tuple(gaussian_cells(place, self.sigma, self.edges).cells for place in centres)
        mixed = MixtureLaw(laws=parts, weights=tuple(centres.values())).flat()
        if not isinstance(mixed, DiscreteLaw):
            raise TypeError("a mixture of tables is a table")
        return CoarseLaw(cells=mixed, partition=self.edges.tobytes())

    def _centres(self, dataset: Dataset) -> dict[float, Fraction]:
        """The mean gradient of each kind of batch, and how likely it is."""
        training, model = self.training(), find_model(MODEL)
        table = table_for(model, dataset)
        if table.columns != 1:
            raise InputError(f"records of {table.columns} columns", allowed="one")
        size = min(training.batch(table.rows), table.rows)
        _, first, counts = np.unique(
            np.column_stack([table.features, table.labels]), axis=0, return_index=True, return_counts=True
        )
        slopes = [float(model.gradient(np.zeros(1), table, np.array([i]), clip=self.clip)[0]) for i in first.tolist()]
        most = int(counts.argmax())
        others = [slope for i, slope in enumerate(slopes) for _ in range(int(counts[i])) if i != most]
        if len(others) > MOST:
            raise InputError(f"{len(others)} records unlike the most frequent one", allowed=f"at most {MOST}")
        centres: dict[float, Fraction] = {}
        whole = math.comb(table.rows, size)
        for chosen in product((0, 1), repeat=len(others)):
            taken = sum(chosen)
            ways = math.comb(table.rows - len(others), size - taken) if taken <= size else 0
            if ways:
                total = sum(slope for slope, one in zip(others, chosen, strict=True) if one)
                place = (total + (size - taken) * slopes[most]) / training.batch(table.rows)
                centres[place] = centres.get(place, Fraction(0)) + Fraction(ways, whole)
        return centres


@dataclass(frozen=True, slots=True, kw_only=True)
class MpShown:
    """Subject ``mp-admm-shown``: the law of everything that mpADMM shows. Data set: a table of one column.

    Attributes
    ----------
    epochs, rho, eta, sigma, clip
        As :class:`~reference_impls.admm.mp_admm.MpAdmm`'s, eta constant; l1 = 0, so that z follows x wherever it is.
    """

    epochs: int = 20
    rho: float = 0.5
    eta: float = 1.0
    sigma: float = 0.001
    clip: float = 1.0

    def training(self, *, repaired: bool = False) -> MpAdmm:
        """The algorithm, for either account."""
        return (MpAdmmRepaired if repaired else MpAdmm)(
            model=MODEL,
            epochs=self.epochs,
            rho=self.rho,
            initial_step=self.eta,
            sigma=self.sigma,
            clip=self.clip,
            l1=0.0,
        )

    def output_law(self, dataset: Dataset) -> GaussianLaw:
        """Independent normals around the noise-free values of a replay that holds what a public run released."""
        return GaussianLaw(locations=_replayed(self.training(), dataset), scales=np.array(self.sigma))


@lru_cache(maxsize=8)
def _replayed(training: MpAdmm, dataset: Table) -> Float:
    """All noise-free values, shape (3 epochs,); remembered, since every order of a claim asks again."""
    table = table_for(find_model(MODEL), dataset, columns=1)
    public = canary_table([BLANK] * table.rows, high=LABEL, name="blank records")
    run = training.transcript(public, rng=stream(0, "public run"))
    again = training.replay(table, dataclasses.replace(run, held=True))
    return np.concatenate([each.clean for each in again.perturbed])


def iteration_price(*, records: int) -> RDP:
    """What an iteration of ssADMM is claimed to cost, at the settings of :class:`SsIteration`."""
    return SsIteration().training().guarantee(records)


def run_price(*, records: int, **settings: Any) -> RDP:
    """What a run of ssADMM is claimed to cost."""
    return SsAdmm(**settings).guarantee(records)


def epochs_price(*, records: int, repaired: bool = False, **settings: Any) -> RDP:
    """What the epochs of :class:`MpShown` are claimed to cost, with Delta(x) as printed or as (4.8) has it."""
    return MpShown(**settings).training(repaired=repaired).guarantee(records)
