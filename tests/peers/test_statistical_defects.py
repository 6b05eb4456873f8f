"""Statistical defects that were found in other auditing tools, and that this one must not have.

Each test states a property, shows that ours has it, and that the defective rule, written out here, has it not. Where a
property is a false-alarm rate, it fails when the binomial upper tail of the count is below 1e-8 (a valid rule: that is
the test's own false alarm).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

import dpverify as dpv
from auditors.privacy.event_bounds import Goal
from auditors.privacy.scores.auditor import _estimate, _most
from auditors.privacy.scores.looks import Scores, median_event, rank_looks
from dpverify.stats.epsilon import mu_lower
from dpverify.stats.intervals import clopper_pearson_upper
from dpverify.stats.joint import JointRegion, excess_lower
from dpverify.stats.multiplicity import bonferroni_share, holm
from dpverify.stats.posterior import EpsilonPosterior
from tests.stats.from_counts import epsilon_lower_from_counts

pytestmark = pytest.mark.ci

SEED = 20251


def too_often(count: int, repetitions: int, alpha: float) -> bool:
    """Whether a rule with error probability alpha would err so often with probability below 1e-8."""
    return bool(stats.binom.sf(count - 1, repetitions, alpha) < 1e-8)


def limits(n: int, alpha: float):
    """Clopper-Pearson limits of every count at once."""
    k = np.arange(n + 1)
    lower = np.where(k > 0, special.betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0)
    upper = np.where(k < n, special.betaincinv(k + 1, np.maximum(n - k, 1), 1 - alpha), 1.0)
    return lower, upper


def laplace_pair(rng, n):
    """Scores of Laplace noise at the exact boundary of epsilon = 1."""
    return rng.laplace(1.0, size=n), rng.laplace(0.0, size=n)


def finding(guarantee, x, y, alpha, rng):
    """What our audit of such scores finds, without what else it says (power, ceiling): the looks, and the best one."""
    goal = Goal(guarantee=guarantee)
    return _most(goal, list(rank_looks(Scores.of(x, y, rng=rng), goal, alpha=alpha)))[0]


def test_a_finding_is_the_whole_audits_own():
    """The rates below are those of `finding`: here it is held against the audit."""
    rng = np.random.default_rng(SEED)
    for guarantee, (x, y) in (
        (dpv.PureDP(epsilon=1.0), laplace_pair(rng, 1000)),
        (dpv.GDP(mu=0), (rng.normal(size=500), rng.normal(size=500))),
    ):
        found, audit = finding(guarantee, x, y, 1 - 0.95, rng), dpv.audit_scores(x, y, claim=guarantee, confidence=0.95)
        assert (found.bound, found.excess) == (audit.bound, audit.evidence.excess)
        half = median_event(Scores.of(x, y, rng=rng))
        assert _estimate(Goal(guarantee=guarantee), half, found.bound) == audit.estimate


def largest_over_thresholds(x, y, lower, upper):
    """TFP's `EpsilonLowerBound` and responsible-ai-toolbox-privacy's curves: the best threshold, in each of the four
    ways to read it, each at the whole error."""
    n, best = x.size, -math.inf
    x, y = np.sort(x), np.sort(y)
    pooled = np.concatenate([x, y])
    a, b = n - np.searchsorted(x, pooled, side="right"), n - np.searchsorted(y, pooled, side="right")
    for p, q in ((a, b), (b, a), (n - a, n - b), (n - b, n - a)):
        best = max(best, float(np.max(np.log(np.maximum(lower[p], 1e-300)) - np.log(upper[q]))))
    return best


def test_the_largest_bound_over_thresholds_is_paid_for():
    alpha, n, rng = 0.05, 10_000, np.random.default_rng(SEED)
    lower, upper = limits(n, alpha / 2)
    defective = sum(largest_over_thresholds(*laplace_pair(rng, n), lower, upper) > 1.0 for _ in range(400))
    assert too_often(defective, 400, alpha), defective
    claim = dpv.PureDP(epsilon=1.0)
    ours = sum(finding(claim, *laplace_pair(rng, 1000), alpha, rng).bound > 1.0 for _ in range(60))
    assert not too_often(ours, 60, alpha), ours


def test_the_error_is_for_all_trials_and_directions_together():
    """DP-Auditorium's runner: `failure_probability` for each of two directions of each trial, told once."""
    alpha, looks, rng = 0.05, 20, np.random.default_rng(SEED)
    p_values = rng.random((2000, looks))  # exact tests of true claims
    assert too_often(int(np.sum(np.any(p_values <= alpha, axis=1))), 2000, alpha)
    share = bonferroni_share(alpha, tests=looks)
    assert not too_often(int(np.sum(np.any(p_values <= share, axis=1))), 2000, alpha)


