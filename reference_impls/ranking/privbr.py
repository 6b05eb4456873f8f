"""PrivBR, private BayesRank (DISS Algorithm 6.1), as printed, with the sections that belong to it.

Each step draws `batch` of m sessions without replacement, adds up their BayesRank gradients G, adds N(0, (sigma C)^2 I)
with C the largest sensitivity bound among the sessions *of the batch* (section 6.5.3), and moves by -eta G. Spectral
normalisation (section 6.5.4) follows every update; one-hot reduction (section 6.5.5) keeps one label a session.
Relation: ``labels``; documents are public, and C does not depend on labels. Labels must be >= 0; conventions of NDCG
are those of :mod:`reference_impls.ranking.metrics`.

Flaws of the print, all kept here, and mended in :mod:`reference_impls.ranking.privbr_repaired`:

- Lines 14 and 21: G is a sum of *gains* times slopes, so it points where the expected NDCG rises, and the update
  ``theta - eta G`` lowers NDCG and raises the risk (6.7).
- Section 6.5.3, last sentence: C is a maximum over the current sample. Changing the sample changes C, so the spread of
  the noise tells which sessions took part, and the amplification by sampling that the captions count on has no ground:
  Lemma 2.3 needs one Renyi bound for samples that differ in a *session*, documents included. The print does not
  release C; the transcript has it among what stays hidden.
- Section 6.5.5 has the two largest norms, which bound one-hot labels for k = 1 only; with k > 1 they are used all the
  same here (:func:`~reference_impls.ranking.prefix_gradients.two_largest`).

Choices where the text leaves one: batches of fixed size (line 4 says "by sampling ratio q", section 6.6.3 fixes 10, and
only without replacement gives the captions' epsilons); start and step sizes as in
:mod:`~reference_impls.ranking.scorers.mlp` and :mod:`~reference_impls.ranking.session_training`; singular values exact,
not by power iteration; weights are normalised once at the start. Sums, no means, as printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
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
from reference_impls.ranking.scorers.scorer import Scorer, find_scorer
from reference_impls.ranking.session_training import SessionTraining, sampled_gaussian, sessions_for, stepped
from reference_impls.training.settings import need_count, need_non_negative, need_positive

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

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
        Places that NDCG looks at.
    steps : int
        T.
    batch : int
        Sessions a step, at most as many as there are.
    noise_multiplier : float
        sigma: a coordinate's noise has standard deviation sigma C. 0 for none.
    step_size : float
        eta_0.
    spectral : bool
        Whether weight matrices are normalised after every update.
    reduced : bool
        Whether sessions are reduced to one label, and C to the two largest norms.
    """

    scorer: str = "mlp:256"
    k: int = 1
    steps: int = 400
    batch: int = 10
    noise_multiplier: float = 1.5
    step_size: float = 0.1
    spectral: bool = True
    reduced: bool = True

    def __post_init__(self) -> None:
        find_scorer(self.scorer)
        need_count(self, "k", "steps", "batch")
        need_non_negative(self, "noise_multiplier")
        need_positive(self, "step_size")

    def composition(self, sessions: int) -> Composition:
        """What the captions of Figures 6.1 and 6.2 account for with so many training sessions (see BR-BATCH-C)."""
        return sampled_gaussian(
            sessions=sessions, batch=self.batch, noise_multiplier=self.noise_multiplier, steps=self.steps
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The printed loop."""
        scorer = find_scorer(self.scorer)
        sessions = sessions_for(dataset, self.batch)
        weights = self.projected(scorer, scorer.start(sessions.columns, tape), sessions.columns)
        tape.iterate(weights)
        for step in range(self.steps):
            batch = tape.subset("batch", sessions.count, self.batch)
            bound = max(self.bound(scorer, weights, sessions.documents_of(j)) for j in batch)
            gradient = self.gradient(scorer, weights, sessions, batch, tape.uniform("one-hot", batch.size))
            noisy = tape.perturb(
                "gradient", gradient, law="gaussian", scale=self.noise_multiplier * bound, sensitivity=bound
            )
            step_size = stepped(self.step_size, step, self.steps)
            weights = self.projected(scorer, weights - step_size * noisy, sessions.columns)  # line 21 as printed
            tape.perturb("sensitivity", bound, law="none", scale=0.0, released=False)  # it tells the batch
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
        """What a change of one session's labels is believed to move G by, in L2."""
        norms = prefix_norms(scorer, weights, documents, self.k)[1]
        return two_largest(norms) if self.reduced else all_prefixes(norms)

    def projected(self, scorer: Scorer, weights: Float, columns: int) -> Float:
        """The weights after spectral normalisation, if any."""
        return scorer.normalised(weights, columns) if self.spectral else weights


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("privbr", PrivBr)
