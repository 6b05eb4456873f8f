"""Runs of ADADP itself, sampled: AD-2MOMENTS-RUN and AD-SHUFFLE-RUN, beside what is computed of the same claims.

Both look at G_1, G_2 of each iteration, which is what Theorem 2 counts, on one-weight squared losses whose clipped
gradients are +-C wherever the weight is (:mod:`dpverify.datasets.neighbors.canaries`), held against the accountant's
whole curve. ``adadp-noisy-sums`` shows them as they are. ``adadp-shuffled-score`` adds up, over all batches, the score
of :mod:`reference_impls.papers.adadp.lemmas.shuffled`: post-processing, so what it lets out the sums let out too.

Not to be confused with the last iterate alone, of which an observer of the whole run sees more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.remark import Remark
from dpverify.core.subjects import Dataset
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.accounted import SIGMAS
from reference_impls.papers.adadp.lemmas.shuffled_subjects import shown_shuffled
from reference_impls.papers.lemma import repaired

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

LABEL = 1e9
"""So long a gradient that no weight reached in a run shortens it below the clip."""

RATE, LEAST_SIGMA = 0.25, 1.0
"""Of the sampled iteration; Theorem 2 asks for sigma >= 1."""

BATCHES, SIZE, AT_DELTA = 4, 2, 1e-3
"""Of the shuffled epoch: batches, their size, and the delta of the headline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpNoisySums:
    """Subject ``adadp-noisy-sums``. Data set: a table. Result: all noisy sums over C, shape (2 T d,).

    Attributes
    ----------
    steps, batch_size, rate, noise_multiplier, sampling
        As :class:`~reference_impls.optimizers.adadp.Adadp` has them.
    """

    steps: int = 1
    batch_size: int = 1
    rate: float | None = None
    noise_multiplier: float = SIGMAS[0]
    sampling: str = "poisson"

    @property
    def algorithm(self) -> Adadp:
        """The published loop."""
        return Adadp(
            model="squared",
            initial_step=1e-3,
            steps=self.steps,
            batch_size=self.batch_size,
            rate=self.rate,
            noise_multiplier=self.noise_multiplier,
            sampling=self.sampling,
        )

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent runs, shape (size, 2 T d)."""
        return self.algorithm.traces(dataset, size, rng=rng).reshape(size, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdadpShuffledScore(AdadpNoisySums):
    """Subject ``adadp-shuffled-score``. Result: one number, the sum of all batches' scores, shape ()."""

    sampling: str = "shuffled"

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent runs, shape (size,). A batch's number is |B| less its sum: most records have gradient +C."""
        numbers = self.batch_size - self.algorithm.traces(dataset, size, rng=rng)[:, :, 0]
        s = self.noise_multiplier**2
        return np.asarray(np.sum(np.exp((2 * numbers - 2) / s) - np.exp((numbers - 0.5) / s), axis=1))


def register(registry: Registry) -> None:
    """Offer the subjects and the claims."""
    registry.mechanisms.add("adadp-noisy-sums", AdadpNoisySums)
    registry.mechanisms.add("adadp-shuffled-score", AdadpShuffledScore)
    registry.add_claim(
        Claim(
            id="AD-2MOMENTS-RUN",
            guarantee=SubsampledGaussian(rate=RATE, sigma=LEAST_SIGMA, steps=2),
            relation="add-remove",
            subject="adadp-noisy-sums",
            parameters={"steps": 1, "rate": RATE, "noise_multiplier": LEAST_SIGMA},
            space=SearchSpace(size=3, low=0.0, high=LABEL, generator="add-remove/canaries"),
            source=Source(paper="ADADP", locus="Thm 2"),
            statement="G_1 and G_2 of an iteration show what two Poisson-sampled Gaussians show, at sigma = 1.",
        )
    )
    name = "AD-SHUFFLE-RUN"
    shuffled = Claim(
        id=name,
        guarantee=SubsampledGaussian(rate=1 / BATCHES, sigma=SIGMAS[0], steps=BATCHES, at_delta=AT_DELTA),
        relation="replace",
        subject="adadp-shuffled-score",
        parameters={"steps": BATCHES // 2, "batch_size": SIZE, "noise_multiplier": SIGMAS[0]},
        space=SearchSpace(size=BATCHES * SIZE - 1, low=0.0, high=LABEL, generator="replace/zero-out"),
        source=Source(paper="ADADP", locus="Experiments"),
        statement="An epoch of ADADP on shuffled batches shows no more than Poisson batches, at sigma = 2.",
    )
    registry.add_claim(shuffled)
    paper, locus = repaired("ADADP Experiments")
    registry.add_claim(
        replace(
            shuffled,
            id=f"{name}-R",
            parameters={**shuffled.parameters, "sampling": "poisson", "rate": 1 / BATCHES},
            source=Source(paper=paper, locus=locus),
            statement="As many Poisson batches of ADADP show what Poisson batches show, at sigma = 2.",
        )
    )
    registry.remarks.add(
        name,
        Remark(
            claim=name,
            breaks="As for AD-SHUFFLE: the batch that a record is in has one other record less, and there is one in "
            "every epoch.",
            means="The algorithm, run on eight records in four batches, is told apart more often than the accountant's "
            "curve allows.",
            instead="Sample by coins, or account one Gaussian an epoch.",
            shown=shown_shuffled,
        ),
    )