def test_the_looks_of_one_audit_share_its_error():
    rng = np.random.default_rng(SEED)
    goal = Goal(guarantee=dpv.PureDP(epsilon=1.0))
    looks = list(rank_looks(Scores.of(*laplace_pair(rng, 300), rng=rng), goal, alpha=0.05))
    assert math.fsum(look.alpha for look in looks) <= 0.05
    assert {(look.direction, look.above) for look in looks} == {(0, True), (0, False), (1, True), (1, False)}


def test_a_blatant_violation_is_seen_at_large_epsilon():
    """A Hoeffding margin times 1 + e^epsilon (DP-Auditorium's hockey-stick tester) is above 1 here: it sees nothing."""
    n, epsilon, alpha, k1, k2 = 10_000, 4.0, 0.05, 9000, 50
    margin = (1 + math.exp(epsilon)) * math.sqrt(math.log(1 / alpha) / (2 * n))
    assert not k1 / n - math.exp(epsilon) * k2 / n - margin > 0
    region = JointRegion(k1=k1, n1=n, k2=k2, n2=n, alpha=alpha)
    assert excess_lower(region, lambda q: np.minimum(1.0, math.exp(epsilon) * q)) > 0


def test_a_band_holds_at_small_levels():
    """SIE's `dkw_bound`: ln(min(2, 1/alpha)) for ln(1/alpha), so the margin stays that of alpha = 1/2."""
    alpha, n, runs, rng = 0.01, 400, 1000, np.random.default_rng(SEED)
    slipped = math.sqrt(math.log(min(2.0, 1 / alpha)) / (2 * n))
    places = 2 ** np.arange(8)
    share = alpha / places.size
    upper = clopper_pearson_upper(places - 1, n, alpha=share)
    bad, ours = 0, 0
    for _ in range(runs):
        drawn = np.sort(rng.random(n))[::-1]
        bad += np.max((1.0 - drawn) - np.arange(n) / n) > slipped
        ours += bool(np.any(1.0 - drawn[places - 1] > upper))
    assert too_often(int(bad), runs, alpha)
    assert not too_often(ours, runs, alpha)


def test_p_values_are_not_averaged():
    """StatDP: a mean of p-values is no p-value. Two uniform ones can have a mean below alpha twice as often."""
    alpha, rng = 0.05, np.random.default_rng(SEED)
    first = rng.random(20_000)
    second = np.where(first <= 2 * alpha, 2 * alpha - first, first)  # uniform too
    averaged = (first + second) / 2 <= alpha + 1e-12
    assert too_often(int(averaged.sum()), 20_000, alpha)
    ours = [bool(holm(pair, alpha=alpha).rejected.any()) for pair in zip(first[:4000], second[:4000], strict=True)]
    assert not too_often(sum(ours), 4000, alpha)


def test_no_floor_caps_what_can_be_shown():
    """DP-Sniper's c = 0.01 floor on the classifier's probabilities caps every result at ln 100 = 4.605."""

    def tells(bound):
        return bound > 9.0  # the mechanism tells everything, in 10^5 draws

    found = epsilon_lower_from_counts(10**5, 10**5, 0, 10**5, alpha=0.1)
    assert tells(found)
    assert not tells(min(found, math.log(100)))


