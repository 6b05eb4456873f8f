"""What the ledger says beside the rows of DISS chapter 6 that fell: metrics, one-hot labels, batch maxima, clipping.

The remarks on gradients and on the sign of the update stand beside their claims.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.core.remark import Remark, Shown
from dpverify.datasets.simulated_sessions import load_simulated, load_uneven
from reference_impls.papers.diss.lemmas.ranking.batch_gradient import BatchGradient, ClippedSessions
from reference_impls.papers.diss.lemmas.ranking.first_step import ORDERS, FirstStep
from reference_impls.ranking.metrics import average_precision, ndcg

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

SESSION, SCALE = 0, 4.0
"""Where two largest norms are too few: of the simulated sessions, and the size of the weights."""


def _map_shown() -> Shown:
    labels, order = np.array([1.0, 1.0, 0.0]), np.arange(3)
    printed, repaired = (average_precision(labels, order, 2, printed=printed) for printed in (True, False))
    numbers = (("MAP@2 of two hits, as printed", printed), ("over the hits at i <= k", repaired))
    return Shown(numbers=numbers, holds=printed > 1 >= repaired)


def _ndcg_shown() -> Shown:
    labels, worst = np.array([1.0, -1.0]), np.array([[1, 0]])
    found, cut = (float(ndcg(seen, worst, 1)[0]) for seen in (labels, np.maximum(labels, 0.0)))
    numbers = (("NDCG@1 of a document of label -1 put first, the other has 1", found), ("negative labels as 0", cut))
    return Shown(numbers=numbers, holds=found < 0 <= cut <= 1)


def _one_hot_shown() -> Shown:
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


def _batch_shown() -> Shown:
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


def _clip_shown(objective: str, clipped: str) -> Shown:
    one = load_simulated().take(np.array([SESSION]))
    query = ClippedSessions(objective=objective, clipped=clipped).query
    count = int(one.lengths[0])
    answers = [query(one.relabelled(0, 2.0 * unit)) for unit in np.eye(count)]
    moved = max(float(np.linalg.norm(a - b)) for a, b in permutations(answers, 2))
    return Shown(numbers=(("largest move of one session, over C", moved), ("assumed", 1.0)), holds=1 < moved <= 2)


def register(registry: Registry) -> None:
    """Register the remarks."""
    remarks = (
        Remark(
            claim="BR-METRIC.map",
            breaks="(6.2) divides by the number of hits at i < k and sums over hits at i <= k: a hit at place k counts "
            "above and not below.",
            means="MAP@k as printed reaches 2 at k = 2; figures that use it are not in [0, 1].",
            instead="Divide by the hits at i <= k (BR-METRIC-R.map).",
            shown=_map_shown,
        ),
        Remark(
            claim="BR-METRIC.ndcg-signed",
            breaks="Section 6.4.1 lets labels be any real numbers, section 6.5.3 takes NDCG to be in [0, 1]: a label "
            "below 0 has a negative gain.",
            means="With negative labels the sensitivity of section 6.5.3 is too small, and so is the noise.",
            instead="Refuse negative labels, or take them for 0 (BR-METRIC-R.ndcg-signed).",
            shown=_ndcg_shown,
        ),
        Remark(
            claim="BR-ONEHOT.k2",
            breaks="Section 6.5.5 counts the prefixes with a gain: one if k = 1. For k = 2 a relevant document has a "
            "gain in every prefix that holds it, so the two largest norms leave most of them out.",
            means="One-hot reduction with k > 1 and the two largest norms adds too little noise.",
            instead="Add up each document's prefixes, weighted by their discounts, and take the two largest documents "
            "(BR-ONEHOT-R.k2); or keep k = 1, as the paper does in practice.",
            shown=_one_hot_shown,
        ),
        Remark(
            claim="BR-BATCH-C",
            breaks="The last sentence of section 6.5.3 takes C as the maximum over the current batch. Which sessions "
            "are in it then shows in the spread of the noise, so that sampling hides nothing, and Lemma 2.3 asks for "
            "one curve that holds between any two samples.",
            means="Where sessions differ in scale, a step costs nearly what it costs without sampling.",
            instead="Take the maximum over all sessions: it depends on documents alone, which are public "
            "(BR-BATCH-C-R, privbr-repaired).",
            shown=_batch_shown,
        ),
    )
    clips = [
        Remark(
            claim=f"BR-CLIP.{key}",
            breaks="The captions account for N(0, (sigma C)^2) as for sensitivity C. Under changed labels a session is "
            "not removed: its clipped gradient moves from one point of the ball of radius C to another, by up to 2 C.",
            means="The clipped baselines spend up to four times the Renyi budget of the captions (at half the noise "
            "that they need), so the comparison favours them.",
            instead="Scale the noise to 2 C (BR-CLIP-R, dp-listnet-repaired and its like).",
            shown=partial(_clip_shown, objective, clipped),
        )
        for key, objective, clipped in (
            ("bayesrank", "bayesrank", "session"),
            ("listnet", "listnet", "session"),
            ("listmle", "listmle", "session"),
            ("sum", "listnet", "sum"),
        )
    ]
    for remark in (*remarks, *clips):
        registry.remarks.add(remark.claim, remark)
