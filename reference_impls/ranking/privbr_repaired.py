"""PrivBR repaired: DISS Algorithm 6.1 with the three lines changed that :mod:`reference_impls.ranking.privbr` names.

- Line 21 is ``theta + eta G``: the expected NDCG rises, the risk (6.7) falls.
- C is the maximum over *all* sessions, in or out of the batch. Documents are public under ``labels``, so C is too, and
  all samples get noise of one spread. Replacing a session of the sample by any other moves G by at most C (see
  :mod:`reference_impls.ranking.prefix_gradients`), which is what amplification by sampling needs: one step is the
  Gaussian mechanism with sensitivity C on a sample without replacement, as the captions account for.
- With one-hot labels the same needs twice the most that one document can contribute, since two sessions may both have
  theirs at that most; that is at least the printed sum of the two largest, and it holds for every k.

The price is a pass over all sessions' documents in every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.ranking.prefix_gradients import all_prefixes, document_sums, prefix_norms
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.scorers.scorer import Scorer, find_scorer
from reference_impls.ranking.session_training import sessions_for, stepped

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivBrRepaired(PrivBr):
    """Subject ``privbr-repaired``; all else as :class:`~reference_impls.ranking.privbr.PrivBr`."""

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop with the changed lines."""
        scorer = find_scorer(self.scorer)
        sessions = sessions_for(dataset, self.batch)
        weights = self.projected(scorer, scorer.start(sessions.columns, tape), sessions.columns)
        tape.iterate(weights)
        for step in range(self.steps):
            batch = tape.subset("batch", sessions.count, self.batch)
            bound = max(self.bound(scorer, weights, sessions.documents_of(j)) for j in range(sessions.count))
            gradient = self.gradient(scorer, weights, sessions, batch, tape.uniform("one-hot", batch.size))
            noisy = tape.perturb(
                "gradient", gradient, law="gaussian", scale=self.noise_multiplier * bound, sensitivity=bound
            )
            step_size = stepped(self.step_size, step, self.steps)
            weights = self.projected(scorer, weights + step_size * noisy, sessions.columns)
            tape.publish("sensitivity", bound)
            tape.publish("step-size", step_size)
            tape.iterate(weights)
        return weights

    def bound(self, scorer: Scorer, weights: Float, documents: Float) -> float:
        """What replacing one session, documents and labels, by this one or this one by another moves G by, in L2."""
        listed, norms = prefix_norms(scorer, weights, documents, self.k)
        return 2.0 * float(document_sums(listed, norms).max()) if self.reduced else all_prefixes(norms)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("privbr-repaired", PrivBrRepaired)
