"""AP-THM41 over all steps: the repaired proof step by step, how far (6) reaches, what falls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.papers.adpsgd.lemmas.first_step import AdpSgdStep
from reference_impls.papers.adpsgd.lemmas.telling_events import telling_event
from reference_impls.papers.adpsgd.lemmas.whole_run import WholeRun, floor, least_noise, reaches, shown


def test_the_noise_is_the_trainings() -> None:
    training = AdpSgd(epsilon=3.0, steps=90, alpha="one")
    assert WholeRun(epsilon=3.0, n=40.0, steps=90.0).sigma == pytest.approx(training.noise_scale(40), rel=1e-14)
    step = AdpSgdStep(epsilon=3.0, steps=90, alpha="one")
    assert step._parts(np.ones(40))[3] == pytest.approx(WholeRun(epsilon=3.0, n=40.0, steps=90.0).sigma, rel=1e-14)


@pytest.mark.parametrize("epsilon", [0.02, 0.8, 12.8, 102.4])
def test_the_proof_holds_the_float_ratio(epsilon: float) -> None:
    run = WholeRun(epsilon=epsilon)
    proof = run.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert proof.value == pytest.approx(run.truth().value / epsilon, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "n", "steps", "delta"),
    [
        (12.8, 5e4, 11700.0, 1e-5),
        (0.1, 1e3, 7.0, 1e-8),
        (80.0, 1e5, 1e3, 1e-3),
        (5.0, 100.0, 1e6, 1e-6),
        (102.4, 5e4, 3e4, 1e-5),
    ],
)
def test_the_repaired_proof_step_by_step(epsilon: float, n: float, steps: float, delta: float) -> None:
    """Lemma 2.1, the draw, Lemma 2.2, with numbers and no simplification."""
    run = WholeRun(epsilon=epsilon, n=n, steps=steps, delta=delta, floored=True)
    assert run.covered
    first_delta = n * delta / (2 * steps)
    first = 2 * math.sqrt(2 * math.log(1.25 / first_delta)) / run.sigma
    assert first <= 1 + 1e-12
    drawn = math.log1p(math.expm1(first) / n)
    total = steps * drawn**2
    found = math.sqrt(2 * math.log(2 / delta) * total) + steps * drawn * math.tanh(drawn / 2)
    assert found <= run.composed * (1 + 1e-9) <= epsilon
    assert -math.expm1(steps * math.log1p(-first_delta / n)) + delta / 2 <= delta


def test_nothing_is_said_without_noise_or_where_the_proof_gives_more() -> None:
    assert math.isinf(WholeRun(n=1e6, steps=1.0, delta=1e-3).printed().value)
    assert math.isinf(WholeRun(epsilon=1e4, floored=True).printed().value)
    assert WholeRun(epsilon=1e4, floored=True).truth().value == 0.0
    assert WholeRun(epsilon=1e4, floored=True).proved_ratio() is None


def test_how_far_6_reaches() -> None:
    proved, fails = reaches(50000, 11700, 1e-5)
    assert WholeRun(epsilon=proved).sigma == pytest.approx(floor(50000, 11700, 1e-5), rel=1e-12)
    assert proved < fails < 0.8
    assert WholeRun(epsilon=fails).truth().value > fails
    assert WholeRun(epsilon=0.99 * fails).truth().value < 0.99 * fails
    assert math.isnan(reaches(100, 10**9, 1e-5)[1])


@pytest.mark.parametrize("epsilon", [0.8, 12.8])
def test_the_least_noise_is_the_edge(epsilon: float) -> None:
    least = least_noise(50000, 11700, epsilon, 1e-5)
    assert telling_event(2e-5, 2 / least, 11700, 1e-5)[0] <= epsilon
    assert telling_event(2e-5, 2.02 / least, 11700, 1e-5)[0] > epsilon
    assert least > 1.5 * WholeRun(epsilon=epsilon).sigma


@dataclass(frozen=True, slots=True, kw_only=True)
class LowFloor(WholeRun):
    """A mutant: a twentieth of the floor."""

    @property
    def sigma(self) -> float:
        return max(self._given.sigma(), floor(*self.whole, self.delta) / 20)


def test_the_theorem_falls_its_repair_stands_and_a_lower_floor_does_not(examined) -> None:
    evidence = examined("AP-THM41.whole", effort=0.3)
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert evidence.statistics["own"]["ratio"] > 100
    assert judge(examined("AP-THM41-R", effort=0.3)) is Status.NOT_REFUTED
    assert judge(examined("AP-THM41-R", LowFloor, effort=0.3)) is Status.REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown(12.8).holds
    assert shown(0.8).holds
    assert not shown(0.1).holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="batch"):
        WholeRun(batch=60000)
    with pytest.raises(InputError, match="delta"):
        WholeRun(delta=0.9)
