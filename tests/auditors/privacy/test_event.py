"""The event auditor end to end, on stand-in subjects: calibration at exact boundaries, power, and what it records.

False alarms: every "must not refute" audit below runs at alpha = 1e-10; the pooled calibration states its own tail.
"""

import json
import math
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.event import EventAuditor
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.protocols import Auditor, Task
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.queries import AllQueries
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.definitions.sensitivity import SensitivityBound
from dpverify.definitions.tradeoff import Tradeoff
from dpverify.definitions.zcdp import ZCDP
from dpverify.sampling.streams import stream
from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import JointRegion

SAFE = 1e-10


@dataclass(frozen=True)
class Noise:
    """Every answer plus its own noise."""

    scale: float = 1.0
    kind: str = "laplace"
    power: float = 1.0

    def sample(self, dataset, size, *, rng):
        answers = np.asarray(dataset, dtype=float)
        draw = rng.laplace if self.kind == "laplace" else rng.normal
        outputs = answers + self.power * draw(scale=self.scale, size=(size, answers.size))
        return outputs[:, 0] if answers.size == 1 else outputs


@dataclass(frozen=True)
class Response:
    """Randomised response over `size` values, counted in the kernel: the true value comes e^epsilon times as often."""

    epsilon: float
    size: int = 2

    def counts(self, dataset, size, *, rng):
        shares = np.ones(self.size)
        shares[int(dataset)] = math.exp(self.epsilon)
        return rng.multinomial(size, shares / shares.sum())

    def sample(self, dataset, size, *, rng):
        raise AssertionError("counts are offered, so nothing is to be sampled")


@dataclass
class Function:
    """A batch function as a subject; remembers how much was drawn of it."""

    function: Any
    drawn: list = field(default_factory=list)

    def sample(self, dataset, size, *, rng):
        self.drawn.append(size)
        return self.function(np.asarray(dataset, dtype=float), size, rng)


def make_task(
    subject, guarantee, neighbors, *, space=None, trials=20_000, alpha=1e-3, seed=0, effort=1.0, names=None
) -> Task:
    def streams(*parts):
        if names is not None:
            names.append(parts)
        return stream(seed, "claim", "event", *parts)

    claim = Claim(
        id="claim",
        guarantee=guarantee,
        relation=neighbors.relation,
        subject="subject",
        source=Source(paper="tests", locus=""),
        space=space or SearchSpace(),
    )
    build = subject if isinstance(subject, type) or callable(subject) else lambda: subject
    return Task(
        claim=claim,
        build=build,
        neighbors=neighbors,
        alpha=alpha,
        trials=trials,
        stream=streams,
        effort=effort,
        seed=seed,
    )


def audit(subject, guarantee, neighbors, **options):
    return EventAuditor().audit(make_task(subject, guarantee, neighbors, **options))


def pair(d0, d1, relation="one-query"):
    return FixedPair(d0=d0, d1=d1, relation=relation)


# Known answers


def test_finds_the_event_of_randomised_response_and_its_bound_can_be_computed_again():
    evidence = audit(Response(epsilon=2.0, size=5), PureDP(epsilon=1.0), Value(), space=SearchSpace(size=5))
    assert judge(evidence) is Status.REFUTED
    s = evidence.statistics
    region = JointRegion(k1=s["k1"], n1=s["n1"], k2=s["k2"], n2=s["n2"], alpha=s["alpha"], share=s["region"]["share"])
    assert evidence.bound == epsilon_lower(region)
    assert 1.0 < evidence.bound < 2.0 < evidence.bound + 0.4
    # The most telling event is that the value itself (or the neighbour's) is reported.
    d0, d1 = evidence.witness["d0"], evidence.witness["d1"]
    likelier = d0 if evidence.witness["direction"] == "d0 against d1" else d1
    assert s["k1"] / s["n1"] == pytest.approx(math.exp(2) / (4 + math.exp(2)), abs=0.02), likelier


def test_one_sided_events_are_found_in_both_directions():
    for d0, d1, direction in (([0.0], [1.0], "d1 against d0"), ([1.0], [0.0], "d0 against d1")):
        # A one-sided noise: outputs below the larger answer never come there.
        subject = Function(lambda d, size, rng: d[0] + rng.exponential(size=size))
        evidence = audit(subject, PureDP(epsilon=1.0), pair(d0, d1))
        assert judge(evidence) is Status.REFUTED
        # outputs in [0, 1) come on the smaller answer only
        other = {"d1 against d0": "d0 against d1", "d0 against d1": "d1 against d0"}[direction]
        assert evidence.witness["direction"] == other
        assert evidence.statistics["k2"] == 0
        assert evidence.bound > 6.0


