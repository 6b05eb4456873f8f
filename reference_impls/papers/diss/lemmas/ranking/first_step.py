"""One step of PrivBR on documents with one feature, and its exact law: row BR-BATCH-C of the ledger.

The update ``theta_1 = theta_0 - eta (G + noise)`` with linear scores is a number; over all samples of fixed size it is
a mixture of normal laws with public weights. As printed each has its own spread, sigma times the largest bound in the
sample; repaired all have one. Seen in public cells, whose edges depend on documents alone, so that a divergence can be
proved (:mod:`dpverify.laws.coarse`): every value is a lower bound on that of theta_1 itself.

The claim is the one that the captions make of a step: DISS Lemma 2.3 with q = batch / m on epsilon(l) = l / (2
sigma^2). It fails where sessions differ in scale: an extreme result can only come from the sample with the large
spread, so the observer knows that the session took part and nothing is amplified.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from dpverify.definitions.rdp import RDP
from dpverify.laws.coarse import CoarseLaw, gaussian_cells
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.privbr_repaired import PrivBrRepaired
from reference_impls.ranking.scorers.scorer import find_scorer
from reference_impls.ranking.session_training import sessions_for

Float = NDArray[np.float64]
MOST = 256
"""Samples, at the most."""
CELLS = np.linspace(-6.0, 6.0, 25)
"""Edges of cells in units of a spread."""
ORDERS = (2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStep(Checked):
    """Subject ``privbr-first-step``. Data set: sessions with one feature.

    Attributes
    ----------
    noise_multiplier, batch
        As :class:`~reference_impls.ranking.privbr.PrivBr`'s.
    public : bool
        Whether C is the maximum over all sessions (repaired), not over the sample.
    """

    noise_multiplier: Positive = 1.0
    batch: int = 1
    public: bool = False

    def validate(self) -> None:
        """What the training refuses is refused when the subject is made."""
        self._training()

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent results theta_1, shape (size, 1)."""
        places, spreads, _ = self._parts(dataset)
        which = rng.integers(places.size, size=size)
        return (places[which] + spreads[which] * rng.standard_normal(size))[:, None]

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the cell that theta_1 falls into; InputError for too many samples or more than one feature."""
        places, spreads, widths = self._parts(dataset)
        # Each kind of session has cells of its own size; the smallest hide inside one of the largest.
        edges = np.unique(np.concatenate([width * CELLS for width in sorted(set(widths.tolist()))]))
        parts = tuple(
            gaussian_cells(place, spread, edges).cells
            for place, spread in zip(places.tolist(), spreads.tolist(), strict=True)
        )
        mixed = MixtureLaw(laws=parts, weights=tuple(Fraction(1, len(parts)) for _ in parts)).flat()
        if not isinstance(mixed, DiscreteLaw):
            raise TypeError("a mixture of tables is a table")
        return CoarseLaw(cells=mixed, partition=edges.tobytes())

    def _parts(self, dataset: Dataset) -> tuple[Float, Float, Float]:
        """Means and spreads of theta_1 over all samples, equally likely; and the spread that each session asks for."""
        sessions, training = self._sessions(dataset), self._training()
        scorer, weights = find_scorer(training.scorer), np.zeros(1)
        bounds = [training.bound(scorer, weights, sessions.documents_of(j)) for j in range(sessions.count)]
        if min(bounds) <= 0:
            raise InputError("a session whose gradient is always 0", allowed="documents that differ in every session")
        widths = training.step_size * self.noise_multiplier * np.array(bounds)
        towards = training.step_size if self.public else -training.step_size
        places, spreads = [], []
        for chosen in combinations(range(sessions.count), self.batch):
            batch = np.array(chosen, dtype=np.int64)
            clean = training.gradient(scorer, weights, sessions, batch, np.zeros(batch.size))
            places.append(towards * float(clean[0]))
            spreads.append(float(widths.max() if self.public else widths[batch].max()))
        return np.array(places), np.array(spreads), widths

    def _training(self) -> PrivBr:
        kind = PrivBrRepaired if self.public else PrivBr
        return kind(
            scorer="linear",
            steps=1,
            batch=self.batch,
            noise_multiplier=self.noise_multiplier,
            spectral=False,
            reduced=False,
        )

    def _sessions(self, dataset: Dataset) -> Sessions:
        sessions = sessions_for(dataset, self.batch)
        if sessions.columns != 1 or math.comb(sessions.count, self.batch) > MOST:
            raise InputError(
                f"batches of {self.batch} from {sessions}", allowed=f"one feature and at most {MOST} samples"
            )
        return sessions


def price(*, noise_multiplier: float, share: float) -> RDP:
    """Lemma 2.3 for one Gaussian release on a share of the sessions."""
    claimed = without_replacement_bound(share, lambda orders: orders / (2 * noise_multiplier**2), ORDERS)
    return RDP(orders=ORDERS, epsilons=tuple(claimed.tolist()))
