"""How dear the first k places are: k = 1 by its closed form against its own enumeration, ratios in one run."""

from __future__ import annotations

import time

import numpy as np

from reference_impls.ranking.prefix_gradients import prefix_norms
from reference_impls.ranking.scorers.scorer import find_scorer
from reference_impls.ranking.top_k_probabilities import jacobian, prefixes


def seconds(call, repeats):
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        best = min(best, (time.perf_counter() - start) / repeats)
    return best


def test_norms_of_all_prefixes(benchmark):
    """The longest common session of MQ2007: 40 documents, 46 features, the paper's network."""
    scorer = find_scorer("mlp:256")
    rng = np.random.default_rng(0)
    documents, weights = rng.uniform(size=(40, 46)), rng.standard_normal(256 * 48) / 7

    def enumerated():
        scores = scorer.scores(weights, documents)
        slopes = jacobian(scores, prefixes(40, 1))
        return np.einsum("ij,ij->i", slopes @ scorer.gram(weights, documents), slopes)

    enumerated()
    prefix_norms(scorer, weights, documents, 2)
    benchmark.extra_info["k = 1 by enumeration / closed form"] = round(
        seconds(enumerated, 50) / seconds(lambda: prefix_norms(scorer, weights, documents, 1), 50), 2
    )
    benchmark.extra_info["k = 2 / k = 1"] = round(
        seconds(lambda: prefix_norms(scorer, weights, documents, 2), 5)
        / seconds(lambda: prefix_norms(scorer, weights, documents, 1), 50),
        1,
    )
    benchmark(lambda: prefix_norms(scorer, weights, documents, 1))