def mu_of_both_directions_from_one_pair_of_limits(x, y, alpha):
    """jax_privacy #270: the reverse direction read off the forward one's limits."""
    n = x.size
    thresholds = np.quantile(np.concatenate([x, y]), [0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 1.0])
    _, upper = limits(n, alpha / (2 * thresholds.size))
    fpr = upper[[int(np.sum(y > t)) for t in thresholds]]
    fnr = upper[[int(np.sum(x <= t)) for t in thresholds]]
    with np.errstate(invalid="ignore"):
        mu = special.ndtri(1 - np.minimum(fpr, 1 - 1e-9)) - special.ndtri(np.minimum(fnr, 1 - 1e-9))
    return float(np.max(np.abs(mu)))


def test_scores_of_nothing_show_nothing():
    """jax_privacy #270: epsilon 3.5 and 5.9 from scores that know nothing."""
    alpha, rng = 0.05, np.random.default_rng(SEED)
    bad = sum(
        mu_of_both_directions_from_one_pair_of_limits(rng.normal(size=500), rng.normal(size=500), alpha) > 0.0
        for _ in range(50)
    )
    assert too_often(bad, 50, alpha)
    claim = dpv.GDP(mu=0)
    ours = sum(finding(claim, rng.normal(size=500), rng.normal(size=500), alpha, rng).bound > 0.0 for _ in range(50))
    assert not too_often(ours, 50, alpha)


def chosen_event(x, y, rng):
    """The look that shows most, as if it had been fixed: the counts that an estimate must not rest on."""
    goal = Goal(guarantee=dpv.PureDP(epsilon=1.0))
    at = _most(goal, list(rank_looks(Scores.of(x, y, rng=rng), goal, alpha=0.05)))[1]
    return EpsilonPosterior(tp=at.k1, fn=at.n1 - at.k1, fp=at.k2, tn=at.n2 - at.k2)


def half_event(x, y, rng):
    at = median_event(Scores.of(x, y, rng=rng))
    return EpsilonPosterior(tp=at.inside, fn=at.n_in - at.inside, fp=at.outside, tn=at.n_out - at.outside)


def test_an_estimate_from_scores_of_nothing_is_next_to_nothing():
    """The same defect in an estimate: at the threshold that looks best there is always something to see.

    The credible interval of the upper half is read as a confidence interval that misses one time of ten at most.
    """
    rng, runs = np.random.default_rng(SEED), 12  # ten of twelve convict
    samples = [(rng.normal(size=300), rng.normal(size=300)) for _ in range(runs)]
    chosen = [chosen_event(x, y, rng) for x, y in samples]
    missed = sum(at.quantile(0.05) > 0.0 for at in chosen)
    assert too_often(missed, runs, 0.1), missed
    looks_like = [math.log(at.tp / max(at.fp, 0.5)) for at in chosen]  # 300 a side
    assert np.median(looks_like) > 1.0
    missed = sum(half_event(x, y, rng).shortest()[0] > 0.0 for x, y in samples)
    assert not too_often(missed, runs, 0.1), missed
    goal = Goal(guarantee=dpv.PureDP(epsilon=1.0))
    told = [_estimate(goal, median_event(Scores.of(x, y, rng=rng)), bound=0.0) for x, y in samples]
    assert max(told) < 0.7  # six standard errors of the log of a share of 300
    assert np.median(told) < 0.2


def test_the_posterior_of_a_fixed_event_covers_its_epsilon():
    """Laplace noise at epsilon = 1: the upper half of all is at ln(p / (1 - p)), p = 1 - e^(-1/2) / 2."""
    rng, runs, few = np.random.default_rng(SEED), 60, 9
    truth = special.logit(1.0 - 0.5 * math.exp(-0.5))
    events = [half_event(*laplace_pair(rng, 300), rng) for _ in range(runs)]
    missed = sum(not 0.05 <= at.distribution(truth) <= 0.95 for at in events)  # the equal-tailed interval's ends
    assert not too_often(missed, runs, 0.1), missed
    low, high = events[0].interval()
    assert [events[0].distribution(low), events[0].distribution(high)] == pytest.approx([0.05, 0.95], abs=1e-4)
    shortest = [at.shortest() for at in events[:few]]
    assert not too_often(sum(not low <= truth <= high for low, high in shortest), few, 0.1)
    assert max(low for low, _ in shortest) < 1.5


