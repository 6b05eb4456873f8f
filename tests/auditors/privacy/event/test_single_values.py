"""Exact values of one side: found where outputs are continuous, judged in draws of their own, and paid for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.event import auditor as auditor_module
from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event.scores import MOST, SHARE, Found, OneOf, most_repeated_on_one_side
from auditors.privacy.event_bounds import Goal
from auditors.privacy.outputs import Sample
from auditors.privacy.sampled_evidence import one_event
from dpverify.core.evidence import ContradictionError
from dpverify.core.verdict import Status
from dpverify.sampling.streams import stream
from tests.calibration.boundaries import Boundary, one_pair
from tests.calibration.harness import exceedances

GOAL = Goal(guarantee=dpv.PureDP(epsilon=1.0))
SIZE = 20_000


def sample(values):
    return Sample(values=np.asarray(values, dtype=np.float64), weights=None, size=len(values))


def noise(name):
    return stream(0, name).normal(size=SIZE)


def with_values(values, *, name):
    found = noise(name)
    found[: len(values)] = values
    return sample(found)


def asked(first, second, **how):
    return most_repeated_on_one_side((first, second), GOAL, trials=200_000, alpha=0.001, **how)


def test_continuous_noise_has_none():
    assert asked(sample(noise("a")), sample(noise("b"))) is None


@pytest.mark.parametrize("direction", [0, 1])
def test_values_that_came_twice_on_one_side_only_are_found(direction):
    sides = [with_values([3.5, 3.5, 7.25], name="a"), sample(noise("b"))]
    found = asked(*(sides if direction == 0 else sides[::-1]))
    assert (found.direction, found.seen, found.of) == (direction, 2, SIZE)
    assert found.event.score.values == (3.5,)
    assert found.event.hits(sides[0]) == 2
    assert found.event.hits(sides[1]) == 0
    assert found.event.text() == "output == 3.5"


def test_what_both_sides_have_tells_nothing():
    assert asked(with_values([3.5] * 9, name="a"), with_values([3.5], name="b")) is None


def test_outputs_on_a_grid_are_left_to_the_tables():
    assert asked(sample(np.round(noise("a"), 2)), sample(np.round(noise("b"), 2))) is None


def test_a_column_of_a_vector_is_enough():
    wide = [np.stack([noise("a"), noise("b")], axis=1), np.stack([noise("c"), noise("d")], axis=1)]
    wide[1][:5, 1] = 2.0
    found = asked(sample(wide[0]), sample(wide[1]))
    assert (found.direction, found.seen) == (1, 5)
    assert found.event.text() == "output[1] == 2.0"
    assert found.event.plain() == {"kind": "one-of", "column": 1, "values": [2.0], "threshold": 0.5, "above": True}


def test_draws_are_planned_for_what_came_and_never_more_than_the_most():
    often = asked(with_values([1.5] * 150, name="a"), sample(noise("b")))
    seldom = asked(with_values([1.5] * 2, name="a"), sample(noise("b")))
    assert often.trials == 200_000 <= seldom.trials <= MOST * 200_000
    few = most_repeated_on_one_side(
        (with_values([1.5] * 2, name="a"), sample(noise("b"))), GOAL, trials=400, alpha=0.001
    )
    assert few.trials is None
    assert few.plain()["would_take"] is None


def test_several_values_are_told_as_some():
    assert OneOf(values=(1.0, 2.0), column=None).text(0.5, above=True).startswith("output is one of 2 exact values")


def leaks(rate):
    """Prints the true sum now and then: pure epsilon is infinite, and nothing of it shows at common events."""

    def mechanism(data, size, rng):
        noisy = sum(data) + rng.laplace(size=size)
        return np.where(rng.random(size) < rate, float(sum(data)), noisy)

    return mechanism


def audited(mechanism, claim="PureDP(epsilon=1)", **how):
    return dpv.audit(mechanism, [1, 1, 0.3], [1, 1], claim=claim, **how)


def test_a_mechanism_that_prints_its_answer_once_in_many_thousand_calls_is_refuted():
    """Five draws of the answer are expected in selection; fewer than two come with probability 0.04 a run, and each of
    the three runs must fail (7e-5 for all: and the draws are those of these seeds, whatever the machine)."""
    found = [audited(leaks(1 / 20_000), seed=seed) for seed in (0, 1, 2)]
    assert Status.REFUTED in {each.verdict for each in found}
    refuted = next(each for each in found if each.verdict is Status.REFUTED)
    said = refuted.evidence.statistics
    assert said["event"]["kind"] == "one-of"
    assert said["alpha"] == pytest.approx(SHARE * said["spent"])
    assert refuted.evidence.confidence == pytest.approx(1 - said["spent"])
    again = one_event(dpv.PureDP(epsilon=1.0), refuted.evidence)
    assert (again.bound, again.alpha) == (refuted.evidence.bound, said["spent"])
    cheap = replace(refuted.evidence, statistics={**said, "spent": said["alpha"] / 2})
    with pytest.raises(ContradictionError, match="spend"):
        one_event(dpv.PureDP(epsilon=1.0), cheap)


def test_what_is_too_rare_to_decide_is_said():
    found = audited(leaks(1 / 100), claim="PureDP(epsilon=4)", trials=2_000, seed=1)
    assert found.verdict is not Status.REFUTED
    assert found.evidence.statistics["single_values"]["would_take"] is None
    assert "single_values" not in audited(leaks(0)).evidence.statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Blurts:
    """Says its number itself with probability `rate`, else a Gaussian that does not know it: exactly (0, rate)-DP."""

    rate: float

    def sample(self, dataset, size, *, rng):
        value = float(np.asarray(dataset).ravel()[0])
        return np.where(rng.random(size) < self.rate, value, rng.normal(size=size))


@pytest.mark.ci
def test_at_the_exact_boundary_both_events_together_refute_no_more_often_than_they_may():
    """False-alarm probability of this test: 1e-8 (`tests.calibration.harness`)."""
    rate = 0.005
    boundary = Boundary(
        name="blurts",
        subject=Blurts(rate=rate),
        guarantee=dpv.ApproxDP(epsilon=0.0, delta=rate),
        neighbors=one_pair([0.0], [1.0]),
    )
    tally = exceedances(EventAuditor(), boundary, alpha=0.2, trials=2_000, repetitions=300, settle=True)
    assert not tally.fails, tally.text()


def test_where_the_values_do_not_come_again_the_other_event_has_what_is_left_of_the_error(monkeypatch):
    event = asked(with_values([3.5] * 9, name="a"), sample(noise("b"))).event
    found = Found(event=event, direction=0, seen=9, of=SIZE, trials=4_000)
    monkeypatch.setattr(auditor_module, "most_repeated_on_one_side", lambda *_sides, **_how: found)
    said = audited(leaks(0), trials=4_000).evidence
    assert said.statistics["single_values"]["would_take"] == 4_000
    assert said.statistics["spent"] == pytest.approx(0.001)
    assert said.statistics["alpha"] == pytest.approx((1 - SHARE) * 0.001)
    assert said.confidence == pytest.approx(0.999)
    again = one_event(dpv.PureDP(epsilon=1.0), said)
    assert (again.bound, again.alpha) == (said.bound, said.statistics["spent"])
