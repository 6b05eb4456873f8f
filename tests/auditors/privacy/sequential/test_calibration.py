"""The sequential auditor at exact boundaries, its sabotaged versions, and how soon it sees what is to be seen.

Each calibration fails for a valid auditor with probability below 1e-8 (`tests.calibration.harness`).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event_bounds import value
from auditors.privacy.sequential import power
from auditors.privacy.sequential.auditor import SequentialAuditor
from auditors.privacy.sequential.claim_chain import targets
from auditors.privacy.sequential.events import FIRST
from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.e_mixture import Chain, Settlement
from dpverify.stats.e_power import detectable_hits
from tests.calibration.boundaries import Boundary, Noise, Response, boundaries, one_pair
from tests.calibration.harness import boundary_task, exceedances, refusal, verdict

pytestmark = pytest.mark.ci

AUDITOR = SequentialAuditor()
ALPHA = 0.2
FAST = ("response", "die", "laplace", "gaussian", "gaussian-mu", "sampled-gaussian-steps")


@dataclass(frozen=True, slots=True, kw_only=True)
class SameBlock(SequentialAuditor):
    """Sabotage: bets on the very draws that its event was chosen on: every block draws from the first's streams."""

    name: str = "SameBlock"

    def audit(self, task: Any) -> Any:
        def reused(*names: Any) -> Any:
            return task.stream(*((names[0], 0, *names[2:]) if names[0] == "draw" else names))

        return SequentialAuditor.audit(self, replace(task, stream=reused))


@pytest.mark.parametrize("trials", [100, pytest.param(3000, marks=pytest.mark.slow)])
def test_refutes_what_is_true_no_more_often_than_alpha(trials):
    chosen = [one for one in boundaries() if one.name in FAST]
    assert all(refusal(AUDITOR, one, alpha=ALPHA, trials=1000) is None for one in chosen)
    tallies = [exceedances(AUDITOR, one, alpha=ALPHA, trials=trials, repetitions=25) for one in chosen]
    together = verdict(sum(tally.count for tally in tallies), 25 * len(tallies), ALPHA)
    assert len(chosen) == len(FAST)
    assert not together.fails, "\n".join(tally.text() for tally in [together, *tallies])


def test_an_event_chosen_on_the_draws_that_it_bets_on_is_caught():
    die = next(one for one in boundaries() if one.name == "die")
    tally = exceedances(SameBlock(), die, alpha=ALPHA, trials=200, repetitions=40, settle=True)
    assert tally.fails, tally.text()


def independent_claims(rng, *, claims=12, pairs=400):
    """A chain of claims that all hold with equality, each of which bets on an event of its own: reached or not."""
    p = math.e / (1.0 + math.e)
    weights = np.zeros((claims, claims, 2))
    weights[np.arange(claims), np.arange(claims)] = 0.5
    lines = np.full((claims, claims), math.e), np.zeros((claims, claims))
    bets = Settlement(slopes=lines[0], deltas=lines[1], weights=weights, fractions=np.array([0.5, 0.1]))
    x, y = rng.random((claims, pairs)) < p, rng.random((claims, pairs)) < 1.0 - p
    chain = Chain.start(claims, alpha=ALPHA).settle(bets).update((2 * x + y).astype(np.int8))
    return chain


def test_the_unbroken_run_keeps_alpha_and_the_largest_rejected_claim_does_not():
    rng, runs = np.random.default_rng(20260604), 200
    chains = [independent_claims(rng) for _ in range(runs)]
    assert not verdict(sum(chain.run() > 0 for chain in chains), runs, ALPHA).fails
    assert verdict(sum(bool((chain.reached >= 0).any()) for chain in chains), runs, ALPHA).fails


def test_the_average_wealth_keeps_alpha_and_the_largest_does_not():
    """Twelve independent events, all at the boundary: their average against the best of them."""
    rng, runs = np.random.default_rng(20260605), 200
    chains = [independent_claims(rng) for _ in range(runs)]
    assert not verdict(sum(chain.wealth.mean() >= 1 / ALPHA for chain in chains), runs, ALPHA).fails
    assert verdict(sum(chain.peak.max() >= 1 / ALPHA for chain in chains), runs, ALPHA).fails


def violation(name, subject, guarantee=None, pair=(0, 1)):
    space = SearchSpace(size=2) if isinstance(subject, Response) else SearchSpace()
    neighbors = one_pair(*pair, "value" if isinstance(subject, Response) else "one-query")
    guarantee = guarantee or PureDP(epsilon=1.0)
    return Boundary(name=name, subject=subject, guarantee=guarantee, neighbors=neighbors, space=space)


