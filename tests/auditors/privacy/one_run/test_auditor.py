"""The one-run auditor: guesses counted by hand, ties by no order, exact calibration, sabotage, claims of every kind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.one_run.auditor import OneRunAuditor
from auditors.privacy.one_run.bounds import OneRunGoal, Run, _symmetric, approx_inverse, tabulated
from auditors.privacy.one_run.guesses import (
    Rule,
    chance_of_right,
    check_coins,
    default_rules,
    expected_rate,
    most_right,
    rate_to_mu,
    right_guesses,
    rules_for,
)
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.protocols import Task
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.definitions.tradeoff import Tradeoff
from dpverify.definitions.zcdp import ZCDP
from dpverify.runner.plan import task_streams
from dpverify.stats.one_run_curve import gaussian_inverse
from tests.calibration.harness import verdict


@dataclass(frozen=True, eq=False)
class Given:
    given: np.ndarray
    included: np.ndarray
    values: int = 2

    @property
    def canaries(self):
        return self.included.size

    def canary_run(self, *, rng):
        return self.given, self.included


def evidence(scores, included, guarantee, *, alpha=0.05, seed=0, values=2, guesses=None):
    task = Task(
        claim=Claim(
            id="c", guarantee=guarantee, relation="add-remove", subject="s", source=Source(paper="t", locus="")
        ),
        build=lambda: Given(np.asarray(scores, dtype=float), np.asarray(included, dtype=np.int64), values),
        neighbors=FixedPair(d0="in", d1="out", relation="add-remove"),
        alpha=alpha,
        trials=1,
        stream=task_streams(seed, "one-run"),
    )
    return OneRunAuditor(guesses=guesses).audit(task)


def test_guesses_are_counted_as_by_hand():
    scores, included = np.array([0.1, 3.0, -2.0, 5.0, 0.0, -4.0]), np.array([1, 0, 0, 1, 1, 0])
    rng = np.random.default_rng(0)
    rules = [Rule(inside=1, outside=1), Rule(inside=2, outside=0), Rule(inside=3, outside=3), Rule(inside=0, outside=2)]
    assert right_guesses(scores, included, rules, rng=rng) == [2, 1, 4, 2]


def test_nan_is_guessed_last_by_a_coin():
    scores = np.concatenate([np.full(50, 9.0), np.full(100, math.nan), np.full(50, -9.0)])
    included = np.concatenate([np.ones(50), np.tile([0, 1], 50), np.zeros(50)]).astype(np.int64)
    rules = [Rule(inside=50, outside=50), Rule(inside=100, outside=100)]
    found = [right_guesses(scores, included, rules, rng=np.random.default_rng(seed)) for seed in range(40)]
    assert {first for first, _ in found} == {100}
    assert 140 < np.mean([second for _, second in found]) < 160
    assert len({second for _, second in found}) > 1


@pytest.mark.parametrize("values", [2, 4])
def test_values_named_by_the_largest_score(values):
    included = np.arange(40) % values
    scores = np.eye(values)[included] * np.linspace(1.0, 2.0, 40)[:, None]
    scores[:10] = 0.0  # nothing known of these: guessed last
    found = right_guesses(scores, included, [Rule(inside=30, outside=0)], rng=np.random.default_rng(1))
    assert found == [30]


def by_place(scores, included, rules):
    """Sabotage: a stable sort on the arrays as they came."""
    order = np.argsort(scores, kind="stable")[::-1]
    return [
        int(np.sum(included[order[: rule.inside]] == 0) + np.sum(included[order[order.size - rule.outside :]] == 1))
        for rule in rules
    ]


def test_the_order_of_the_arrays_breaks_no_tie():
    """Equal scores, the included first: places alone would guess everything right, and refute everything."""
    scores, included, rules = np.zeros(400), np.repeat([1, 0], 200), [Rule(inside=200, outside=200)]
    assert by_place(scores, included, rules)[0] in (0, 400)
    fair = [right_guesses(scores, included, rules, rng=np.random.default_rng(seed))[0] for seed in range(60)]
    assert 100 < min(fair) < 200 < max(fair) < 300  # nine standard errors


def test_default_rules_and_rules_asked_for():
    assert [rule.guesses for rule in default_rules(1000)] == [872, 250, 62]
    assert [rule.guesses for rule in default_rules(3)] == [2]
    assert all(rule.guesses <= m for m in range(2, 200) for rule in default_rules(m))
    assert rules_for([(5, 0), (5, 0), (0, 3)], 10) == (Rule(inside=5, outside=0), Rule(inside=0, outside=3))
    for bad in ([], [(0, 0)], [(6, 5)], [(-1, 3)]):
        with pytest.raises(InputError):
            rules_for(bad, 10)


def test_coins_that_no_fair_coin_gives_are_refused():
    check_coins(np.repeat([0, 1], [480, 520]), 2)
    check_coins(np.arange(30) % 3, 3)
    for included, values in ((np.ones(100, dtype=int), 2), (np.repeat([0, 1], [300, 700]), 2), (np.zeros(60, int), 3)):
        with pytest.raises(InputError, match="canaries have the value"):
            check_coins(included, values)
    check_coins(np.ones(5, dtype=int), 2)  # five heads in a row may be


def test_the_expected_rate_of_gaussian_scores():
    assert expected_rate(1.0, 1.0) == pytest.approx(stats.norm.cdf(0.5))
    rng = np.random.default_rng(2)
    included = rng.integers(0, 2, 400_000)
    scores, rule = included * 1.5 + rng.normal(size=included.size), Rule(inside=20_000, outside=20_000)
    rate = right_guesses(scores, included, [rule], rng=rng)[0] / 40_000
    assert expected_rate(1.5, 0.1) == pytest.approx(rate, abs=6 * math.sqrt(0.25 / 40_000))
    assert rate_to_mu(expected_rate(1.5, 0.1), 0.1) == pytest.approx(1.5)
    assert rate_to_mu(0.4, 0.1) == 0.0


def test_the_coins_decide_how_many_guesses_can_be_right():
    """Enumerated: every law of the coins of seven canaries, and guesses that know all of them."""
    for rule in (Rule(inside=4, outside=3), Rule(inside=2, outside=2), Rule(inside=7, outside=0)):
        counts = []
        for number in range(2**7):
            included = np.array([number >> i & 1 for i in range(7)])
            (right,) = right_guesses(included * 1.0, included, [rule], rng=np.random.default_rng(number))
            assert right == most_right(included, 2, rule)
            counts.append(right)
        for least in range(1, rule.guesses + 1):
            share = np.mean(np.array(counts) >= least)
            assert chance_of_right(least, 1.0, 7, rule) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    "rule", [Rule(inside=100, outside=100), Rule(inside=60, outside=60), Rule(inside=150, outside=50)]
)
@pytest.mark.parametrize("rate", [0.5, 0.7, 0.95])
def test_the_chance_of_so_many_right_is_that_of_simulated_guesses(rule, rate):
    """Six standard errors of a share of 4000 runs, and 0.02 for the shift: false alarm below 2e-9 each of 18."""
    rng, m, runs = np.random.default_rng(21), 200, 4000
    included = rng.integers(0, 2, (runs, m))
    looks_in = np.where(rng.random((runs, m)) < rate, included, 1 - included)
    order = np.argsort(looks_in + 0.5 * rng.random((runs, m)), axis=1)
    ranked = np.take_along_axis(included, order, axis=1)
    right = ranked[:, m - rule.inside :].sum(axis=1) + (1 - ranked[:, : rule.outside]).sum(axis=1)
    for quantile in (0.2, 0.6):
        least = int(np.quantile(right, quantile))
        share = float(np.mean(right >= least))
        allowed = 0.02 + 6 * math.sqrt(share * (1 - share) / runs)
        assert chance_of_right(least, rate, m, rule) == pytest.approx(share, abs=allowed)


def power_of_a_perfect_attack(goals):
    """Exactly, over the number of canaries that are in."""
    m = goals[0].run.canaries
    refuted = [
        any(goal.refuted(min(goal.run.rule.inside, k) + min(goal.run.rule.outside, m - k)) for goal in goals)
        for k in range(m + 1)
    ]
    return float(np.sum(stats.binom.pmf(np.arange(m + 1), m, 0.5) * refuted))


def test_what_is_detectable_is_detected_four_times_of_five():
    """The claim that was refuted 13 times of 60 by an attack that knows everything, under "would have caught 5.54"."""
    claim, m = ApproxDP(epsilon=4.0, delta=1e-5), 1000

    def goals(rules):
        runs = [Run(canaries=m, rule=rule, values=2, alpha=0.001 / len(rules)) for rule in rules]
        return [OneRunGoal(guarantee=claim, run=run) for run in runs]

    halves = goals([Rule(inside=m // part, outside=m // part) for part in (2, 8, 32)])
    assert power_of_a_perfect_attack(halves) < 0.3
    assert min(goal.detectable for goal in halves) == math.inf  # said, not promised
    ours = goals(default_rules(m))
    assert power_of_a_perfect_attack(ours) >= 0.8
    assert min(goal.detectable for goal in ours) < 6


@pytest.mark.parametrize("inside", [200, 170, 50])
def test_guesses_at_the_detectable_rate_refute_four_times_of_five(inside):
    """Simulated randomised response; fails where so few of 4000 have a probability below 1e-8 at a power of 0.78."""
    rng, m, runs = np.random.default_rng(22), 400, 4000
    run = Run(canaries=m, rule=Rule(inside=inside, outside=inside), values=2, alpha=1e-3)
    goal = OneRunGoal(guarantee=PureDP(epsilon=1.0), run=run)
    rate = 1 / (1 + math.exp(-goal.detectable))
    included = rng.integers(0, 2, (runs, m))
    looks_in = np.where(rng.random((runs, m)) < rate, included, 1 - included)
    ranked = np.take_along_axis(included, np.argsort(looks_in + 0.5 * rng.random((runs, m)), axis=1), axis=1)
    right = ranked[:, m - inside :].sum(axis=1) + (1 - ranked[:, :inside]).sum(axis=1)
    caught = int(np.sum(right >= goal.critical))
    assert stats.binom.cdf(caught, runs, 0.78) > 1e-8
    assert stats.binom.sf(caught - 1, runs, 0.9) > 1e-8  # and no much larger one is named


def test_the_ceiling_is_what_a_perfect_attack_got():
    included = np.repeat([1, 0], [190, 210])
    for guesses in (None, [(200, 200)], [(10, 300)]):
        found = evidence(included, included, PureDP(epsilon=0.5), guesses=guesses)
        assert found.bound == found.ceiling
        blind = evidence(np.arange(400) % 2, included, PureDP(epsilon=0.5), guesses=guesses)
        assert blind.ceiling == found.ceiling > blind.bound


GOALS = [
    PureDP(epsilon=1.0),
    ApproxDP(epsilon=1.0, delta=1e-5),
    GDP(mu=0.3),
    ZCDP(rho=0.045),
    RDP(orders=(2.0, 8.0), epsilons=(0.09, 0.36)),
    Tradeoff(alphas=(0.0, 0.5, 1.0), betas=(1.0, 0.25, 0.0)),
    PureDP(epsilon=0.0),
]


@pytest.mark.parametrize("guarantee", GOALS, ids=lambda guarantee: guarantee.text())
def test_claims_of_every_kind_refuted_by_a_perfect_attack_and_not_by_a_blind_one(guarantee):
    rng = np.random.default_rng(3)
    included = rng.integers(0, 2, 600)
    broken = evidence(included, included, guarantee, alpha=0.01)
    assert broken.excess > 0
    assert broken.bound > broken.measure.claimed
    blind = evidence(rng.normal(size=600), included, guarantee, alpha=1e-9)  # false alarm 1e-9 each
    assert blind.excess <= 0
    assert broken.bound <= broken.ceiling * (1 + 1e-9)


def test_the_bound_and_the_count_agree():
    """The bound is above the claim exactly from the critical count on."""
    run = Run(canaries=400, rule=Rule(inside=50, outside=50), values=2, alpha=0.01)
    for guarantee in (ApproxDP(epsilon=0.5, delta=1e-4), GDP(mu=0.2), PureDP(epsilon=1.0)):
        goal = OneRunGoal(guarantee=guarantee, run=run)
        critical = goal.critical
        assert goal.bound(critical) > goal.measure.claimed >= goal.bound(critical - 1)


def test_the_better_theorem_serves():
    """The binomial one for pure epsilon (where it is exact), and never less than either for (epsilon, delta)."""
    run = Run(canaries=300, rule=Rule(inside=50, outside=50), values=2, alpha=0.01)
    pure = OneRunGoal(guarantee=PureDP(epsilon=1.0), run=run)
    q = math.e / (1 + math.e)
    assert pure.critical == int(stats.binom.isf(0.01, 100, q)) + 1
    leaky = OneRunGoal(guarantee=ApproxDP(epsilon=1.0, delta=1e-4), run=run)
    counts = [leaky._least(test) for test in leaky._tests(1.0)]
    assert leaky.critical == min(count for count in counts if count is not None)


def test_a_table_of_a_curve_errs_below():
    exact, table = gaussian_inverse(0.7), tabulated(GDP(mu=0.7), least=1e-6)
    for x in np.concatenate([np.geomspace(1e-8, 0.5, 300), 1 - np.geomspace(1e-8, 0.5, 300), [0.0, 1.0]]).tolist():
        assert table(x) <= exact(x) * (1 + 1e-9)
        if 1e-5 < x < 0.999:
            assert table(x) >= 0.93 * exact(x)
    assert approx_inverse(1.0, 0.0)(0.5) == pytest.approx(0.5 / math.e)


def test_several_values_are_guessed_too():
    rng = np.random.default_rng(4)
    included = rng.integers(0, 5, 500)
    seen = np.where(rng.random(500) < 0.9, included, rng.integers(0, 5, 500))
    found = evidence(np.eye(5)[seen], included, PureDP(epsilon=1.0), values=5)
    assert found.excess > 0
    assert found.bound < math.log(0.92 * 5 / 0.1) + 1


# Calibration, exactly: randomised response at the claim, whose right guesses are Bin(r, e / (1 + e)).


def false_alarm(rules, critical_counts, q):
    """P[some rule's count reaches its critical one], if counts were independent: at most their sum."""
    return sum(stats.binom.sf(c - 1, r, q) for r, c in zip(rules, critical_counts, strict=True))


def test_the_rules_share_the_error_exactly():
    alpha, m, epsilon = 0.2, 400, 1.0
    rules = default_rules(m)
    q = math.e / (1 + math.e)

    def critical(share):
        runs = [Run(canaries=m, rule=rule, values=2, alpha=share) for rule in rules]
        return [OneRunGoal(guarantee=PureDP(epsilon=epsilon), run=run).critical for run in runs]

    shared, whole = critical(alpha / len(rules)), critical(alpha)
    sizes = [rule.guesses for rule in rules]
    assert false_alarm(sizes, shared, q) <= alpha
    assert false_alarm(sizes, whole, q) > alpha  # sabotage: every rule at the whole error
    found = evidence(np.arange(m) % 7, np.arange(m) % 2, PureDP(epsilon=epsilon), alpha=alpha).statistics
    assert found["alpha_of_this_rule"] * len(found["rules"]) <= alpha
    assert len(found["rules"]) == len(rules)


def refutations(runs, fair, *, alpha=0.2, m=60):
    """Audits of randomised response at its claim; the canaries' coins are `fair`, or follow what will be guessed."""
    rng, count = np.random.default_rng(6), 0
    q = math.e / (1 + math.e)
    for run in range(runs):
        included = rng.integers(0, 2, m) if fair else (rng.random(m) < 0.7).astype(np.int64)
        scores = np.where(rng.random(m) < q, included, 1 - included)
        found = evidence(scores, included, PureDP(epsilon=1.0), alpha=alpha, seed=run, guesses=[(m // 3, 0)])
        count += found.excess > 0
    return verdict(count, runs, alpha)


def test_refutes_what_is_true_no_more_often_than_alpha():
    tally = refutations(250, fair=True)
    assert not tally.fails, tally.text()
    assert tally.count > 0  # the claim is attained: it comes near


def test_coins_that_are_not_fair_void_it():
    """The assumption matters, and the same check sees it (counts of coins alone would pass here)."""
    tally = refutations(250, fair=False)
    assert tally.fails, tally.text()


def test_a_claim_that_is_not_symmetric_stands_at_its_boundary():
    """In always says 1, out says 1 or 0 evenly: f(a) = max(1 - 2a, 0) from out to in, (1 - a) / 2 back.

    Whoever says 0 is out for sure, which delta >= 1/2 of the second direction allows and the first alone does not; and
    the lower of the two curves, if it were one claim, would allow 2/3 right guesses, where 3/4 are. False alarm 1e-9.
    """
    claim = Tradeoff(alphas=(0.0, 0.5, 1.0), betas=(1.0, 0.0, 0.0))
    rng, m = np.random.default_rng(23), 4000
    included = rng.integers(0, 2, m)
    scores = np.where(included == 1, 1, rng.integers(0, 2, m))
    for guesses in ([(0, 500)], [(3000, 1000)], [(2000, 2000)], None):
        found = evidence(scores, included, claim, alpha=1e-9, guesses=guesses)
        assert found.excess <= 0, guesses
    assert not _symmetric(claim)  # so that no family of one curve is made of it
    assert _symmetric(GDP(mu=1.0))
    turned = Tradeoff(alphas=(0.0, 1.0), betas=(0.5, 0.0))
    for guesses in ([(0, 500)], [(3000, 1000)]):
        assert evidence(scores, included, turned, alpha=1e-9, guesses=guesses).excess <= 0


def test_shapes_that_do_not_fit():
    with pytest.raises(InputError, match="scores of shape"):
        evidence(np.zeros(3), np.zeros(4), PureDP(epsilon=1.0))
    with pytest.raises(InputError, match="inclusions from"):
        evidence(np.zeros(4), np.array([0, 1, 2, 1]), PureDP(epsilon=1.0))
