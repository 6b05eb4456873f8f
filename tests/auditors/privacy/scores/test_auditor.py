"""The score auditor: its looks counted by hand, ties and corners, claims of every kind, calibration and sabotage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from auditors.privacy.event_bounds import Goal
from auditors.privacy.scores import auditor as scores_module
from auditors.privacy.scores.auditor import ScoreAuditor
from auditors.privacy.scores.looks import (
    Scores,
    _best_looking,
    fixed_looks,
    median_event,
    positions,
    rank_looks,
    rank_tests,
    split_looks,
)
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.runner.plan import task_streams
from dpverify.stats.intervals import clopper_pearson_upper
from tests.calibration.harness import settled, verdict

GOAL = Goal(guarantee=PureDP(epsilon=1.0))


@dataclass(frozen=True, eq=False)
class Given:
    """Scores as they are."""

    inside: np.ndarray
    outside: np.ndarray

    def scores(self, *, rng):
        return self.inside, self.outside


def evidence(inside, outside, guarantee, *, alpha=0.05, seed=0, auditor=None):
    auditor = auditor or ScoreAuditor()
    task = Task(
        claim=Claim(
            id="c", guarantee=guarantee, relation="add-remove", subject="s", source=Source(paper="t", locus="")
        ),
        build=lambda: Given(np.asarray(inside, dtype=float), np.asarray(outside, dtype=float)),
        neighbors=FixedPair(d0="in", d1="out", relation="add-remove"),
        alpha=alpha,
        trials=1,
        stream=task_streams(seed, "scores"),
    )
    assert auditor.refuses(task) is None
    return auditor.audit(task)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_looks_are_what_counting_says(n, m, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=m)
    looks = list(rank_looks(Scores.of(x, y, rng=rng), GOAL, alpha=0.05))
    assert len(looks) == rank_tests((n, m))
    assert math.fsum(look.alpha for look in looks) <= 0.05
    for look in looks:
        here, there = ((x, y), (y, x))[look.direction]
        sign = 1 if look.above else -1
        counts = tuple(np.sum(sign * side > sign * look.threshold) for side in (here, there))
        assert (look.k1, look.k2) == counts
        assert (look.n1, look.n2) == (here.size, there.size)
        assert look.k2 + 1 in positions(there.size)


@pytest.mark.parametrize("words", [{}, {"method": "split"}, {"method": "threshold", "threshold": 0.3}])
@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.0), GDP(mu=1.0)])
def test_the_looks_share_the_error(words, guarantee):
    rng = np.random.default_rng(15)
    auditor = ScoreAuditor(**words)
    seen = evidence(rng.normal(size=90), rng.normal(size=70), guarantee, auditor=auditor, alpha=0.05).statistics
    assert seen["alpha_of_this_look"] * seen["looks"] <= 0.05
    x, y, goal = rng.normal(size=90), rng.normal(size=70), Goal(guarantee=guarantee)
    scores = Scores.of(x, y, rng=rng)
    looks = {
        "ranks": lambda: rank_looks(scores, goal, alpha=0.05),
        "split": lambda: split_looks(scores, goal, alpha=0.05, rng=rng),
        "threshold": lambda: fixed_looks(x, y, goal, threshold=0.3, alpha=0.05),
    }[auditor.method]()
    assert 0.04 < math.fsum(look.alpha for look in looks) <= 0.05


def test_the_median_event_is_counted_as_by_hand():
    scores = Scores.of(np.array([1.0, 5.0, 3.0]), np.array([0.0, 4.0]), rng=np.random.default_rng(0))
    at = median_event(scores)  # 0 1 | 3 4 5
    assert (at.inside, at.n_in, at.outside, at.n_out) == (2, 3, 1, 2)


def test_the_limit_at_a_position_is_the_order_statistics_own():
    """q above the j-th largest of n is Beta(j, n + 1 - j): its limit is missed with the stated probability exactly."""
    for n, j, alpha in ((50, 1, 0.05), (50, 8, 1e-3), (999, 128, 0.2)):
        limit = float(clopper_pearson_upper(j - 1, n, alpha=alpha))
        assert stats.beta.sf(limit, j, n + 1 - j) == pytest.approx(alpha, rel=1e-4)


def test_ties_have_no_order():
    """Scores of a few values: every threshold lies inside a tie, and nothing is shown where nothing is known."""
    for seed in range(5):
        found = evidence(
            np.ones(1000), np.ones(1000), PureDP(epsilon=0.0), alpha=1e-6, seed=seed
        )  # false alarm 5e-6/...
        assert found.excess <= 0


def test_ties_at_a_threshold_cost_little():
    """Randomised response: both answers are ties, and no position falls on the step."""
    rng = np.random.default_rng(5)
    n, p = 4000, math.exp(2) / (1 + math.exp(2))
    found = evidence(rng.random(n) < p, rng.random(n) < 1 - p, PureDP(epsilon=1.0))
    assert 1.6 < found.bound < 2.0


@pytest.mark.parametrize("method", ["ranks", "split"])
@pytest.mark.parametrize("guarantee", [PureDP(epsilon=0.5), GDP(mu=0.5)])
def test_a_change_of_sign_and_a_change_of_scale_change_nothing(method, guarantee):
    rng = np.random.default_rng(6)
    x, y = rng.normal(2.0, size=300), rng.normal(size=200)
    auditor = ScoreAuditor(method=method)
    plain = evidence(x, y, guarantee, auditor=auditor)
    assert evidence(np.exp(x), np.exp(y), guarantee, auditor=auditor).bound == plain.bound
    if method == "ranks":
        assert evidence(-x, -y, guarantee, auditor=auditor).bound == plain.bound
        assert evidence(y, x, guarantee, auditor=auditor).bound == plain.bound


@pytest.mark.parametrize(
    ("guarantee", "kind", "broken"),
    [
        (PureDP(epsilon=1.0), "epsilon", True),
        (ApproxDP(epsilon=1.0, delta=1e-5), "epsilon", True),
        (GDP(mu=1.0), "mu", True),
        (ZCDP(rho=0.5), "renyi", True),
        (RDP(orders=(2.0, 8.0), epsilons=(1.0, 4.0)), "renyi", True),
        (Tradeoff(alphas=(0.0, 0.5, 1.0), betas=(1.0, 0.25, 0.0)), "delta", True),
        (GDP(mu=3.0), "mu", False),
        (ZCDP(rho=4.5), "renyi", False),
        (PureDP(epsilon=20.0), "epsilon", False),
    ],
)
def test_claims_of_every_kind(guarantee, kind, broken):
    """Scores N(2.5, 1) and N(0, 1): mu = 2.5."""
    rng = np.random.default_rng(7)
    found = evidence(rng.normal(2.5, size=3000), rng.normal(size=2500), guarantee, alpha=1e-6)
    assert found.measure.kind == kind
    assert (found.excess > 0) == broken == (found.bound > found.measure.claimed)
    if kind == "mu":
        assert 2.0 < found.bound <= 2.5
    if found.ceiling is not None:
        assert found.bound <= found.ceiling
    if guarantee == PureDP(epsilon=20.0):
        assert not found.statistics["could_refute"]


def test_what_is_detectable_is_detected_four_times_of_five():
    """At the reported look, an attack with the detectable p refutes with probability 0.8 at least (exact binomial)."""
    rng = np.random.default_rng(8)
    found = evidence(rng.normal(1.0, size=500), rng.normal(size=500), PureDP(epsilon=1.0))
    seen = found.statistics
    q = (seen["k2"] + 0.5) / seen["n2"]
    p = q * math.exp(found.detectable)
    if p > 1:
        p = 1 - (1 - q) / math.exp(found.detectable)
    power = 0.0
    for k1 in range(seen["n1"] + 1):
        region = replace(
            next(iter(rank_looks(Scores.of(np.arange(500.0), np.arange(500.0), rng=rng), GOAL, alpha=0.05))),
            k1=k1, k2=seen["k2"], n1=500, n2=500, alpha=seen["alpha_of_this_look"], share=seen["region"]["share"],
        ).region()  # fmt: skip
        if GOAL.finding(region, 0).excess > 0:
            power = stats.binom.sf(k1 - 1, seen["n1"], p)
            break
    assert power >= 0.8 - 1e-6


def test_infinities_are_scores_and_nan_is_refused():
    found = evidence([math.inf] * 200, [-math.inf] * 200, PureDP(epsilon=1.0))
    assert found.excess > 0
    with pytest.raises(InputError, match="NaN"):
        evidence([1.0, math.nan], [0.0], PureDP(epsilon=1.0))
    with pytest.raises(InputError, match="at least one score"):
        evidence([], [0.0], PureDP(epsilon=1.0))
    with pytest.raises(InputError, match="split"):
        evidence([1.0], [0.0], PureDP(epsilon=1.0), auditor=ScoreAuditor(method="split"))


@pytest.mark.parametrize("words", [{"method": "best"}, {"method": "threshold"}, {"threshold": 1.0}])
def test_settings_that_do_not_fit(words):
    with pytest.raises(InputError):
        ScoreAuditor(**words)


# Calibration: normal scores at the exact mu, Laplace at the exact epsilon. Each count of a valid auditor fails with
# probability below 1e-8. All on looks alone, and on whether they refute: without bounds and the evidence around them.


def refuted(looks, goal):
    return any(goal.refutes(look.region(), look.direction) for look in scores_module._promising(goal, list(looks)))


def exceedances(method, *, runs, alpha=0.2, n=100):
    rng, goal, count = np.random.default_rng(9), Goal(guarantee=GDP(mu=1.0)), 0
    for made in range(1, runs + 1):
        x, y = rng.normal(1.0, size=n), rng.normal(size=n)
        count += refuted(method(x, y, goal, alpha, rng), goal)
        tally = replace(verdict(count, runs, alpha), made=made)
        if settled(tally):
            break
    return tally


def by_ranks(x, y, goal, alpha, rng):
    return rank_looks(Scores.of(x, y, rng=rng), goal, alpha=alpha)


def by_split(x, y, goal, alpha, rng):
    return split_looks(Scores.of(x, y, rng=rng), goal, alpha=alpha, rng=rng)


def by_threshold(x, y, goal, alpha, rng):
    return fixed_looks(x, y, goal, threshold=0.5, alpha=alpha)


def without_union_bound(x, y, goal, alpha, rng):
    """Sabotage: every position at the whole error."""
    return [replace(look, alpha=alpha) for look in by_ranks(x, y, goal, alpha, rng)]


def without_split(x, y, goal, alpha, rng):
    """Sabotage: chosen and counted on the same scores, at the whole error."""
    scores = Scores.of(x, y, rng=rng)
    direction, above, rank = _best_looking(scores, goal, sizes=scores, alpha=alpha)
    look = next(by_threshold(x, y, goal, alpha, rng))
    counts = [scores.beyond(side, rank, above=above) for side in (direction, 1 - direction)]
    return [replace(look, direction=direction, above=above, k1=counts[0], k2=counts[1], alpha=alpha)]


@pytest.mark.ci
@pytest.mark.parametrize("method", [by_ranks, by_split, by_threshold], ids=lambda method: method.__name__)
def test_refutes_what_is_true_no_more_often_than_alpha(method):
    tally = exceedances(method, runs=100)
    assert not tally.fails, tally.text()


@pytest.mark.ci
@pytest.mark.parametrize(("method", "runs"), [(without_union_bound, 200), (without_split, 70)])
def test_sabotage_is_seen_by_the_same_check(method, runs):
    tally = exceedances(method, runs=runs)
    assert tally.fails, tally.text()