def plug_in(tp, fn, fp, tn):
    """A ratio of observed rates."""
    return math.log((tp / (tp + fn)) / (fp / (fp + tn)))


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_a_perfect_attack_neither_crashes_nor_gives_infinity(size):
    """responsible-ai-toolbox-privacy #7: ValueError at FP = FN = 0; PrivacyGuard #6: infinite epsilon."""
    with pytest.raises(ZeroDivisionError):
        plug_in(size, 0, 0, size)
    assert all(map(math.isfinite, EpsilonPosterior(tp=size, fn=0, fp=0, tn=size).interval()))
    found = dpv.audit_scores([1.0] * size, [0.0] * size, claim="ApproxDP(epsilon=0.1, delta=1e-5)", confidence=0.9)
    assert math.isfinite(found.bound)
    assert found.estimate is None or math.isfinite(found.estimate)
    run = dpv.audit_one_run([1.0, 0.0] * size, [1, 0] * size, claim="PureDP(epsilon=0.1)", confidence=0.9)
    assert math.isfinite(run.bound)


def mu_on_a_grid_of_noise(refuted):
    """PrivacyGuard's f-DP node: the largest noise of a grid from 0.01 to 9.99 that is not refuted; mu = 1 / noise."""
    noises = np.arange(0.01, 10.0, 0.01)
    kept = [noise for noise in noises if not refuted(1 / noise)]
    return 1 / max(kept)


def test_small_violations_are_not_rounded_up_to_a_grid():
    truth, n = 0.05, 10**8
    region = JointRegion(
        k1=round(n * special.ndtr(truth / 2)), n1=n, k2=round(n * special.ndtr(-truth / 2)), n2=n, alpha=0.05
    )

    def sound_and_telling(bound):
        return 0.0 < bound <= truth

    assert sound_and_telling(mu_lower(region))
    assert not sound_and_telling(mu_on_a_grid_of_noise(lambda mu: mu_lower(region) > mu))


def test_no_largest_epsilon_stands_in_for_the_answer():
    """responsible-ai-toolbox-privacy: `max_eps=10` is the search's default end."""
    low, _ = EpsilonPosterior(tp=10**7, fn=0, fp=0, tn=10**7).interval()

    def tells(bound):
        return bound > 12.0

    assert tells(low)
    assert not tells(min(low, 10.0))
    assert tells(epsilon_lower_from_counts(10**7, 10**7, 0, 10**7, alpha=0.05))


def refutes_with_slack(k1, k2, n, claim, slack=0.1):
    """Google's DP library's tests: an estimate may exceed the claim by so much, whatever the number of draws."""
    return math.log(max(k1, 0.5) / max(k2, 0.5)) > claim + slack


def refutes(k1, k2, n, claim, alpha=0.01):
    return epsilon_lower_from_counts(k1, n, k2, n, alpha=alpha) > claim


def test_no_fixed_slack_stands_in_for_a_confidence():
    """With slack a wrong mechanism passes however much is drawn, and a right one fails where little is."""
    claim, n = 1.0, 10**7
    k2 = n // 10
    k1 = round(k2 * math.exp(claim + 0.08))
    assert refutes(k1, k2, n, claim)
    assert not refutes_with_slack(k1, k2, n, claim)
    rng, few, runs = np.random.default_rng(SEED), 100, 300
    counts = list(zip(rng.binomial(few, 0.1 * math.e, runs), rng.binomial(few, 0.1, runs), strict=True))
    assert too_often(sum(refutes_with_slack(a, b, few, claim) for a, b in counts), runs, 0.01)
    assert not too_often(sum(refutes(int(a), int(b), few, claim) for a, b in counts), runs, 0.01)
