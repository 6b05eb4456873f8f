"""The Renyi auditor end to end: what it finds, how much more than one event, and what it refuses.

False alarms: every "must not refute" audit below runs at alpha = 1e-10.
"""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.renyi.auditor import RenyiAuditor
from auditors.privacy.renyi.plan import SHARES, aims, ceiling, scaled_ratios
from dpverify.core.auditing import Auditor, NeedsTrials
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError, InputError
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.gdp import GDP
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.stats.epsilon import binary_renyi, renyi_lower
from dpverify.stats.joint import JointRegion
from dpverify.stats.variational import Variational

SAFE = 1e-10


@pytest.fixture
def renyi(event_task):
    """``renyi(subject, guarantee, neighbors, **options)``: the evidence on such a task."""
    return lambda *given, **options: RenyiAuditor().audit(event_task(*given, **options))


@pytest.mark.parametrize(
    ("guarantee", "kind"),
    [
        (RDP(orders=(2, 8), epsilons=(1, 4)), "normal"),
        (ZCDP(rho=0.5), "normal"),
        (GDP(mu=1.0), "normal"),
        (PureDP(epsilon=1.0), "laplace"),
    ],
    ids=lambda item: getattr(item, "text", lambda: item)(),
)
def test_stands_at_the_boundary_and_falls_with_less_noise(renyi, noise, pair, guarantee, kind):
    neighbors = pair([0.0], [1.0])
    safe = renyi(noise(kind=kind), guarantee, neighbors, trials=50_000, alpha=SAFE)
    assert judge(safe) is Status.NOT_REFUTED
    seen = safe.statistics["seen_through_bins"]["detectable"]
    assert 0.7 * safe.measure.claimed < safe.bound <= safe.measure.claimed < seen < safe.ceiling
    assert seen < safe.detectable, "bins do not see all of the subject's own divergence"
    broken = renyi(noise(kind=kind, power=0.75), guarantee, neighbors, trials=50_000)
    assert judge(broken) is Status.REFUTED
    assert broken.bound > broken.measure.claimed


def test_sees_more_than_the_best_event_where_the_whole_distribution_matters(renyi, noise, pair, event_task):
    """Gaussian and Laplace noise at order 2: the true divergence, its binary part, and both auditors' bounds."""
    neighbors, trials = pair([0.0], [1.0]), 200_000
    laplace = math.log(2 / 3 * math.e + 1 / 3 * math.exp(-2))
    for kind, truth, most, more in (("normal", 1.0, 0.662, 1.4), ("laplace", laplace, 0.575, 1.04)):
        claim = RDP(order=2, epsilon=truth * (1 + 1e-12))
        whole = renyi(noise(kind=kind), claim, neighbors, trials=trials, alpha=SAFE)
        event = EventAuditor().audit(event_task(noise(kind=kind), claim, neighbors, trials=trials, alpha=SAFE))
        assert event.bound < most
        assert max(0.85 * truth, more * event.bound) < whole.bound < truth


def test_catches_what_no_event_of_the_claims_region_shows(renyi, noise, pair, event_task):
    """90 % of the noise: the divergence is 1.23 times the claimed one, every event stays inside the claim's region."""
    claim, neighbors, subject = RDP(order=2, epsilon=1.0), pair([0.0], [1.0]), noise(kind="normal", power=0.9)
    assert judge(renyi(subject, claim, neighbors, trials=200_000)) is Status.REFUTED
    event = EventAuditor().audit(event_task(subject, claim, neighbors, trials=200_000, alpha=SAFE))
    assert judge(event) is Status.NOT_REFUTED


def test_the_bound_can_be_computed_again(renyi, noise, pair):
    evidence = renyi(noise(kind="normal"), RDP(order=2, epsilon=0.5), pair([0.0], [1.0]))
    s = evidence.statistics
    assert s["test"]["kind"] == "function"
    bets = s["test"]["bets"]
    test = Variational(
        order=s["order"], scores=np.array(s["test"]["scores"]), bet_p=bets["p"], bet_q=bets["q"],
        bet_above=bets["above"], bet_below=bets["below"],
    )  # fmt: skip
    sides = s["direction"].split(" against ")
    counts = [np.array(s["counts"][side]) for side in sides]
    assert all(side.sum() == evidence.trials for side in counts)
    assert test.lower(*counts, alpha=s["alpha"]) == s["divergence"] == evidence.bound
    assert evidence.excess == evidence.bound - 0.5


def test_the_direction_that_diverges_is_found(renyi, function, pair):
    """P puts 1e-3 where Q puts 2 %: at order 2 D(Q || P) is 0.32 and D(P || Q) 0.02, whichever way round they come."""
    rates = {0.0: 0.001, 1.0: 0.02}

    def subject(d, size, rng):
        return (rng.random(size) < rates[float(d[0])]).astype(int)

    for d0, d1, direction in (([0.0], [1.0], "d1 against d0"), ([1.0], [0.0], "d0 against d1")):
        evidence = renyi(function(subject), RDP(order=2, epsilon=0.1), pair(d0, d1), trials=50_000)
        assert judge(evidence) is Status.REFUTED
        assert evidence.bound < 0.325
        assert evidence.witness["direction"] == direction or evidence.statistics["test"]["kind"] == "event"


def test_counted_alphabets_vectors_and_searched_pairs(renyi, response, noise):
    evidence = renyi(response(epsilon=2.0, size=5), PureDP(epsilon=1.0), Value(), space=SearchSpace(size=5), effort=0.3)
    assert judge(evidence) is Status.REFUTED
    assert 1.5 < evidence.bound < 2.0
    space = SearchSpace(size=4, low=0.0, high=1.0)
    evidence = renyi(
        noise(kind="normal", scale=2.0), RDP(order=2, epsilon=0.5), AllQueries(), space=space, trials=12_000, effort=0.3
    )
    assert judge(evidence) is Status.REFUTED, "the truth is 1: four answers, each moved by half a deviation"
    assert AllQueries().check(evidence.witness["d0"], evidence.witness["d1"]) is None
    assert evidence.statistics["pairs_screened"] > 5


