"""The floating-point auditor: what it must find, what it must not, and how often it is wrong.

False alarms: audits that must not refute run at alpha 1e-10; the calibration states its own.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.event.expected_gain import largest_gain
from auditors.privacy.event.tails import Tails
from auditors.privacy.floating_point.auditor import FloatingPointAuditor, SamplesOnly
from auditors.privacy.floating_point.scores import scores
from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.definitions.gdp import GDP
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from tests.calibration.boundaries import Boundary, Die, Response, one_pair
from tests.calibration.harness import exceedances

SAFE = 1e-10
AUDITOR = FloatingPointAuditor()
PUBLISHED = 0.252
"""DP-Sniper's bound on the naive Laplace mechanism at 0.1, with 10^7 draws to learn from and 2 10^8 to certify."""


def row(name, **given):
    entry = registry().entries.get(name)
    return execute(make_plan(registry(), [entry], methods=("floating-point",), **given))[0]


@pytest.fixture
def audit(event_task):
    return lambda *given, **options: AUDITOR.audit(event_task(*given, **options))


# Power


def test_naive_laplace_is_refuted_with_few_draws_and_far_beyond_the_published_bound(audit, noise, pair):
    """At 90 %. Fails with probability below 1e-9: of 10,000 draws 150 in the event would do, and 590 are expected."""
    evidence = audit(noise(scale=10.0), PureDP(epsilon=0.1), pair([0.0], [1.0]), trials=10_000, alpha=0.1)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound > 4 > PUBLISHED
    assert evidence.statistics["k2"] < 10


@pytest.mark.parametrize(
    "name",
    [
        "float-laplace",
        "single-precision-laplace",
        "float-gaussian-box-muller",
        "float-gaussian-polar",
        "float-gaussian-ziggurat",
        "half-precision-laplace",
        "laplace",  # noise for verification, not for release
        "gaussian-approx",
    ],
)
def test_sums_of_doubles_are_refuted_whatever_the_sampler(name):
    found = row(name, trials=20_000).verdict
    assert found.status is Status.REFUTED
    assert found.leading.bound > 2 * found.leading.measure.claimed


@pytest.mark.parametrize("name", ["snapping", "grid-laplace", "truncated-geometric"])
def test_what_is_rounded_to_a_grid_is_not_refuted(name):
    found = row(name, trials=200_000, confidence=1 - SAFE).verdict
    assert found.status is Status.NOT_REFUTED
    assert 0.3 < found.leading.tightness <= 1
    assert found.leading.detectable > found.leading.measure.claimed
    assert found.leading.ceiling > 5


@pytest.mark.parametrize("answers", [(0.0, 1.0), (1.0, 2.0), (10.0, 11.0), (0.3, 1.3), (-7.0, -8.0)])
def test_other_answers_have_other_grids_and_leak_too(audit, noise, pair, answers):
    first, second = ([answer] for answer in answers)
    for guarantee in (PureDP(epsilon=0.5), ApproxDP(epsilon=0.5, delta=1e-6), GDP(mu=0.5)):
        evidence = audit(noise(scale=2.0), guarantee, pair(first, second), trials=50_000)
        assert judge(evidence) is Status.REFUTED


def test_vectors_are_looked_at_by_coordinates(audit, noise, pair):
    """Only the last of three answers moves, and the noise is ten times what the claim needs."""
    evidence = audit(noise(scale=20.0), PureDP(epsilon=0.5), pair([0.0, 5.0, 0.0], [0.0, 5.0, 1.0]), trials=50_000)
    assert judge(evidence) is Status.REFUTED
    assert "output[2]" in evidence.witness["event"]


def test_a_bit_that_is_not_the_last_is_found_by_weights(audit, function, pair):
    def marked(dataset, size, rng):
        words = rng.normal(size=size).view(np.uint64)
        return (words & ~np.uint64(int(dataset[0]) << 20)).view(np.float64)

    evidence = audit(function(marked), PureDP(epsilon=0.5), pair([0.0], [1.0]))
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["event"]["kind"] == "bit weights"


def test_the_sign_of_zero_is_seen(audit, function, pair):
    subject = function(lambda d, size, rng: np.where(rng.random(size) < 0.5, 1.0, -0.0 if d[0] else 0.0))
    assert judge(audit(subject, PureDP(epsilon=1.0), pair([0.0], [1.0]))) is Status.REFUTED


def test_the_pair_on_which_grids_differ_is_found(event_task, noise):
    """From 100, noise of scale 1 hardly ever comes near a change of binades; pairs at 0 and 1 are listed too."""
    task = event_task(
        noise(), PureDP(epsilon=1.0), OneQuery(), space=SearchSpace(size=1, low=-100.0, high=100.0), trials=50_000
    )
    evidence = AUDITOR.audit(task)
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["pairs_compared"] == 8


