"""Which pairs are kept: those that surely show something, and one seat for the pair of which most is to be hoped."""

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event.expected_gain import Choice, largest_gain, shrunken_gain
from auditors.privacy.event.scores import Coordinate, Event
from auditors.privacy.event.screening import ROUNDS, Contender, _kept, best_contenders, contenders_of
from auditors.privacy.event.select import Split, quick_choice
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Drawer, Sample
from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.definitions.pure_dp import PureDP

GOAL = Goal(guarantee=PureDP(epsilon=0.1))
BUDGET = {"trials": 10**8, "alpha": 0.1}


def contender(place, gain, hope):
    event = Event(score=Coordinate(), threshold=0.0, above=True)
    pair = Pair(d0=np.zeros(1), d1=np.ones(1), label=str(place))
    choice = Choice(event=event, direction=0, p=0.5, q=0.4, gain=gain)
    return Contender(
        place=place, pair=pair, parameters={}, drawer=Drawer(None, pair), choice=choice, possible_gain=hope
    )


def coins(p, q, size):
    """Two outcomes, counted as often as they are expected."""
    return tuple(
        Sample(values=np.arange(2), weights=np.array([size - round(rate * size), round(rate * size)]), size=size)
        for rate in (p, q)
    )


def test_one_seat_more_is_the_most_hopeful_pairs():
    judged = [
        contender(place, gain, hope) for place, (gain, hope) in enumerate([(1, 5), (4, 4), (2, 3), (3, 9), (0, 6)])
    ]
    assert [one.place for one in _kept(judged, 2)] == [1, 3, 4], "the most hopeful of all is kept already"
    assert [one.place for one in _kept(judged, 1)] == [1, 3]


def test_where_nobody_looked_boldly_there_is_no_such_seat():
    judged = [contender(place, gain, 0.0) for place, gain in enumerate([1.0, 3.0, 2.0])]
    assert [one.place for one in _kept(judged, 2)] == [1, 2]


def test_a_rare_event_that_tells_more_is_hoped_for_where_caution_prefers_a_common_one():
    """Log-ratio 0.1 at probability 0.006 against 0.085 at 0.025, on half a million draws, with 10^8 to come."""
    rare, common = (
        [Tails.of(Coordinate(), coins(p, p * np.exp(-ratio), 500_000))] for p, ratio in ((0.006, 0.1), (0.025, 0.085))
    )
    sure = [largest_gain(tails, GOAL, bold=True, **BUDGET).gain for tails in (rare, common)]
    assert sure[0] < 0.9 * sure[1]
    rest = Tails.of(Coordinate(), coins(0.5, 0.48, 500_000))  # both pairs have a common event that stands out as well
    hopes = [shrunken_gain([*tails, rest], GOAL, **BUDGET) for tails in (rare, common)]
    assert hopes[0] > hopes[1]


@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_nothing_is_hoped_of_what_does_not_stand_out(size):
    """A gap of two standard errors at one half is not clear; the posterior mean of no clear gap at all is none."""
    gap = 2.0 * np.sqrt(0.5 / size)
    tails = [Tails.of(Coordinate(), coins(0.5, 0.5 - gap, size))]
    assert shrunken_gain(tails, GOAL, **BUDGET) == 0.0
    assert shrunken_gain([], GOAL, **BUDGET) == 0.0


def test_what_is_hoped_is_the_posterior_mean_of_the_gap():
    """One clear gap: spread = its own less 1 + sqrt(2 log 1/rarity) errors; 10^10 trials lose next to nothing."""
    size, p, q = 40_000, 0.5, 0.48
    tails = [Tails.of(Coordinate(), coins(p, q, size))]
    error = np.sqrt(sum(r * (1 - r) / size / stats.norm.pdf(stats.norm.ppf(r)) ** 2 for r in (p, q)))
    gap = stats.norm.ppf(p) - stats.norm.ppf(q)
    spread = gap - (1 + np.sqrt(-2 * np.log(q))) * error
    half, middle = 0.5 * gap * spread**2 / (spread**2 + error**2), 0.5 * (stats.norm.ppf(p) + stats.norm.ppf(q))
    ratio = np.log(stats.norm.cdf(middle + half) / stats.norm.cdf(middle - half))
    other = np.log(stats.norm.sf(middle - half) / stats.norm.sf(middle + half))
    assert shrunken_gain(tails, GOAL, trials=10**10, alpha=0.1) == pytest.approx(max(ratio, other) / 0.1, rel=2e-3)


def test_a_quick_look_hopes_only_for_numbers_and_only_where_others_count_again():
    rng = np.random.default_rng(0)
    for width, bold, hopes in ((None, True, True), (None, False, False), (2, True, False)):
        shape = 20_000 if width is None else (20_000, width)
        sides = [Sample(values=rng.laplace(size=shape) + shift, weights=None, size=20_000) for shift in (0.0, 1.0)]
        choice, hope = quick_choice(Split.of(sides, rng=rng), GOAL, bold=bold, **BUDGET)
        assert choice is not None
        assert (hope > 0.0) is hopes


@pytest.mark.parametrize("bold", [False, True])
def test_the_hopeful_seat_is_kept_through_all_rounds_and_takes_no_draws_from_the_others(
    function, event_task, monkeypatch, bold
):
    """Every stage but the first sees one pair more; each pair's own draws are as many as without that seat."""
    monkeypatch.setattr("auditors.privacy.event.screening.ROUNDS", tuple((pilot // 32, kept) for pilot, kept in ROUNDS))
    subject = function(lambda d, size, rng: d.sum() + rng.laplace(size=size))
    task = event_task(subject, PureDP(epsilon=1.0), OneQuery(), space=SearchSpace(size=3), trials=50_000)
    contenders = contenders_of(task)
    found = best_contenders(task, GOAL, contenders, bold=bold)
    assert len(found) == ROUNDS[-1][1] + bold
    sizes = [256, 1024, 3125]
    seats = [len(contenders), *(kept + bold for _, kept in ROUNDS[:-1])]
    assert [subject.drawn.count(size) for size in sizes] == [2 * seat for seat in seats]
