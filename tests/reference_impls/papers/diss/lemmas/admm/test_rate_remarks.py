"""AM-RATE: one-coordinate runs are the algorithm's, moments are its samples', and what falls, falls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.models.model import find_model
from reference_impls.models.regularisation import soft_threshold
from reference_impls.papers.diss.lemmas.admm.rate import path_bound, rate_bound
from reference_impls.papers.diss.lemmas.admm.rate_noise import Pinned, Quadratic
from reference_impls.papers.diss.lemmas.admm.rate_paths import FirstInequality, LastDisplay
from reference_impls.papers.diss.lemmas.admm.rate_run import ReturnedGap
from reference_impls.papers.diss.lemmas.admm.scalar_run import (
    ScalarRun,
    UndecidedError,
    clipped,
    huber_loss,
    huber_slope,
    scalar_run,
)
from tests.reference_impls.rows import evidence, status

RECORDS = [0.8, -0.3, 1.0]


def twin(rho: float, l1: float) -> tuple[Any, ScalarRun]:
    """A noisy run of the algorithm on three records, and the same in one coordinate."""
    table = Table(features=np.array(RECORDS)[:, None], labels=np.ones(3))
    algorithm = SsAdmm(model="huber-svm", steps=9, batch_size=2, sigma=0.3, l1=l1, rho=rho, schedule="root")
    whole = algorithm.transcript(table, rng=stream(0, "twin"))
    batches = [draw.values.tolist() for draw in whole.draws if draw.name == "batch"]
    noise = [float(each[0]) for each in whole.noise("gradient")]
    return whole, scalar_run(RECORDS, whole.step_sizes.tolist(), rho=rho, l1=l1, batches=batches, noise=noise)


@pytest.mark.parametrize("rho", [0.1, 2.0])
@pytest.mark.parametrize("l1", [0.0, 0.05, 1.0])
def test_it_is_the_algorithm(rho: float, l1: float) -> None:
    whole, run = twin(rho, l1)
    assert run.x == pytest.approx(whole.iterates[:, 0].tolist(), rel=1e-11, abs=1e-13)
    assert run.z == pytest.approx(whole.public["z"][:, 0].tolist(), rel=1e-11, abs=1e-13)
    assert run.noisy == pytest.approx([float(each[0]) for each in whole.released("gradient")], rel=1e-11)


@given(st.floats(-3.0, 3.0), st.floats(0.0, 2.0))
def test_pieces(point: float, threshold: float) -> None:
    table = Table(features=np.ones((1, 1)), labels=np.ones(1))
    model, at = find_model("huber-svm"), np.array([point])
    assert huber_loss(point) == pytest.approx(model.losses(at, table)[0], abs=1e-15)
    assert huber_slope(point) == pytest.approx(model.gradient(at, table)[0], abs=1e-15)
    assert point - clipped(point, threshold) == pytest.approx(soft_threshold(at, threshold)[0], abs=1e-15)
    assert float(huber_loss(Fraction(point))) == pytest.approx(huber_loss(point), abs=1e-15)


def test_balls_decide_or_say_that_they_cannot() -> None:
    assert huber_slope(flint.arb(1)) == -flint.arb("0.5")
    with pytest.raises(UndecidedError):
        huber_slope(flint.arb(0.5, 0.1))
    with pytest.raises(UndecidedError):
        clipped(flint.arb(1, 0.1), flint.arb(1))


@pytest.mark.parametrize("seed", range(4))
def test_the_first_inequality_is_that_of_path_bound(seed: int) -> None:
    """In doubles, by the module that other tests hold against whole runs."""
    at = FirstInequality(seed=seed, eta=0.7, rho=0.4, l1=0.125, beta=0.5, sigma=0.3, point=1.25)
    found, allowed = at.sides()
    rng = stream(seed, "a run in fractions")
    records = [round(float(a) * 2**24) / 2**24 for a in rng.uniform(-0.5, 1.0, 2)]
    batches = [rng.choice(2, 1, replace=False).tolist() for _ in range(6)]
    noise = (0.3 * rng.standard_normal(6)).tolist()
    steps = [0.7 / math.sqrt(k + 1) for k in range(6)]
    run = scalar_run(records, steps, rho=0.4, l1=0.125, batches=batches, noise=noise)
    x = np.array(run.x)
    left = np.mean([huber_loss(a * x[:-1].mean()) - huber_loss(a * 1.25) for a in records])
    left += 0.125 * (abs(np.mean(run.z)) - 1.25) + 0.5 * abs(x[1:].mean() - np.mean(run.z))
    right = path_bound(
        steps,
        x[:, None],
        np.array(run.noisy)[:, None],
        np.array(run.exact)[:, None],
        np.array([1.25]),
        np.zeros(1),
        rho=0.4,
        beta=0.5,
    )
    assert float(found - allowed) == pytest.approx(left - right, rel=1e-5)


def test_the_last_display_is_rate_bound() -> None:
    for distance, far in (("dual", 0.01), ("primal", 1.49)):
        at = LastDisplay(distance=distance, rho=50.0, l1=0.01, iterations=20.0)
        expected = rate_bound(at.steps, squared=1.0, diameter=1.5, distance=far, rho=50.0)
        assert at.printed().value == pytest.approx(expected, rel=1e-12)
        proof = at.proved_ratio()
        assert proof is not None
        assert proof.value == pytest.approx(at.truth().value / expected, rel=1e-9)


def test_quadratics_by_hand() -> None:
    """T = 2 from 0 towards 1: the mean of x^0 = 0 and x^1 = s - s gamma."""
    at = Quadratic(eta=0.5, rho=0.2, sigma=0.3, iterations=2.0, curvature=2.0)
    s = 0.5 / 1.1
    mean = ((-1.0) + (-(1 - 2 * s))) / 2
    assert at.truth().value == pytest.approx(mean**2 + s * s * 0.09 / 4, rel=1e-12)


def test_moments_are_those_of_the_algorithm() -> None:
    """Mean |x^T| of 40,000 runs on a blank record, and of the average; |estimate - mean| > 6.5 standard errors has a
    probability below 1e-9 each."""
    for output in ("last", "average"):
        setting = ReturnedGap(output=output, iterations=60)
        found = setting.statistic(40_000, rng=stream(1, "moments", output))
        exact = setting.exact()
        error = float(found.std()) / math.sqrt(found.size)
        assert abs(float(found.mean()) - exact.truth().value / exact.printed().value) < 6.5 * error


def test_the_returned_point_loses_a_root() -> None:
    slopes = [Pinned(output=o, sigma=1.0, l1=6.0, iterations=10_000.0).describe()["slope"] for o in ("last", "average")]
    assert slopes[0] == pytest.approx(-0.25, abs=0.01)
    assert slopes[1] == pytest.approx(-1.0, abs=0.01)
    assert Pinned(l1=0.0).truth().value == 0.0  # nothing is said there


@settings(max_examples=20)
@given(st.floats(0.1, 1.0), st.floats(0.05, 2.0), st.floats(1.0, 80.0))
def test_proofs_hold_the_floats(eta: float, rho: float, iterations: float) -> None:
    for at in (
        Pinned(eta=eta, rho=rho, sigma=1.0, l1=5.0, iterations=iterations),
        Quadratic(eta=eta, rho=rho, iterations=iterations),
    ):
        proof = at.proved_ratio()
        assert proof is not None
        assert proof.value == pytest.approx(at.truth().value / at.printed().value, rel=1e-9)


@dataclass(frozen=True, kw_only=True)
class NoRest(Pinned):
    """The bound without what the constraint's weight costs."""

    def bound(self, steps: Any, rho: Any, *, squared: Any, farthest: Any, rest: Any) -> Any:
        return super().bound(steps, rho, squared=squared, farthest=farthest, rest=rest * 0)