# A known event needs 820, 113, 30 and 1116 (field.md 7.9, medians); measured here, with learning: 552, 151, 65, 1498.
# For 1.25 the bar is 2500 (section 8); measured 350 or so.
@pytest.mark.parametrize(
    ("name", "subject", "pair", "most"),
    [
        ("response-1.25", Response(epsilon=1.25), (0, 1), 2500),
        ("response-1.2", Response(epsilon=1.2), (0, 1), 2 * 820),
        ("response-1.5", Response(epsilon=1.5), (0, 1), 2 * 113 + FIRST),
        ("response-2", Response(epsilon=2.0), (0, 1), 2 * 30 + 2 * FIRST),
        ("laplace-0.8", Noise(scale=0.8), ([0.0], [1.0]), 2 * 1116 + FIRST),
    ],
)
def test_violations_are_seen_within_twice_what_a_known_event_needs(name, subject, pair, most):
    """Half of 40 audits within `most` pairs, learning included. A single one is later with probability below 0.15
    (measured over 60: at most 0.08): more than 20 of 40 have probability below 1e-7 each at 0.15, 1e-12 at 0.08."""
    boundary = violation(name, subject, pair=pair)
    late = 0
    for repetition in range(40):
        evidence = AUDITOR.audit(boundary_task(AUDITOR, boundary, alpha=0.05, trials=20_000, repetition=repetition))
        reached = evidence.statistics["pairs_bet_when_refuted"]
        late += reached is None or reached + FIRST > most
    assert late <= 20


@pytest.mark.slow
def test_what_it_calls_detectable_it_detects():
    """At the smallest detectable epsilon four in five audits refute: fewer than 12 of 40 have probability 1e-12."""
    claim, trials = violation("quiet", Response(epsilon=1.0)), 3000
    detectable = AUDITOR.audit(boundary_task(AUDITOR, claim, alpha=1e-3, trials=trials)).detectable
    loud = violation("loud", Response(epsilon=detectable))
    tasks = [boundary_task(AUDITOR, loud, alpha=1e-3, trials=trials, repetition=r) for r in range(40)]
    found = sum(judge(AUDITOR.audit(task)) is Status.REFUTED for task in tasks)
    assert found >= 12
    assert stats.binom.cdf(11, 40, 0.8) < 1e-11


class Pairs:
    """25 pairs of neighbours, of which a subject may treat each in its own way."""

    relation = "value"

    def check(self, d0, d1):
        return None

    def candidates(self, space, *, limit, rng):
        return [Pair(d0=[place, 1], d1=[place, 0]) for place in range(min(limit, 25))]


@dataclass(frozen=True, kw_only=True)
class OfPair:
    """Randomised response of the second value."""

    epsilon: float

    def sample(self, dataset, size, *, rng):
        truth = rng.random(size) < math.exp(self.epsilon) / (1.0 + math.exp(self.epsilon))
        return (truth == (dataset[1] == 1)).astype(int)


def of_many(epsilon, *, trials, repetition=0):
    boundary = replace(violation("many", OfPair(epsilon=epsilon)), neighbors=Pairs())
    return AUDITOR.audit(boundary_task(AUDITOR, boundary, alpha=1e-3, trials=trials, repetition=repetition))


def test_of_many_pairs_only_the_leading_ones_draws_make_the_smallest_detectable_violation(monkeypatch):
    """Computed again from the record; the draws of all 25 would promise more."""
    evidence = of_many(1.0, trials=20_000)
    s, claimed = evidence.statistics, targets(PureDP(epsilon=1.0), most=5.0)[0].claimed_lines()
    assert s["contenders"] == 25
    leader = evidence.witness["d0"][0]
    own = sum(block["pairs"] for block in s["blocks"] if leader in {slot["contender"] for slot in block["slots"]})
    assert own < s["pairs"] * 0.7
    slots, q = max(len(block["slots"]) for block in s["blocks"]), s["detectable_in_rate"]
    assert slots > 8

    def hits(pairs, share):
        p = detectable_hits(q, pairs, *claimed, alpha=1e-3 / share, power=0.8)
        return float(value(PureDP(epsilon=1.0).measures()[0], np.array(p), np.array(q)))

    assert hits(own // 2, slots) > hits(own // 2, 1) > hits(s["pairs"] // 2, 1)
    assert evidence.detectable > hits(own // 2, slots), "the pair that leaks may be given up, too"
    monkeypatch.setattr(power, "SURVIVES", 0.0)  # the bets alone
    assert of_many(1.0, trials=20_000).detectable == hits(own // 2, slots)


def test_the_witness_is_the_pair_that_most_was_bet_on_while_many_are_in_the_running():
    evidence = of_many(3.0, trials=20_000)
    slots = evidence.statistics["blocks"][-1]["slots"]
    shares = {slot["contender"]: sum(slot["weights"]) for slot in slots}
    assert evidence.statistics["stop"] == "refuted"
    assert len(shares) > 4
    assert evidence.witness["d0"][0] == max(shares, key=shares.get) != slots[-1]["contender"]


@pytest.mark.slow
def test_of_many_pairs_what_it_calls_detectable_in_each_of_them_it_detects():
    """As above: fewer than 12 of 40 have probability 1e-12 at four in five."""
    detectable = of_many(1.0, trials=20_000).detectable
    found = sum(judge(of_many(detectable, trials=20_000, repetition=r)) is Status.REFUTED for r in range(40))
    assert found >= 12