def test_equal_sides_show_nothing(renyi, function, noise, pair):
    constant = function(lambda d, size, rng: np.zeros(size))
    for subject in (noise(), constant):
        evidence = renyi(subject, RDP(order=2, epsilon=0.1), pair([0.5], [0.5]), alpha=SAFE)
        assert judge(evidence) is Status.NOT_REFUTED
        assert evidence.bound < 0.01


def test_same_seed_same_evidence(renyi, noise, pair):
    first, again, other = (
        renyi(noise(kind="normal"), RDP(order=2, epsilon=1.0), pair([0.0], [1.0]), seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.statistics["counts"] != other.statistics["counts"]


def test_streams_of_certification_are_its_own(noise, pair, event_task):
    names: list = []
    RenyiAuditor().audit(event_task(noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), names=names))
    assert len(set(names)) == len(names)
    assert sum(name[0] == "certify" for name in names) >= 2


def test_functions_are_cut_and_shrunk_ratios():
    ratios = np.linspace(-2, 3, 30)
    found = scaled_ratios(ratios)
    assert found.shape[1] == 30
    assert np.all(found.max(axis=1) <= 3.0)
    assert any(np.array_equal(row, ratios) for row in found)


def test_refuses_what_it_cannot_examine(noise, pair, event_task, renyi):
    auditor, neighbors = RenyiAuditor(), pair([0.0], [1.0])
    assert isinstance(auditor, Auditor)
    assert isinstance(auditor, NeedsTrials)
    assert auditor.by_request
    assert auditor.refuses(event_task(noise(), RDP(order=2, epsilon=1), neighbors)) is None
    assert "no privacy guarantee" in auditor.refuses(event_task(noise(), SensitivityBound(bound=1.0), neighbors))
    assert "no Renyi divergence" in auditor.refuses(event_task(noise(), ApproxDP(epsilon=1, delta=0.1), neighbors))
    assert "neither sampled" in auditor.refuses(event_task(object(), RDP(order=2, epsilon=1), neighbors))
    with pytest.raises(AuditError, match="no two different neighbours"):
        renyi(noise(), RDP(order=2, epsilon=1), OneQuery(), space=SearchSpace(low=1.0, high=1.0))
    with pytest.raises(AuditError, match="bounds no Renyi"):
        renyi(noise(), ApproxDP(epsilon=1, delta=0.1), neighbors)
    with pytest.raises(InputError, match="NaN"):
        renyi(
            type("Broken", (), {"sample": lambda self, d, size, rng: np.full(size, np.nan)})(), ZCDP(rho=1), neighbors
        )


def test_too_few_trials_for_any_verdict_says_how_many_would_do(renyi, function, pair, noise):
    claim, neighbors = RDP(order=2, epsilon=9.0), pair([0.0], [1.0])
    with pytest.raises(InputError, match=r"cannot refute RDP\(order=2, epsilon=9\).*at least (\d+) trials") as caught:
        renyi(noise(), claim, neighbors, trials=1000)
    enough = int(str(caught.value).split("at least ")[1].split()[0])
    always = function(lambda d, size, rng: np.full(size, d[0]))
    assert judge(renyi(always, claim, neighbors, trials=2 * enough)) is Status.REFUTED
    with pytest.raises(InputError, match="nothing: even"):
        renyi(noise(), RDP(order=2, epsilon=100), neighbors)


@pytest.mark.slow
@pytest.mark.parametrize("order", [2.0, 8.0])
def test_what_it_calls_detectable_through_its_bins_it_detects(renyi, function, pair, order):
    """Of two outcomes the bins see all. A power of 80 % fails with probability 1e-9, one of half passes with 1e-3."""
    q, trials, audits = 0.27, 20_000, 200

    def divergence(p):
        return max(float(binary_renyi(np.array(a), np.array(b), order)) for a, b in ((p, q), (q, p)))

    def coin(p):
        return function(lambda d, size, rng: (rng.random(size) < (p if d[0] else q)).astype(int))

    claim, neighbors = RDP(order=order, epsilon=divergence(0.5)), pair([1.0], [0.0])
    told = renyi(coin(0.5), claim, neighbors, trials=trials).statistics["seen_through_bins"]["detectable"]
    subject = coin(brentq(lambda p: divergence(p) - told, 0.5, 0.9))
    found = sum(
        judge(renyi(subject, claim, neighbors, trials=trials, seed=seed)) is Status.REFUTED for seed in range(audits)
    )
    least = stats.binom.ppf(1e-9, audits, 0.8)
    assert stats.binom.sf(least - 1, audits, 0.5) < 1e-3
    assert found >= least


def test_the_ceiling_is_that_of_the_best_share():
    """What every share of a plan may certify from perfect counts, each by itself."""
    for order, trials, alpha in product((1.25, 2.0, 8.0, 32.0), (50, 200, 5000), (1e-6, 0.05)):
        aim = aims(RDP(order=order, epsilon=1.0))[0]
        each = [
            max(renyi_lower(JointRegion(k1=trials, n1=trials, k2=0, n2=trials, alpha=alpha, share=s), order=order))
            for s in SHARES
        ]
        assert ceiling(aim, trials, alpha=alpha) == max(each)


def test_registers():
    from auditors.privacy.renyi import auditor as renyi

    registry = Registry()
    renyi.register(registry)
    assert registry.auditors.get("renyi").statistical
