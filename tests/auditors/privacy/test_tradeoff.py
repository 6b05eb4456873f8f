"""The trade-off auditor: several points that hold together, the right direction, the labelled mu, and the picture.

False alarms: every "must not refute" audit below runs at alpha = 1e-10.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event_bounds import Goal, measure_lower
from auditors.privacy.tradeoff import BEST, TradeoffAuditor, fitted_mu
from dpverify.core.auditing import Auditor, NeedsTrials
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.pure_dp import PureDP
from dpverify.stats.joint import JointRegion

SAFE = 1e-10


@pytest.fixture
def tradeoff(event_task):
    """``tradeoff(subject, guarantee, neighbors, **options)``: the evidence on such a task."""
    return lambda *given, **options: TradeoffAuditor().audit(event_task(*given, **options))


def test_gaussian_noise_stands_at_its_mu_and_falls_above(tradeoff, noise, pair):
    neighbors = pair([0.0], [1.0])
    safe = tradeoff(noise(kind="normal"), GDP(mu=1.0), neighbors, trials=100_000, alpha=SAFE)
    assert judge(safe) is Status.NOT_REFUTED
    assert 0.93 < safe.bound <= 1.0 < safe.detectable < safe.ceiling
    assert safe.excess < 0
    broken = tradeoff(noise(kind="normal", power=0.9), GDP(mu=1.0), neighbors, trials=100_000)
    assert judge(broken) is Status.REFUTED
    assert 1.0 < broken.bound < 1 / 0.9


def test_every_point_can_be_computed_again_and_alpha_is_spent_once(tradeoff, noise, pair):
    evidence = tradeoff(noise(kind="normal"), GDP(mu=0.5), pair([0.0], [1.0]))
    s = evidence.statistics
    points, goal = s["points"], Goal(guarantee=GDP(mu=0.5))
    assert 5 < len(points) <= 18
    assert sum(point["alpha"] for point in points) <= s["alpha"] * (1 + 1e-12)
    assert points[0]["alpha"] == BEST * s["alpha"]
    decisive = points[s["decisive"]]
    region = JointRegion(
        k1=decisive["k1"], n1=s["n1"], k2=decisive["k2"], n2=s["n2"], alpha=decisive["alpha"], share=decisive["share"]
    )
    assert judge(evidence) is Status.REFUTED
    finding = goal.finding(region, decisive["direction"])
    assert (evidence.bound, evidence.excess) == (finding.bound, finding.excess)
    assert evidence.bound == measure_lower(region, goal.headline)


def test_the_picture_holds_the_whole_curve_with_its_upper_limits(tradeoff, noise, pair):
    evidence = tradeoff(noise(kind="normal"), GDP(mu=1.0), pair([1.0], [0.0]), trials=100_000, alpha=SAFE)
    measured = {name: np.array(values) for name, values in evidence.picture["measured"].items()}
    assert np.all(np.diff(measured["alpha"]) >= 0)
    truth = stats.norm.cdf(-stats.norm.ppf(np.clip(measured["alpha"], 1e-12, 1 - 1e-12)) - 1)
    np.testing.assert_allclose(measured["beta"], truth, atol=0.02)
    at_limit = stats.norm.cdf(-stats.norm.ppf(np.clip(measured["alpha_high"], 1e-12, 1 - 1e-12)) - 1)
    assert np.all(measured["beta_high"] >= at_limit), "the true curve runs below all limits at once"
    assert evidence.picture["claimed"]["alpha"][0] == 0


def test_the_fitted_mu_is_close_and_labelled(tradeoff, noise, pair):
    evidence = tradeoff(noise(kind="normal", scale=2.0), GDP(mu=1.0), pair([0.0], [1.0]), trials=200_000, alpha=SAFE)
    assert evidence.statistics["mu"]["estimate"] == pytest.approx(0.5, abs=0.03)
    assert "no bound" in evidence.statistics["mu"]["label"]


def test_fitted_mu_by_hand():
    n = 10**6
    regions = [
        JointRegion(k1=round(n * stats.norm.sf(t - 0.8)), n1=n, k2=round(n * stats.norm.sf(t)), n2=n, alpha=0.05)
        for t in (-1.0, 0.0, 1.0, 2.0)
    ]
    assert fitted_mu(regions) == pytest.approx(0.8, abs=1e-4)
    assert fitted_mu([JointRegion(k1=10, n1=100, k2=60, n2=100, alpha=0.05)]) == 0.0


def test_asymmetric_curves_are_held_to_the_right_direction(tradeoff, pair):
    curve = Tradeoff(alphas=(0, 0.1, 1), betas=(1, 0.7, 0))

    @dataclass(frozen=True)
    class Coin:
        rates: tuple = (0.3, 0.1)

        def counts(self, dataset, size, *, rng):
            heads = rng.binomial(size, self.rates[int(dataset)])
            return np.array([size - heads, heads])

    neighbors = pair(0, 1, relation="value")
    assert judge(tradeoff(Coin(), curve, neighbors, alpha=SAFE)) is Status.NOT_REFUTED
    assert judge(tradeoff(Coin(rates=(0.1, 0.3)), curve, neighbors)) is Status.REFUTED
    assert judge(tradeoff(Coin(rates=(0.36, 0.1)), curve, neighbors)) is Status.REFUTED


def test_events_of_the_other_direction_are_drawn_the_right_way_round(tradeoff, function, pair):
    """Heads: 0.1 on d0, 0.3 on d1, most telling under d1; from d0 to d1 the corner of the curve is (0.7, 0.1)."""
    rates = {0.0: 0.1, 1.0: 0.3}
    subject = function(lambda d, size, rng: (rng.random(size) < rates[float(d[0])]).astype(int))
    evidence = tradeoff(subject, PureDP(epsilon=0.5), pair([0.0], [1.0]))
    assert evidence.witness["direction"] == "d1 against d0"
    measured, box = evidence.picture["measured"], evidence.picture["rectangle"]
    for alpha, beta in zip(measured["alpha"], measured["beta"], strict=True):
        assert (alpha, beta) == pytest.approx((0.7, 0.1), abs=0.03)
    assert box["fpr_low"] < 0.7 < box["fpr_high"]
    assert box["fnr_low"] < 0.1 < box["fnr_high"]
    assert evidence.picture["point"]["fpr"] == pytest.approx(0.7, abs=0.03)


def test_a_dent_anywhere_on_the_curve_is_found(tradeoff, function, pair):
    """Gaussian but for 0.4 % of the outputs, which tell d0 from d1: far from where mu itself is measured best."""

    def subject(d, size, rng):
        outputs = d[0] + rng.normal(size=size)
        return np.where(rng.random(size) < 0.004, 1000.0 + 1000.0 * d[0], outputs)

    claim = GDP(mu=1.05)
    evidence = tradeoff(function(subject), claim, pair([0.0], [1.0]), trials=100_000)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound > evidence.measure.claimed


def test_any_guarantee_and_counted_alphabets(tradeoff, response):
    evidence = tradeoff(response(epsilon=2.0, size=5), PureDP(epsilon=1.0), Value(), space=SearchSpace(size=5))
    assert judge(evidence) is Status.REFUTED
    assert 1.5 < evidence.bound < 2.0


def test_equal_sides_show_nothing(tradeoff, function, noise, pair):
    constant = function(lambda d, size, rng: np.zeros(size))
    for subject in (noise(), constant):
        evidence = tradeoff(subject, GDP(mu=0.3), pair([0.5], [0.5]), alpha=SAFE)
        assert judge(evidence) is Status.NOT_REFUTED
        assert evidence.bound < 0.1


def test_refuses_and_registers(noise, pair, event_task, tradeoff):
    auditor, neighbors = TradeoffAuditor(), pair([0.0], [1.0])
    assert isinstance(auditor, Auditor)
    assert isinstance(auditor, NeedsTrials)
    assert auditor.by_request
    assert auditor.refuses(event_task(noise(), GDP(mu=1.0), neighbors)) is None
    assert "neither sampled" in auditor.refuses(event_task(object(), GDP(mu=1.0), neighbors))
    with pytest.raises(InputError, match=r"cannot refute PureDP\(epsilon=8\)"):
        tradeoff(noise(), PureDP(epsilon=8.0), neighbors, trials=5000)
    assert auditor.lacks(event_task(noise(), PureDP(epsilon=8.0), neighbors, trials=5000)) > 5000
    from auditors.privacy import tradeoff as module

    registry = Registry()
    module.register(registry)
    assert registry.auditors.get("tradeoff").statistical
    assert math.isfinite(BEST)
