"""The noise-free quantities of DISS chapter 6 in units of the sensitivity that the text gives them: rows BR-SENS,
BR-ONEHOT, BR-SPECTRAL and BR-CLIP of the ledger.

A batch of all sessions; public weights, `scale` times a normal draw, which the search stretches and draws anew.
Bounds that depend on documents and weights alone are public, so the accumulated gradient over its bound moves by at
most 1, if the bound is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count, NonNegative, OneOf
from dpverify.core.subjects import Dataset
from dpverify.sampling.streams import stream
from reference_impls.ranking.listwise_sgd import ListwiseSgd
from reference_impls.ranking.prefix_gradients import (
    accumulated_gradient,
    all_prefixes,
    one_hot,
    prefix_norms,
    two_documents,
    two_largest,
)
from reference_impls.ranking.scorers.scorer import Scorer, find_scorer
from reference_impls.ranking.session_training import sessions_for

Float = NDArray[np.float64]
BOUNDS = ("all", "two-largest", "two-documents", "spectral")
_REDUCED = ("two-largest", "two-documents")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchGradient(Checked):
    """Subject ``privbr-gradient``: G of Algorithm 6.1, line 18, over its bound. Data set: ranking sessions.

    Attributes
    ----------
    scorer, k
        As :class:`~reference_impls.ranking.privbr.PrivBr`'s.
    bound : str
        ``all`` (section 6.5.3), ``two-largest`` (section 6.5.5, one-hot labels), ``two-documents`` (its repair),
        ``spectral`` (section 6.5.4: from the documents and normalised weight matrices alone; k = 1).
    scale : float
        Of the public weights, >= 0.
    chance : float
        In [0, 1]: which of several highest labels is kept, where labels are made one-hot.
    draw : float
        Rounded: which direction the public weights have.
    """

    scorer: str = "linear"
    k: Count = 1
    bound: Annotated[str, OneOf(BOUNDS)] = "all"
    scale: NonNegative = 1.0
    chance: NonNegative = 0.0
    draw: float = 0.0

    def validate(self) -> None:
        """The scorer is a known one; the spectral bound is one for k = 1."""
        find_scorer(self.scorer)
        if self.bound == "spectral" and self.k != 1:
            raise InputError(f"bound {self.bound!r} with k = {self.k}", allowed="k = 1")

    def query(self, dataset: Dataset) -> Float:
        """G / C, shape (dimension,); zeros when C is 0."""
        sessions, scorer = sessions_for(dataset, 1), find_scorer(self.scorer)
        weights = public_weights(scorer, sessions.columns, self.scale, draw=round(self.draw))
        if self.bound == "spectral":
            weights = scorer.normalised(weights, sessions.columns)
        total = np.zeros(weights.size)
        bound = 0.0
        for j in range(sessions.count):
            documents, labels = sessions.documents_of(j), sessions.labels_of(j)
            kept = one_hot(labels, self.chance) if self.bound in _REDUCED else labels
            total += accumulated_gradient(scorer, weights, documents, kept, self.k)
            bound = max(bound, self._bound(scorer, weights, documents))
        return total / bound if bound > 0 else total

    def _bound(self, scorer: Scorer, weights: Float, documents: Float) -> float:
        if self.bound == "spectral":
            # |g_d| <= p_d (1 - p_d) times the spread, and the sum of p_d (1 - p_d) is at most 1 - 1/n
            return (1.0 - 1.0 / len(documents)) * scorer.spread_bound(documents)
        listed, norms = prefix_norms(scorer, weights, documents, self.k)
        if self.bound == "all":
            return all_prefixes(norms)
        return two_largest(norms) if self.bound == "two-largest" else two_documents(listed, norms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClippedSessions(Checked):
    """Subject ``clipped-sessions``: the clipped sum of a baseline, over C. Data set: ranking sessions.

    Attributes
    ----------
    objective, scorer, clip, clipped
        As :class:`~reference_impls.ranking.listwise_sgd.ListwiseSgd`'s.
    scale : float
        Of the public weights, >= 0.
    """

    objective: str = "listnet"
    scorer: str = "linear"
    clip: float = 0.01
    clipped: str = "session"
    scale: NonNegative = 0.0

    def validate(self) -> None:
        """What the training refuses is refused when the subject is made."""
        self._training()

    def query(self, dataset: Dataset) -> Float:
        """The sum over all sessions in units of C, shape (dimension,)."""
        sessions, scorer = sessions_for(dataset, 1), find_scorer(self.scorer)
        weights = public_weights(scorer, sessions.columns, self.scale)
        everything = np.arange(sessions.count)
        return self._training().gradient(scorer, weights, sessions, everything) / self.clip

    def _training(self) -> ListwiseSgd:
        return ListwiseSgd(objective=self.objective, scorer=self.scorer, clip=self.clip, clipped=self.clipped)


def public_weights(scorer: Scorer, columns: int, scale: float, *, draw: int = 0) -> Float:
    """`scale` times a normal vector that depends on `draw`, the scorer's name and the number of features alone."""
    size = scorer.dimension(columns)
    return np.asarray(scale * stream(draw, "public weights", scorer.name).standard_normal(size) / math.sqrt(columns))
