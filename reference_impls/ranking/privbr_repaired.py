"""PrivBR repaired: DISS Algorithm 6.1 without the three flaws that :mod:`reference_impls.ranking.privbr` names.

- Line 21 is ``theta + eta G``: the expected NDCG rises, the risk (6.7) falls.
- C is the maximum over *all* sessions, in the batch or not. Documents are public under ``labels``, so C is public, too,
  and the noise has the same scale for all samples. Replacing a session of the sample by any other moves G by at most C
  (see :mod:`reference_impls.ranking.prefix_gradients`), which is what amplification by sampling needs: one step is the
  Gaussian mechanism with sensitivity C on a sample without replacement, as the captions account for it.
- With one-hot labels, C must be twice the largest amount that one document can add to G, because the old and the new
  session may both reach that amount. This is at least the printed sum of the two largest norms, and holds for every k.

Each step needs a pass over the documents of all sessions; with the paper's settings a short one
(:mod:`reference_impls.ranking.largest_bound`), which finds the same C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.datasets.sessions import Sessions
from dpverify.recording.tape import Tape
from reference_impls.ranking.largest_bound import largest_bound
from reference_impls.ranking.prefix_gradients import all_prefixes, document_sums, prefix_norms
from reference_impls.ranking.privbr import PrivBr
from reference_impls.ranking.scorers.mlp import MlpScorer
from reference_impls.ranking.scorers.scorer import Scorer

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivBrRepaired(PrivBr):
    """Subject ``privbr-repaired``. Data set, result, attributes: those of
    :class:`~reference_impls.ranking.privbr.PrivBr`."""

    direction = 1.0  # of line 21: theta + eta G

    def largest_bound(self, scorer: Scorer, weights: Float, sessions: Sessions, batch: Integer) -> float:
        """C, the largest bound among all sessions."""
        if self.k == 1 and self.reduced and isinstance(scorer, MlpScorer) and scorer.activation == "relu":
            return largest_bound(scorer, weights, sessions, lambda documents: self.bound(scorer, weights, documents))
        return max(self.bound(scorer, weights, sessions.documents_of(j)) for j in range(sessions.count))

    def record_bound(self, bound: float, tape: Tape) -> None:
        """Put C into the transcript as a public value."""
        tape.publish("sensitivity", bound)

    def bound(self, scorer: Scorer, weights: Float, documents: Float) -> float:
        """How far G moves when this session, documents and labels, replaces another or is replaced, in L2."""
        listed, norms = prefix_norms(scorer, weights, documents, self.k)
        return 2.0 * float(document_sums(listed, norms).max()) if self.reduced else all_prefixes(norms)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("privbr-repaired", PrivBrRepaired)