@dataclass(frozen=True, kw_only=True)
class NoSquares(FirstInequality):
    """The right-hand side with half of the gradients' squares."""

    def squares(self, eta: Fraction, gradient: Fraction) -> Fraction:
        return FirstInequality.squares(self, eta, gradient) / 2


@pytest.mark.parametrize(
    ("id", "auditor", "expected"),
    [
        ("AM-RATE.a", "lemma", Status.REFUTED),
        ("AM-RATE.a-path", "lemma", Status.NOT_REFUTED),
        ("AM-RATE.b", "lemma", Status.NOT_REFUTED),
        ("AM-RATE.b-quadratic", "lemma", Status.NOT_REFUTED),
        ("AM-RATE.c", "lemma", Status.REFUTED),
        ("AM-RATE-R.a", "lemma", Status.NOT_REFUTED),
        ("AM-RATE-R.c", "lemma", Status.NOT_REFUTED),
    ],
)
def test_verdicts(id: str, auditor: str, expected: Status) -> None:
    assert status(id, auditor, effort=0.5) is expected


def test_the_paper_own_numbers_come_first() -> None:
    """rho = 1/4 and lambda = 0.0001 break nothing."""
    assert evidence("AM-RATE.a", "lemma").statistics["own"]["ratio"] < 0.01
    assert evidence("AM-RATE.c", "lemma").statistics["own"]["ratio"] < 0.01


def test_faults_fall() -> None:
    assert status("AM-RATE.a-path", "lemma", subject=NoSquares, effort=1.0) is Status.REFUTED
    assert status("AM-RATE-R.a", "lemma", parameters={"distance": "dual"}) is Status.REFUTED
    assert status("AM-RATE-R.c", "lemma", parameters={"output": "last"}) is Status.REFUTED
    assert status("AM-RATE.b", "lemma", subject=NoRest) is Status.REFUTED


def test_remarks() -> None:
    for id in ("AM-RATE.a", "AM-RATE.c", "AM-RATE-RUN.c"):
        assert registry().remarks.get(id).shown().holds


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (LastDisplay, {"distance": "x"}),
        (LastDisplay, {"l1": 2.0}),
        (LastDisplay, {"iterations": 0.0}),
        (FirstInequality, {"eta": 0.0}),
        (Pinned, {"output": "x"}),
        (Pinned, {"iterations": 1e6}),
        (Quadratic, {"curvature": 0.0}),
        (ReturnedGap, {"rho": 0.0}),
    ],
)
def test_bad_numbers(kind: type, bad: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        kind(**bad)
