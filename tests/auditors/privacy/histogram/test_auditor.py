"""Bins and the histogram auditor: known bins, known sets, bounds that can be computed again, and refusals.

False alarms: every "must not refute" audit below runs at alpha = 1e-10.
"""

import math

import numpy as np
import pytest

from auditors.privacy.event.scores import Coordinate
from auditors.privacy.event_bounds import Goal
from auditors.privacy.histogram.auditor import HistogramAuditor
from auditors.privacy.histogram.events import Bins, choose, choose_bins, rates, thresholds
from dpverify.core.auditing import Auditor, NeedsTrials
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError, InputError
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import LevelCurve
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP
from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import JointRegion
from tests.auditors.privacy.samples import sample

SAFE = 1e-10


@pytest.fixture
def histogram(event_task):
    """``histogram(subject, guarantee, neighbors, **options)``: the evidence on such a task."""
    return lambda *given, **options: HistogramAuditor().audit(event_task(*given, **options))


def bins_of(ratios, edges):
    return Bins(score=Coordinate(), edges=np.asarray(edges, dtype=float), ratios=np.asarray(ratios, dtype=float))


# Bins


def test_counts_are_those_of_the_cells():
    bins = bins_of([0.0, 1.0, -1.0], [0.0, 2.0])
    assert bins.counts(sample([-1.0, 0.0, 1.9, 2.0, 5.0])).tolist() == [1, 2, 2]
    weighted = sample(np.arange(4), np.array([10, 20, 30, 40]))
    assert bins.counts(weighted).tolist() == [0, 30, 70]


def test_scalars_are_cut_at_quantiles_and_carry_their_ratio():
    rng = np.random.default_rng(1)
    first, second = sample(rng.normal(size=40_000)), sample(rng.normal(loc=1.0, size=40_000))
    (bins,) = choose_bins((first, second))
    assert 60 <= bins.ratios.size <= 90
    assert np.all(np.diff(bins.edges) > 0)
    middle = (bins.edges[1:] + bins.edges[:-1]) / 2
    inner = np.abs(middle - 0.5) < 1.5
    np.testing.assert_allclose(bins.ratios[1:-1][inner], (0.5 - middle)[inner], atol=0.35)


def test_values_that_come_often_have_a_bin_of_their_own():
    (bins,) = choose_bins((sample([0.0, 1.0, 2.0] * 200), sample([0.0] * 100 + [1.0, 2.0] * 250)))
    places = bins.numbers(np.array([0.0, 1.0, 2.0]))
    assert len(set(places.tolist())) == 3


def test_vectors_are_cut_along_several_scores():
    rng = np.random.default_rng(2)
    shift = np.array([0.5, 0.0, -0.5])
    sides = sample(rng.normal(size=(4000, 3))), sample(rng.normal(size=(4000, 3)) + shift)
    found = choose_bins(sides)
    assert len(found) >= 4
    gaps = [
        abs(np.corrcoef(bins.ratios[bins.numbers(sides[0].values)], sides[0].values @ shift)[0, 1]) for bins in found
    ]
    assert max(gaps) > 0.9, "one of them follows the likelihood ratio"


# Events


def test_thresholds_are_the_tangents_and_the_event_is_the_set_of_telling_bins():
    """Four bins by hand: at delta = 0.15 the first bin gives ln(0.35 / 0.2), the most of all sets either way."""
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.2, 0.3, 0.3, 0.2])
    bins = bins_of(np.log(p / q), [1.0, 2.0, 3.0])
    counts = np.rint(np.stack([p, q]) * 10_000).astype(np.int64)
    levels = thresholds(bins)
    np.testing.assert_allclose(levels, np.sort(np.log(p / q))[:-1])
    np.testing.assert_allclose(rates(bins, counts, levels), [[0.95, 0.8, 0.5], [0.8, 0.5, 0.2]], atol=1e-12)
    goal = Goal(guarantee=ApproxDP(epsilon=0.5, delta=0.15))
    chosen = choose(goal, bins, counts, trials=100_000, alpha=0.01).plan
    assert chosen.direction == 0
    assert chosen.inside.tolist() == [True, False, False, False]
    pure = choose(Goal(guarantee=PureDP(epsilon=0.1)), bins, counts, trials=100_000, alpha=0.01).plan
    assert pure.direction == 1, "q/p reaches 4 in the last bin, p/q only 2.5 in the first"
    assert pure.inside.tolist() == [False, False, False, True]
    assert pure.region(counts, alpha=0.01).k1 == 2000


def test_equal_bins_promise_nothing():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    assert choose(goal, bins_of([0.0, 0.0], [1.0]), np.array([[5, 5], [5, 5]]), trials=100, alpha=0.1) is None
    assert choose(goal, bins_of([0.0, 0.1], [1.0]), np.array([[50, 50], [50, 50]]), trials=100, alpha=0.1) is None


# The auditor


