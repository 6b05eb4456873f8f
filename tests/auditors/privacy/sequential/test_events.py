"""Choosing events to bet on: the best by enumeration, directions, and the bets made of them."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event.scores import Coordinate, Event
from auditors.privacy.event.select import Split
from auditors.privacy.event.tails import Tails
from auditors.privacy.sequential.bets import Slot, bets, expected_growth, growth, weakest
from auditors.privacy.sequential.claim_chain import targets
from auditors.privacy.sequential.events import digests, in_order, learned, most_telling, signal
from dpverify.core.errors import AuditError
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.stats.e_mixture import FRACTIONS
from tests.auditors.privacy.samples import sample

E = np.array([math.e]), np.array([0.0])


def slot(k1, k2, size, direction=0, source=0):
    event = Event(score=Coordinate(), threshold=0.5, above=True)
    return Slot(source=source, event=event, direction=direction, k1=k1, k2=k2, size=size)


def test_the_signal_is_that_of_the_payoff():
    p, q = 0.7, 0.2
    payoffs = {(x, y): x - math.e * y for x in (0, 1) for y in (0, 1)}
    chance = {(x, y): (p if x else 1 - p) * (q if y else 1 - q) for x, y in payoffs}
    mean = sum(chance[xy] * z for xy, z in payoffs.items())
    square = sum(chance[xy] * z * z for xy, z in payoffs.items())
    assert signal(np.array(p), np.array(q), *E) == pytest.approx(mean**2 / square)
    assert signal(np.array(0.2), np.array(0.2), *E) == 0.0


def test_growth_by_enumeration():
    p, q, slope, delta = 0.7, 0.2, 2.0, 0.05
    for j, fraction in enumerate(FRACTIONS):
        stake = fraction / (slope + delta)
        expected = sum(
            (p if x else 1 - p) * (q if y else 1 - q) * math.log(1 + stake * (x - slope * y - delta))
            for x in (0, 1)
            for y in (0, 1)
        )
        assert growth(p, q, np.array(slope), np.array(delta))[j] == pytest.approx(expected)


def test_the_most_telling_event_is_found_among_all_and_in_its_direction():
    rng = np.random.default_rng(1)
    for direction in (0, 1):
        sides = [sample(rng.integers(0, 8, 400)), sample(np.minimum(rng.integers(0, 8, 400), 5))]
        sides = sides if direction == 0 else sides[::-1]
        tails = Tails.of(Coordinate(), tuple(sides))
        strength, (event, found) = most_telling([None, tails], {0: E, 1: E})
        assert found == direction
        best = 0.0
        for threshold in range(7):
            for above in (True, False):
                for side in (0, 1):
                    rates = [(((s.values > threshold) == above).sum() + 0.5) / 401.0 for s in sides]
                    best = max(best, float(signal(np.array(rates[side]), np.array(rates[1 - side]), *E)))
        assert strength == pytest.approx(best)
        assert (event.threshold, event.above) == (5.0, True)
        assert most_telling([tails], {1 - direction: E})[1] is None


def test_events_are_learned_and_counted_where_their_score_was_not_built():
    rng = np.random.default_rng(2)
    sides = sample(rng.integers(0, 5, 2000)), sample(rng.integers(0, 3, 2000))
    split = Split.of(sides, rng=rng)
    lesson = learned(split, [{0: E, 1: E}], thorough=True, source=7, rng=rng)
    found = lesson.slot
    assert lesson.standing[0] == 0
    assert (found.source, found.direction, found.k2) == (7, 0, 0)
    assert found.size == split.held[0].size == 1000
    assert found.k1 == found.event.hits(split.held[0])
    same = sample(np.zeros(100))
    nothing = learned(Split.of((same, same), rng=rng), [{0: E, 1: E}], thorough=True, source=0, rng=rng)
    assert (nothing.slot, nothing.standing) == (None, (-1, 0.0))


def test_learned_from_a_vector_with_classifiers():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 6000, 3))
    first[:, 0] *= np.sign(rng.normal(size=6000))  # nothing a half-line sees: the sides differ in a product only
    second[:, 1] = np.abs(second[:, 1]) * np.sign(second[:, 0])
    split = Split.of((sample(first), sample(second)), rng=rng)
    lines = {0: (np.array([1.3]), np.array([0.0])), 1: (np.array([1.3]), np.array([0.0]))}
    found = learned(split, [lines], thorough=True, source=0, rng=rng).slot
    p, q = found.rates
    assert p > 1.5 * q


def test_weights_follow_the_past_and_lines_the_event():
    (target,) = targets(PureDP(epsilon=1.0), most=3.0)
    made = bets([slot(700, 100, 1000), slot(200, 190, 1000)], target)
    assert made.weights.sum(axis=(1, 2)) == pytest.approx(1.0)
    assert np.all(made.weights[target.place, 0].sum() > 0.9)
    assert made.weights.min() > 0.0
    assert expected_growth(slot(700, 100, 1000), target) > expected_growth(slot(500, 100, 1000), target) > 0.0


def test_a_bet_in_a_direction_of_which_the_claim_says_nothing_is_refused():
    directed = next(one for one in targets(RDP(orders=(2, 8), epsilons=(1, 4)), most=3.0) if one.direction == 0)
    bets([slot(5, 1, 10)], directed)
    with pytest.raises(AuditError, match="direction"):
        bets([slot(5, 1, 10, direction=1)], directed)


def test_the_weakest_point_is_the_headline_unless_another_stands_out():
    candidates = targets(RDP(orders=(2, 32), epsilons=(8.0, 0.1)), most=5.0)
    assert weakest([slot(6, 5, 10)], candidates) is candidates[0]
    assert weakest([slot(700, 300, 1000)], candidates) is not candidates[0]


def test_where_nothing_tells_against_the_claim_a_weaker_one_is_learned_against():
    rng = np.random.default_rng(4)
    sides = sample(rng.random(4000) < 0.6), sample(rng.random(4000) < 0.4)  # epsilon = 0.405
    split = Split.of(sides, rng=rng)
    weak = {side: (np.array([math.exp(0.2)]), np.array([0.0])) for side in (0, 1)}
    lesson = learned(split, [{0: E, 1: E}, weak], thorough=True, source=0, rng=rng)
    assert lesson.standing[0] == -1
    p, q = lesson.slot.rates
    assert p > 1.3 * q


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