@pytest.mark.parametrize(
    ("guarantee", "worse"),
    [
        (PureDP(epsilon=1.0), PureDP(epsilon=0.7)),
        (ApproxDP(epsilon=0.5, delta=float(GDP(mu=1.0).delta(0.5))), ApproxDP(epsilon=0.5, delta=0.15)),
        (GDP(mu=1.0), GDP(mu=0.8)),
        (RDP(order=2, epsilon=1.0), RDP(order=2, epsilon=0.5)),
        pytest.param(ZCDP(rho=0.5), ZCDP(rho=0.25), marks=pytest.mark.slow),
        (Tradeoff(alphas=(0, 0.25, 1), betas=(1, 0.25, 0)), Tradeoff(alphas=(0, 0.3, 1), betas=(1, 0.5, 0))),
    ],
    ids=lambda guarantee: guarantee.text(),
)
def test_every_definition_stands_where_it_is_exact_and_falls_where_it_is_not(guarantee, worse):
    kind = "laplace" if isinstance(guarantee, PureDP) else "normal"
    neighbors = pair([0.0], [1.0])
    subject = Noise(scale=2.0 if isinstance(guarantee, Tradeoff) else 1.0, kind=kind)
    safe = audit(subject, guarantee, neighbors, trials=50_000, alpha=SAFE)
    assert judge(safe) is Status.NOT_REFUTED
    assert safe.bound <= safe.measure.claimed
    assert safe.excess <= 0
    if isinstance(guarantee, Tradeoff):
        subject = Noise(scale=1.0, kind=kind)
    broken = audit(subject, worse, neighbors, trials=50_000)
    assert judge(broken) is Status.REFUTED
    assert broken.bound > broken.measure.claimed
    assert broken.excess > 0


def test_asymmetric_curves_are_held_to_the_right_direction():
    """P = Bernoulli(0.3), Q = Bernoulli(0.1) has the curve through (0.1, 0.7); swapped, it breaks that claim."""
    curve = Tradeoff(alphas=(0, 0.1, 1), betas=(1, 0.7, 0))

    @dataclass(frozen=True)
    class Coin:
        rates: tuple = (0.3, 0.1)

        def counts(self, dataset, size, *, rng):
            heads = rng.binomial(size, self.rates[int(dataset)])
            return np.array([size - heads, heads])

    neighbors = pair(0, 1, relation="value")
    assert judge(audit(Coin(), curve, neighbors, alpha=SAFE)) is Status.NOT_REFUTED
    assert judge(audit(Coin(rates=(0.1, 0.3)), curve, neighbors)) is Status.REFUTED
    assert judge(audit(Coin(rates=(0.36, 0.1)), curve, neighbors)) is Status.REFUTED


# Vectors


def test_vector_outputs_are_audited_by_learned_scores():
    """Ten Laplace answers that all move: no coordinate shows more than a tenth of what they show together.

    Which family wins is a close race: the number of answers above their medians says as much as the regression (over
    four seeds it gave 1.11 on average where the best event without it gave 1.09), and at seed 0 it does.
    """
    neighbors = pair([0.0] * 10, [1.0] * 10, relation="all-queries")
    evidence = audit(Noise(scale=5.0), PureDP(epsilon=0.5), neighbors, trials=20_000)
    assert judge(evidence) is Status.REFUTED, "the truth is 2; a coordinate alone shows 0.2"
    assert evidence.statistics["event"]["kind"] in ("linear", "cells", "trees", "statistic", "higher")
    assert evidence.bound > 1.0


@pytest.mark.parametrize("epsilon", [0.5, 0.9])
def test_interactions_that_no_sum_of_features_sees_are_found_by_trees(epsilon):
    """Two of four coordinates agree in sign under d0 and differ under d1; the others drown every simple statistic.

    Against 0.5 an extreme of the four already exceeds the claim clearly; the trees are found all the same.
    """

    def related(dataset, size, rng):
        coin, agree = rng.random(size) < 0.5, rng.random(size) < (0.8 if dataset[0] == 0 else 0.2)
        outputs = rng.normal(scale=10, size=(size, 4))
        outputs[:, 0] = np.where(coin, 3, -3) + rng.normal(size=size)
        outputs[:, 2] = np.where(coin == agree, 3, -3) + rng.normal(size=size)
        return outputs

    evidence = audit(Function(related), PureDP(epsilon=epsilon), pair([0.0], [1.0]), trials=10_000)
    assert judge(evidence) is Status.REFUTED, "the truth is ln 4"
    assert evidence.statistics["event"]["kind"] == "trees"
    assert evidence.bound > 1.25, "an extreme of the four shows less"