@pytest.mark.parametrize(
    ("guarantee", "kind"),
    [
        (PureDP(epsilon=1.0), "laplace"),
        (GDP(mu=1.0), "normal"),
        (RDP(order=2, epsilon=1.0), "normal"),
        (ApproxDP(epsilon=0.5, delta=float(GDP(mu=1.0).delta(0.5))), "normal"),
    ],
    ids=lambda item: getattr(item, "text", lambda: item)(),
)
def test_stands_at_the_boundary_and_falls_with_less_noise(histogram, noise, pair, guarantee, kind):
    neighbors = pair([0.0], [1.0])
    safe = histogram(noise(kind=kind), guarantee, neighbors, trials=50_000, alpha=SAFE)
    assert judge(safe) is Status.NOT_REFUTED
    assert 0 < safe.bound <= safe.measure.claimed < safe.detectable < safe.ceiling
    broken = histogram(noise(kind=kind, power=0.6), guarantee, neighbors, trials=50_000)
    assert judge(broken) is Status.REFUTED
    assert broken.bound > broken.measure.claimed


def test_the_bound_can_be_computed_again(histogram, response):
    evidence = histogram(response(epsilon=2.0, size=5), PureDP(epsilon=1.0), Value(), space=SearchSpace(size=5))
    assert judge(evidence) is Status.REFUTED
    s = evidence.statistics
    region = JointRegion(k1=s["k1"], n1=s["n1"], k2=s["k2"], n2=s["n2"], alpha=s["alpha"], share=s["region"]["share"])
    assert evidence.bound == epsilon_lower(region)
    assert 1.5 < evidence.bound < 2.0
    assert s["event"]["kind"] == "bins"


def test_finds_supports_that_do_not_overlap(histogram, function, pair):
    """A comb: d0 gives even places, d1 odd ones, on top of noise that no half-line tells apart."""
    subject = function(lambda d, size, rng: 2 * rng.integers(0, 20, size=size) + d[0])
    evidence = histogram(subject, PureDP(epsilon=3.0), pair([0.0], [1.0]))
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound > 6


def test_level_curves_are_refuted_off_the_stated_pair(histogram, noise, pair):
    """Laplace noise of the standard deviation that a Gaussian calibration chose."""
    claim = LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)
    subject = noise(scale=1 / claim.curve.mu / math.sqrt(2))
    evidence = histogram(subject, claim, pair([0.0], [1.0]))
    assert judge(evidence) is Status.REFUTED
    stated = histogram(subject, ApproxDP(epsilon=1, delta=1e-5), pair([0.0], [1.0]), alpha=SAFE)
    assert judge(stated) is Status.NOT_REFUTED


def test_pairs_and_parameters_are_searched(histogram, noise, pair):
    def build(power=1.0):
        return noise(power=power, scale=3.0)

    space = SearchSpace(size=3, low=0.0, high=1.0, parameters={"power": (0.25, 1.0)})
    evidence = histogram(build, PureDP(epsilon=1.0), AllQueries(), space=space, trials=60_000)
    assert judge(evidence) is Status.REFUTED
    assert evidence.witness["parameters"] == {"power": 0.25}
    assert AllQueries().check(evidence.witness["d0"], evidence.witness["d1"]) is None


def test_equal_sides_show_nothing(histogram, function, noise, pair):
    constant = function(lambda d, size, rng: np.zeros((size, 2)))
    for subject in (noise(), constant):
        evidence = histogram(subject, PureDP(epsilon=1.0), pair([0.5], [0.5]), alpha=SAFE)
        assert judge(evidence) is Status.NOT_REFUTED


def test_same_seed_same_evidence_and_no_stream_is_read_twice(histogram, noise, pair, event_task):
    first, again = (histogram(noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), seed=1) for _ in range(2))
    assert first == again
    names: list = []
    HistogramAuditor().audit(event_task(noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), names=names))
    assert len(set(names)) == len(names)


def test_refuses_what_it_cannot_examine(noise, pair, event_task, histogram):
    auditor, neighbors = HistogramAuditor(), pair([0.0], [1.0])
    assert isinstance(auditor, Auditor)
    assert isinstance(auditor, NeedsTrials)
    assert auditor.by_request
    assert auditor.refuses(event_task(noise(), PureDP(epsilon=1.0), neighbors)) is None
    assert "no privacy guarantee" in auditor.refuses(event_task(noise(), SensitivityBound(bound=1.0), neighbors))
    assert "neither sampled" in auditor.refuses(event_task(object(), PureDP(epsilon=1.0), neighbors))
    with pytest.raises(AuditError, match="no two different neighbours"):
        histogram(noise(), PureDP(epsilon=1.0), OneQuery(), space=SearchSpace(low=1.0, high=1.0))
    with pytest.raises(InputError, match=r"cannot refute PureDP\(epsilon=8\)"):
        histogram(noise(), PureDP(epsilon=8.0), neighbors, trials=5000)
    assert auditor.lacks(event_task(noise(), PureDP(epsilon=8.0), neighbors, trials=5000)) > 5000


def test_registers():
    from auditors.privacy.histogram import auditor as histogram

    registry = Registry()
    histogram.register(registry)
    assert registry.auditors.get("histogram").statistical
