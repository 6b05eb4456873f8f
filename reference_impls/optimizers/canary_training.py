"""DP-SGD on a small table with canaries, each put in by a fair coin: what one-run audits train.

A canary is a record of its own feature (Dirac): its clipped gradient is C along an axis that no other record uses,
which is the worst that one record can do. Its score is the inner product of the final weights with that axis. The table
also holds ordinary records, whose labels follow a hidden direction.

The divisor is a fixed number, so that the size of the table is not needed; neighbours differ by one canary
(add-remove). At rate 1 the weights along each axis are Gaussian, T steps of the same mechanism: mu = sqrt(T) / sigma
exactly. Not to be confused with canaries whose insertion is the only randomness: here the noise of the training is the
point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import Claim, Source
from dpverify.core.suite import Expectation, Suite, SuiteEntry
from dpverify.datasets.table import Table
from dpverify.definitions.gdp import GDP
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.training.settings import need_count, need_positive

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]

LOUD = 40.0
"""A canary's feature: large enough that its logistic gradient stays above the clip while its weight moves."""

SUITE = "one-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryTraining:
    """Subject ``dp-sgd-canaries``: logistic regression by DP-SGD, with canaries.

    Attributes
    ----------
    canaries : int
        How many coins are flipped.
    records, columns : int
        Of the ordinary table.
    steps : int
        T.
    rate : float
        Each record's chance to enter a batch.
    noise_multiplier : float
        sigma.
    noise : float
        What part of the noise is really added; 1 is right.
    step_size, divisor : float
        Of a step, and what the noisy sum is divided by.
    """

    canaries: int = 1000
    records: int = 200
    columns: int = 8
    steps: int = 4
    rate: float = 1.0
    noise_multiplier: float = 4.0
    noise: float = 1.0
    step_size: float = 1.0
    divisor: float = 200.0

    def __post_init__(self) -> None:
        need_count(self, "canaries", "records", "columns", "steps")
        need_positive(self, "noise_multiplier", "noise", "step_size", "divisor")

    @property
    def values(self) -> int:
        """In or out."""
        return 2

    @property
    def training(self) -> DpSgd:
        """The algorithm, with the noise that it really gets."""
        return DpSgd(
            model="logistic",
            steps=self.steps,
            rate=self.rate,
            noise_multiplier=self.noise * self.noise_multiplier,
            clip=1.0,
            step_size=self.step_size,
            divisor=self.divisor,
        )

    def table(self, included: NDArray[np.int64], *, rng: np.random.Generator) -> Table:
        """Ordinary records, then the included canaries."""
        ordinary = rng.normal(size=(self.records, self.columns))
        labels = np.where(ordinary @ rng.normal(size=self.columns) > 0, 1.0, -1.0)
        loud = LOUD * np.eye(self.canaries)[included == 1]
        features = np.block(
            [
                [ordinary, np.zeros((self.records, self.canaries))],
                [np.zeros((len(loud), self.columns)), loud],
            ]
        )
        return Table(features=features, labels=np.concatenate([labels, np.ones(len(loud))]), name="canaries")

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """One training: the weights along the canaries' axes, and the coins."""
        included = rng.integers(0, 2, size=self.canaries)
        weights = self.training.train(self.table(included, rng=rng), rng=rng)
        return weights[self.columns :], included


def register(registry: Registry) -> None:
    """Register the subject, its right claim, and the one where the noise was scaled for the mean."""
    registry.mechanisms.add("dp-sgd-canaries", CanaryTraining)
    registry.suites.add(
        SUITE, Suite(name=SUITE, about="One training with many canaries, right and broken.", methods=("one-run",))
    )
    right = CanaryTraining()
    for name, noise, statement in (
        ("canaries", 1.0, "T full-batch steps of DP-SGD are sqrt(T)/sigma-GDP."),
        ("canaries-noise-of-mean", 1.0 / right.divisor, "The same with the noise of the mean added to the sum."),
    ):
        claim = Claim(
            id=f"dp-sgd-{name}",
            guarantee=GDP(mu=math.sqrt(right.steps) / right.noise_multiplier),
            relation="add-remove",
            subject="dp-sgd-canaries",
            parameters={"noise": noise},
            source=Source(paper="house", locus="one run"),
            statement=statement,
        )
        expectation: Expectation = "stands" if noise == 1.0 else "broken"
        registry.add_entry(SuiteEntry(claim=claim, expectation=expectation, suites=(SUITE,)))