def test_few_distinct_rows_are_audited_as_a_finite_alphabet():
    """The sparse vector technique without noise on the queries (SVT5): some rows come on one side only."""

    def svt5(queries, size, rng):
        return (queries >= rng.laplace(scale=20.0, size=(size, 1))).astype(np.int64)

    neighbors = pair([0.0, 1.0], [1.0, 0.0], relation="all-queries")
    evidence = audit(Function(svt5), PureDP(epsilon=0.1), neighbors, trials=50_000)
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["k2"] == 0


def test_pairs_are_searched_when_none_is_given():
    """All answers move; the published maximum leaks their number times a half of epsilon."""
    subject = Function(lambda d, size, rng: (d + rng.laplace(scale=2.0, size=(size, d.size))).max(axis=1))
    space = SearchSpace(size=5, low=0.0, high=2.0)
    evidence = audit(subject, PureDP(epsilon=1.0), AllQueries(), space=space, trials=60_000)
    assert judge(evidence) is Status.REFUTED, "the truth is 2.5"
    assert AllQueries().check(evidence.witness["d0"], evidence.witness["d1"]) is None
    assert evidence.statistics["pairs_screened"] > 10


def test_parameters_are_searched_too_and_stand_in_the_witness():
    neighbors = pair([0.0], [1.0])
    space = SearchSpace(size=1, parameters={"power": (0.2, 1.0)})

    def build(power=1.0):
        return Noise(power=power)

    evidence = audit(build, PureDP(epsilon=1.0), neighbors, space=space, trials=50_000)
    assert judge(evidence) is Status.REFUTED
    assert evidence.witness["parameters"] == {"power": 0.2}


# What is recorded


def test_same_seed_same_evidence_and_no_stream_is_used_twice():
    names: list = []
    options = {"space": SearchSpace(size=2), "trials": 8_000}
    first = audit(Noise(), PureDP(epsilon=1.0), OneQuery(), names=names, **options)
    assert first == audit(Noise(), PureDP(epsilon=1.0), OneQuery(), **options)
    assert first.statistics["k1"] != audit(Noise(), PureDP(epsilon=1.0), OneQuery(), seed=1, **options).statistics["k1"]
    assert len(set(names)) == len(names)
    assert {parts[0] for parts in names} >= {"pairs", "screen", "select", "certify"}


def test_threads_do_not_change_a_bit():
    """Classifiers are trained and applied in three threads at once."""
    task = make_task(Noise(scale=3.0), PureDP(epsilon=1.0), pair([0.0] * 3, [1.0] * 3, "all-queries"), trials=6000)
    expected = EventAuditor().audit(task)
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(EventAuditor().audit(task))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3


def test_certifies_on_exactly_the_planned_draws_and_selects_on_at_most_as_many():
    drawn: dict = {}

    class Spy(Noise):
        def sample(self, dataset, size, *, rng):
            stage = names[-1][0]
            drawn.setdefault((stage, float(dataset[0])), []).append(size)
            return super().sample(dataset, size, rng=rng)

    for trials in (100, 1000, 300_001):
        drawn.clear()
        names: list = []
        audit(Spy(), PureDP(epsilon=1.0), pair([0.0], [1.0]), trials=trials, names=names)
        for side in (0.0, 1.0):
            assert sum(drawn["certify", side]) == trials
            assert sum(
                sum(sizes) for (stage, value), sizes in drawn.items() if value == side and stage != "certify"
            ) <= (trials + 64)


def test_evidence_is_plain_json_with_a_picture_that_holds_the_point():
    evidence = audit(Noise(), PureDP(epsilon=0.9), pair([0.0], [1.0]), trials=50_000)
    text = json.dumps([evidence.statistics, evidence.witness, evidence.picture], allow_nan=False)
    assert json.loads(text)
    box, point = evidence.picture["rectangle"], evidence.picture["point"]
    assert box["fpr_low"] <= point["fpr"] <= box["fpr_high"]
    assert box["fnr_low"] <= point["fnr"] <= box["fnr_high"]
    claimed = evidence.picture["claimed"]
    assert claimed["beta"] == sorted(claimed["beta"], reverse=True)
    assert evidence.confidence == 1 - 1e-3
    assert evidence.trials == 50_000
    assert evidence.bound < evidence.estimate < evidence.ceiling
    assert evidence.measure.claimed < evidence.detectable < 1.2
    assert set(evidence.witness) >= {"d0", "d1", "direction", "event", "parameters"}


@pytest.mark.slow
def test_what_it_calls_detectable_it_detects():
    """At the smallest detectable epsilon four in five audits refute: fewer than 12 of 40 have probability 1e-12."""
    claim, trials = PureDP(epsilon=1.0), 2000
    detectable = audit(Response(epsilon=1.0), claim, Value(), space=SearchSpace(size=2), trials=trials).detectable
    subject = Response(epsilon=detectable)
    found = [
        judge(audit(subject, claim, Value(), space=SearchSpace(size=2), trials=trials, seed=seed)) is Status.REFUTED
        for seed in range(40)
    ]
    assert sum(found) >= 12


