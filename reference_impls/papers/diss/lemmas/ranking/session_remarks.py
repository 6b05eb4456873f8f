"""Computations behind the remarks on DISS chapter 6: metrics, one-hot labels, maxima over batches, clipping.

Those on gradients and on the sign of the update stand in the modules of their lemmas.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.core.ledger_words import Shown
from dpverify.datasets.simulated_sessions import load_simulated, load_uneven
from reference_impls.papers.diss.lemmas.ranking.batch_gradient import BatchGradient, ClippedSessions
from reference_impls.papers.diss.lemmas.ranking.first_step import ORDERS, FirstStep
from reference_impls.ranking.metrics import average_precision, ndcg

SESSION, SCALE = 0, 4.0
"""Where two largest norms are too few: of the simulated sessions, and the size of the weights."""


def map_shown() -> Shown:
    """The numbers shown beside the remark on BR-METRIC.map."""
    labels, order = np.array([1.0, 1.0, 0.0]), np.arange(3)
    printed, repaired = (average_precision(labels, order, 2, printed=printed) for printed in (True, False))
    numbers = (("MAP@2 of two hits, as printed", printed), ("over the hits at i <= k", repaired))
    return Shown(numbers=numbers, holds=printed > 1 >= repaired)


def ndcg_shown() -> Shown:
    """The numbers shown beside the remark on BR-METRIC.ndcg-signed."""
    labels, worst = np.array([1.0, -1.0]), np.array([[1, 0]])
    found, cut = (float(ndcg(seen, worst, 1)[0]) for seen in (labels, np.maximum(labels, 0.0)))
    numbers = (("NDCG@1 of a document of label -1 put first, the other has 1", found), ("negative labels as 0", cut))
    return Shown(numbers=numbers, holds=found < 0 <= cut <= 1)


def one_hot_shown() -> Shown:
    """The numbers shown beside the remark on BR-ONEHOT.k2."""
    one = load_simulated().take(np.array([SESSION]))
    count = int(one.lengths[0])
    moves = []
    for bound in ("two-largest", "two-documents"):
        query = BatchGradient(bound=bound, k=2, scale=SCALE).query
        answers = [query(one.relabelled(0, unit)) for unit in np.eye(count)]
        moves.append(max(float(np.linalg.norm(a - b)) for a, b in permutations(answers, 2)))
    numbers = (
        ("largest move over the two largest norms, k = 2", moves[0]),
        ("over the two largest contributions of a document", moves[1]),
    )
    return Shown(numbers=numbers, holds=moves[1] <= 1 < moves[0])


def batch_shown() -> Shown:
    """The numbers shown beside the remark on BR-BATCH-C."""
    data, order = load_uneven(), ORDERS[-1]
    other = data.relabelled(0, np.array([1.0, 0.0]))
    printed, public = (
        step.output_law(data).against(step.output_law(other)).renyi(order).value
        for step in (FirstStep(), FirstStep(public=True))
    )
    claimed = float(without_replacement_bound(0.5, lambda orders: orders / 2, [order])[0])
    numbers = (
        (f"Renyi epsilon of a step at order {order:g}, C of the sample, q = 1/2, sigma = 1", printed),
        ("C of all sessions", public),
        ("Lemma 2.3", claimed),
        ("without sampling", order / 2),
    )
    return Shown(numbers=numbers, holds=public <= claimed < printed)


def clip_shown(objective: str, clipped: str) -> Shown:
    """The numbers shown beside the remarks on BR-CLIP.bayesrank, BR-CLIP.listnet, BR-CLIP.listmle and BR-CLIP.sum."""
    one = load_simulated().take(np.array([SESSION]))
    query = ClippedSessions(objective=objective, clipped=clipped).query
    count = int(one.lengths[0])
    answers = [query(one.relabelled(0, 2.0 * unit)) for unit in np.eye(count)]
    moved = max(float(np.linalg.norm(a - b)) for a, b in permutations(answers, 2))
    return Shown(numbers=(("largest move of one session, over C", moved), ("assumed", 1.0)), holds=1 < moved <= 2)
