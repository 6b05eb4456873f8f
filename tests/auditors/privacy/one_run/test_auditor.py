"""The one-run auditor: claims of every kind, its ceiling, exact calibration, sabotage."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.one_run.auditor import OneRunAuditor
from auditors.privacy.one_run.bounds import OneRunGoal, Run, _symmetric
from auditors.privacy.one_run.guesses import default_rules
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.runner.plan import task_streams
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
    included = rng.integers(0, 2, 300)
    broken = evidence(included, included, guarantee, alpha=0.01)
    assert broken.excess > 0
    assert broken.bound > broken.measure.claimed
    blind = evidence(rng.normal(size=300), included, guarantee, alpha=1e-9)  # false alarm 1e-9 each
    assert blind.excess <= 0
    assert broken.bound <= broken.ceiling * (1 + 1e-9)


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


@pytest.mark.ci
def test_refutes_what_is_true_no_more_often_than_alpha():
    tally = refutations(250, fair=True)
    assert not tally.fails, tally.text()
    assert tally.count > 0  # the claim is attained: it comes near


def test_coins_that_are_not_fair_void_it():
    """The assumption matters, and the same check sees it (counts of coins alone would pass here)."""
    tally = refutations(120, fair=False)
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


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.0), ApproxDP(epsilon=0.5, delta=1e-3), ZCDP(rho=0.5)])
def test_one_canary_decides_nothing(guarantee):
    for right in (0.0, 1.0):
        assert evidence([right], [1], guarantee, alpha=1e-3).excess <= 0
