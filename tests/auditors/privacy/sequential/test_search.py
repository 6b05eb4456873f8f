"""What goes into the bets: the order of counted draws, and digests of a block.

False alarms: the chi-square test below fails for a fair order with probability 1e-9.
"""

from collections import Counter
from itertools import permutations

import numpy as np
from scipy import stats

from auditors.privacy.sequential.search import digests, in_order
from tests.auditors.privacy.samples import sample


def test_counted_draws_come_in_every_order_alike():
    """Exchangeable: each of the 12 orders of two zeros, a one and a two has probability 1/12.

    Draws in the order of their values would pair like with like, and every coincidence of both sides would be lost.
    """
    rng, runs = np.random.default_rng(20261122), 12_000
    counted = sample([0, 1, 2], [2, 1, 1])
    seen = Counter(tuple(in_order(counted, rng).tolist()) for _ in range(runs))
    orders = set(permutations((0, 0, 1, 2)))
    assert set(seen) == orders
    assert stats.chisquare([seen[order] for order in orders]).pvalue >= 1e-9


def test_draws_made_one_by_one_keep_their_order():
    values = [3.0, 1.0, 2.0, 1.0]
    assert in_order(sample(values), np.random.default_rng(0)).tolist() == values


def test_digests_tell_sides_values_types_and_counts_apart():
    one, two = sample([1.0, 2.0]), sample([1.0, 3.0])
    base = digests({0: (one, two)})
    assert base == digests({0: (sample([1.0, 2.0]), sample([1.0, 3.0]))})
    assert base[0] != base[1]
    assert digests({0: (two, one)}) == base[::-1]
    assert digests({0: (sample([1, 2]), two)})[0] != base[0]
    assert digests({0: (one, two), 1: (one, two)})[0] != base[0]
    assert digests({0: (one, two), 1: (two, one)}) == digests({1: (two, one), 0: (one, two)})
    counts = [digests({0: (sample([0, 1], weights), two)})[0] for weights in ([3, 1], [1, 3])]
    assert counts[0] != counts[1]