def test_through_the_python_door_medians_do_for_centres():
    result = dpv.audit(
        lambda data, size, rng: sum(data) + rng.laplace(scale=1.0, size=size),
        [3, 1, 2],
        [3, 1, 2, 1],
        claim=PureDP(epsilon=1.0),
        trials=50_000,
        methods=["floating-point"],
    )
    assert result.verdict is Status.REFUTED


# Calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSplit(FloatingPointAuditor):
    """Learns, chooses and certifies on the same draws."""

    name: str = "floating-point-no-split"

    def audit(self, task: Task) -> Evidence:
        def reused(*names):
            return task.stream(*(("select", names[1]) if names[0] == "certify" else names))

        return FloatingPointAuditor.audit(self, replace(task, stream=reused))

    def _choose(self, task, goal, drawer, names, *, size, thorough):
        sides = tuple(drawer.draw(side, size, rng=task.stream(*names, side)) for side in (0, 1))
        tails = [Tails.of(score, sides) for score in scores(sides, [(0.0, 1.0)], thorough=thorough)]
        return largest_gain([tail for tail in tails if tail is not None], goal, trials=task.trials, alpha=task.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Doubles of 16 binades with 8 last bits each, all 128 kinds equally likely: they know nothing of the data."""

    def sample(self, dataset, size, *, rng):
        kind = np.floor(128 * rng.random(size)).astype(np.int64)
        return np.ldexp(1.0 + 2.0 ** -(1.0 + kind % 8), kind // 8)


BOUNDARIES = (
    Boundary(name="response", subject=Response(epsilon=1.0), guarantee=PureDP(epsilon=1.0), neighbors=one_pair(0, 1)),
    Boundary(name="die", subject=Die(size=64), guarantee=PureDP(epsilon=0.0), neighbors=one_pair(0, 1)),
    Boundary(name="digits", subject=Digits(), guarantee=PureDP(epsilon=0.0), neighbors=one_pair(0, 1)),
    Boundary(
        name="snapping",
        subject=registry().subject("snapping")(epsilon=1.0, bound=16.0),
        guarantee=PureDP(epsilon=1.0 + 2.0**-40),
        neighbors=one_pair([0.0], [1.0]),
    ),
)


@pytest.mark.ci
@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: boundary.name)
def test_refutes_true_claims_no_more_often_than_alpha(boundary):
    """A valid auditor fails here with probability below 1e-8, each time."""
    tally = exceedances(AUDITOR, boundary, alpha=0.2, trials=400, repetitions=40, settle=True)
    assert not tally.fails, tally.text()


def test_an_event_that_is_counted_where_it_was_chosen_is_caught():
    """The same test sees the sabotage: the table's luckiest cells refute nearly always."""
    tally = exceedances(NoSplit(), BOUNDARIES[2], alpha=0.2, trials=400, repetitions=20, settle=True)
    assert tally.fails, tally.text()


def test_equal_sides_show_nothing(audit, noise, function, pair):
    for subject in (noise(), function(lambda d, size, rng: np.zeros(size))):
        evidence = audit(subject, PureDP(epsilon=1.0), pair([0.5], [0.5]), alpha=SAFE)
        assert judge(evidence) is Status.NOT_REFUTED
        assert evidence.bound == 0


# Form


def test_the_same_task_gives_the_same_bits_and_certification_is_fresh(event_task, noise, pair):
    names = []
    given = noise(), PureDP(epsilon=1.0), pair([0.0], [1.0])
    first, second = (AUDITOR.audit(event_task(*given, names=names)) for _ in range(2))
    assert first.statistics == second.statistics
    drawn = names[: len(names) // 2]
    assert len(set(drawn) - {("select", "halves")}) >= 5
    assert [name for name in drawn if len(name) == 3 and name[0] == "certify"] == [
        ("certify", 0, 0),
        ("certify", 1, 0),
    ]


def test_it_looks_only_where_it_is_asked_for(audit, response, event_task, noise, pair):
    assert AUDITOR.by_request
    zero_one = pair([0.0], [1.0])
    assert AUDITOR.refuses(event_task(noise(), SensitivityBound(bound=1.0), zero_one)) is not None
    assert "cannot be sampled" in AUDITOR.refuses(event_task(object(), PureDP(epsilon=1.0), zero_one))
    assert AUDITOR.refuses(event_task(noise(), PureDP(epsilon=1.0), zero_one)) is None
    assert not hasattr(SamplesOnly(subject=response(epsilon=1.0)), "counts")


def test_too_few_trials_and_no_pair_are_one_line(event_task, noise, pair):
    task = event_task(noise(), PureDP(epsilon=9.0), pair([0.0], [1.0]), trials=1000)
    assert AUDITOR.lacks(task) > 1000
    with pytest.raises(InputError, match="cannot refute"):
        AUDITOR.audit(task)
    with pytest.raises(AuditError, match="no two different neighbours"):
        AUDITOR.audit(
            event_task(noise(), PureDP(epsilon=1.0), OneQuery(), space=SearchSpace(size=1, low=1.0, high=1.0))
        )
