"""DP-SGD on a small table with canaries, each included by a fair coin: the training that one-run audits examine.

A canary is a record with a feature of its own (a Dirac canary): its clipped gradient has norm C along an axis that no
other record uses, which is the largest influence that one record can have. Its score is the inner product of the final
weights with that axis. The table also holds ordinary records, whose labels follow a hidden direction.

The divisor is a fixed number, so that the size of the table is not needed; neighbours differ by one canary
(add-remove). At rate 1 the weights along each axis are Gaussian, T steps of the same mechanism: mu = sqrt(T) / sigma
exactly. Not to be confused with audits of a deterministic training, where the coins are the only randomness: here the
training's noise is what is audited.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import Claim, Source
from dpverify.core.fields import Checked
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, Positive, Share
from dpverify.core.suite import Expectation, Suite, SuiteEntry
from dpverify.datasets.table import Table
from dpverify.definitions.gdp import GDP
from reference_impls.optimizers.dp_sgd import DpSgd

Float = NDArray[np.float64]

CANARY_FEATURE = 40.0
"""A canary's own feature: so large that its logistic gradient stays above the clipping threshold as weights move."""

SUITE = "one-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryTraining(Checked):
    """Subject ``dp-sgd-canaries``: logistic regression by DP-SGD, with canaries.

    Attributes
    ----------
    canaries : int
        How many canaries there are; each is included by a fair coin.
    records, columns : int
        Of the ordinary table.
    steps : int
        T.
    rate : float
        Each record's chance to enter a batch.
    noise_multiplier : float
        sigma.
    noise : float
        The fraction of the noise that is really added; 1 for a correct algorithm.
    step_size, divisor : float
        Of a step, and what the noisy sum is divided by.
    """

    canaries: Count = 1000
    records: Count = 200
    columns: Count = 8
    steps: Count = 4
    rate: Share = 1.0
    noise_multiplier: Positive = 4.0
    noise: Positive = 1.0
    step_size: Positive = 1.0
    divisor: Positive = 200.0

    @property
    def values(self) -> int:
        """2: a canary is included or not."""
        return 2

    @property
    def training(self) -> DpSgd:
        """The algorithm, with the noise that is really added."""
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
        canaries = CANARY_FEATURE * np.eye(self.canaries)[included == 1]
        features = np.block(
            [
                [ordinary, np.zeros((self.records, self.canaries))],
                [np.zeros((len(canaries), self.columns)), canaries],
            ]
        )
        return Table(features=features, labels=np.concatenate([labels, np.ones(len(canaries))]), name="canaries")

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """One training: the weights along the canaries' axes, and which canaries were included (1) or not (0)."""
        included = rng.integers(0, 2, size=self.canaries)
        weights = self.training.train(self.table(included, rng=rng), rng=rng)
        return weights[self.columns :], included


def register(registry: Registry) -> None:
    """Register the subject, its correct claim, and the same claim with the noise scaled for the mean."""
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