def test_equal_sides_show_nothing():
    evidence = audit(Noise(), PureDP(epsilon=1.0), pair([0.5], [0.5]), alpha=SAFE)
    assert judge(evidence) is Status.NOT_REFUTED
    constant = Function(lambda d, size, rng: np.zeros((size, 2)))
    evidence = audit(constant, PureDP(epsilon=1.0), pair([0.0], [1.0]), alpha=SAFE)
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.bound == 0


# Errors


def test_too_few_trials_for_any_verdict_says_how_many_would_do():
    with pytest.raises(InputError, match=r"cannot refute PureDP\(epsilon=8\).*at least (\d+) trials") as caught:
        audit(Noise(), PureDP(epsilon=8.0), pair([0.0], [1.0]), trials=5000)
    enough = int(str(caught.value).split("at least ")[1].split()[0])
    assert 5000 < enough < 50_000
    assert "\n" not in str(caught.value)
    always = Function(lambda d, size, rng: np.full(size, d[0]))
    assert judge(audit(always, PureDP(epsilon=8.0), pair([0.0], [1.0]), trials=2 * enough)) is Status.REFUTED
    with pytest.raises(InputError, match="at least 100 trials"):
        audit(Noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), trials=99)


def test_refuses_what_it_cannot_examine():
    auditor = EventAuditor()
    assert isinstance(auditor, Auditor)
    neighbors = pair([0.0], [1.0])
    assert auditor.refuses(make_task(Noise(), PureDP(epsilon=1.0), neighbors)) is None
    assert "no privacy guarantee" in auditor.refuses(make_task(Noise(), SensitivityBound(bound=1.0), neighbors))
    assert "neither sampled nor counted" in auditor.refuses(make_task(object(), PureDP(epsilon=1.0), neighbors))
    with pytest.raises(AuditError, match="no two different neighbours"):
        audit(Noise(), PureDP(epsilon=1.0), OneQuery(), space=SearchSpace(low=1.0, high=1.0))
    registry = Registry()
    from auditors.privacy import event

    event.register(registry)
    assert registry.auditors.get("event").statistical


# Statistics: calibration at the exact boundary


BOUNDARIES = [
    (Response(epsilon=1.0, size=4), PureDP(epsilon=1.0), Value(), SearchSpace(size=4)),
    (Noise(), PureDP(epsilon=1.0), pair([0.0], [1.0]), SearchSpace()),
    (Noise(kind="normal"), GDP(mu=1.0), pair([0.0], [1.0]), SearchSpace()),
    (Response(epsilon=0.0, size=64), PureDP(epsilon=0.0), pair(0, 1, "value"), SearchSpace(size=64)),
]
LEVEL = 0.05


@pytest.mark.parametrize("each", [4, pytest.param(25, marks=pytest.mark.slow)])
def test_refutes_true_claims_no_more_often_than_alpha(each):
    """More refutations than `most`, among all audits at level 0.05, have probability below 1e-9 for a valid auditor."""
    most = stats.binom.isf(1e-9, each * len(BOUNDARIES), LEVEL)
    found = 0
    for subject, guarantee, neighbors, space in BOUNDARIES:
        for seed in range(each):
            evidence = audit(subject, guarantee, neighbors, space=space, trials=400, alpha=LEVEL, seed=seed)
            found += judge(evidence) is Status.REFUTED
    assert found <= most


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_laplace_is_measured_to_two_percent(epsilon):
    """The floor: 0.98 epsilon at 99.9 %. Held against the counts to be expected of the chosen event, and (six standard
    errors lower, so that it fails with probability below 1e-9) against the counts themselves."""
    trials = 20_000_000
    evidence = audit(Noise(scale=1 / epsilon), PureDP(epsilon=epsilon), pair([0.0], [1.0]), trials=trials)
    s = evidence.statistics
    assert s["event"]["kind"] == "coordinate"
    law = [stats.laplace(loc=d, scale=1 / epsilon) for d in (0.0, 1.0)]
    rates = [
        one.sf(s["event"]["threshold"]) if s["event"]["above"] else one.cdf(s["event"]["threshold"]) for one in law
    ]
    p, q = rates if s["direction"] == "d0 against d1" else rates[::-1]
    expected = JointRegion(
        k1=round(p * trials),
        n1=trials,
        k2=round(q * trials),
        n2=trials,
        alpha=s["alpha"],
        share=s["region"]["share"],
    )
    assert epsilon_lower(expected) >= 0.98 * epsilon
    error = math.sqrt((1 - p) / (trials * p) + (1 - q) / (trials * q))
    assert evidence.bound >= epsilon_lower(expected) - 6 * error
