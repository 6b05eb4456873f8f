"""PrivBR, private BayesRank (DISS Algorithm 6.1), as printed, with the sections that belong to it.

Each step draws `batch` of m sessions without replacement, adds up their BayesRank gradients G, adds N(0, (sigma C)^2 I)
with C the largest sensitivity bound among the sessions *of the batch* (section 6.5.3), and moves by -eta G. Spectral
normalisation (section 6.5.4) follows every update; one-hot reduction (section 6.5.5) keeps one label a session.
Relation: ``labels``; documents are public, and C does not depend on labels. Labels must be >= 0; conventions of NDCG
are those of :mod:`reference_impls.ranking.metrics`.

Flaws of the print, all kept here, and repaired in :mod:`reference_impls.ranking.privbr_repaired`:

- Lines 14 and 21: G is a sum of *gains* times slopes, so it points where the expected NDCG rises, and the update
  ``theta - eta G`` lowers NDCG and raises the risk (6.7).
- Section 6.5.3, last sentence: C is a maximum over the current sample. C depends on the sample, so the noise scale
  tells which sessions took part, and the amplification by sampling that the captions rely on does not apply: Lemma 2.3
  needs one Renyi bound for samples that differ in a *session*, documents included. The print does not release C; in the
  transcript it is a hidden value.
- Section 6.5.5 has the two largest norms, which bound one-hot labels for k = 1 only; here they are used for k > 1, too
  (:func:`~reference_impls.ranking.prefix_gradients.two_largest`).

Choices where the text is open: batches have a fixed size (line 4 says "by sampling ratio q", section 6.6.3 fixes 10,
and only sampling without replacement gives the captions' epsilons); start and step sizes are those of
:mod:`~reference_impls.ranking.scorers.mlp` and :mod:`~reference_impls.ranking.session_training`; singular values are
exact, not by power iteration; weights are normalised once at the start. Gradients are summed, not averaged, as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from dpverify.recording.tape import Tape
from reference_impls.ranking.prefix_gradients import (
    accumulated_gradient,
    all_prefixes,
    one_hot,
    prefix_norms,
    two_largest,
)
from reference_impls.ranking.scorers.scorer import Scorer, ScorerText, find_scorer
from reference_impls.ranking.session_training import SessionTraining, decreasing_step, sampled_gaussian, sessions_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivBr(SessionTraining):
    """Subject ``privbr``. Data set: ranking sessions. Result: the last weights, shape (dimension,).

    Attributes
    ----------
    scorer : str
        Text of a scoring function, see :func:`~reference_impls.ranking.scorers.scorer.find_scorer`.
    k : int
        Number of first places that NDCG@k depends on.
    steps : int
        T.
    batch : int
        Number of sessions in a step, at most the number in the data set.
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma C. 0 for none.
    step_size : float
        eta_0.
    spectral : bool
        Whether weight matrices are normalised after every update.
    reduced : bool
        Whether sessions are reduced to one label, and C to the two largest norms.
    """

    scorer: ScorerText = "mlp:256"
    k: Count = 1
    steps: Count = 400
    batch: Count = 10
    noise_multiplier: NonNegative = 1.5
    step_size: Positive = 0.1
    spectral: bool = True
    reduced: bool = True

    direction = -1.0  # of line 21: theta - eta G as printed

    def composition(self, sessions: int) -> Composition:
        """The account of the captions of Figures 6.1 and 6.2, for this many training sessions (see BR-BATCH-C)."""
        return sampled_gaussian(
            sessions=sessions, batch=self.batch, noise_multiplier=self.noise_multiplier, steps=self.steps
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop of Algorithm 6.1."""
        scorer = find_scorer(self.scorer)
        sessions = sessions_for(dataset, self.batch)
        weights = self.projected(scorer, scorer.start(sessions.columns, tape), sessions.columns)
        tape.iterate(weights)
        for step in range(self.steps):
            batch = tape.subset("batch", sessions.count, self.batch)
            bound = self.largest_bound(scorer, weights, sessions, batch)
            gradient = self.gradient(scorer, weights, sessions, batch, tape.uniform("one-hot", batch.size))
            noisy = tape.perturb(
                "gradient", gradient, law="gaussian", scale=self.noise_multiplier * bound, sensitivity=bound
            )
            step_size = decreasing_step(self.step_size, step, self.steps)
            moved = weights + self.direction * step_size * noisy  # line 21
            weights = self.projected(scorer, moved, sessions.columns)
            self.record_bound(bound, tape)
            tape.publish("step-size", step_size)
            tape.iterate(weights)
        return weights

    def gradient(self, scorer: Scorer, weights: Float, sessions: Sessions, batch: Integer, chances: Float) -> Float:
        """G of the batch, lines 5 to 18, shape (dimension,); `chances` in [0, 1), shape (batch,), choose among ties."""
        total = np.zeros(weights.size)
        for j, chance in zip(batch.tolist(), chances.tolist(), strict=True):
            labels = one_hot(sessions.labels_of(j), chance) if self.reduced else sessions.labels_of(j)
            total += accumulated_gradient(scorer, weights, sessions.documents_of(j), labels, self.k)
        return total

    def bound(self, scorer: Scorer, weights: Float, documents: Float) -> float:
        """How far a change of one session's labels moves G according to the text, in L2."""
        norms = prefix_norms(scorer, weights, documents, self.k)[1]
        return two_largest(norms) if self.reduced else all_prefixes(norms)

    def largest_bound(self, scorer: Scorer, weights: Float, sessions: Sessions, batch: Integer) -> float:
        """C, the largest bound among the sessions of the batch, as printed."""
        return max(self.bound(scorer, weights, sessions.documents_of(j)) for j in batch)

    def record_bound(self, bound: float, tape: Tape) -> None:
        """Put C into the transcript as a value that stays hidden, because it depends on the batch."""
        tape.perturb("sensitivity", bound, law="none", scale=0.0, released=False)

    def projected(self, scorer: Scorer, weights: Float, columns: int) -> Float:
        """The weights after spectral normalisation, if any."""
        return scorer.normalised(weights, columns) if self.spectral else weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("privbr", PrivBr)
