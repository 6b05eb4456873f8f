"""Proximal DP-SGD beside (4.17) in plain NumPy, its limit beside scikit-learn's L1 optimum, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from dpverify.accounting.steps.gaussian import GaussianStep, MixtureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.proximal_dp_sgd import ProximalDpSgd

RNG = np.random.default_rng(9)
TABLE = Table(features=0.4 * RNG.normal(size=(20, 3)), labels=RNG.choice([-1.0, 1.0], 20))


@pytest.mark.parametrize("schedule", ["epoch", "constant"])
def test_it_is_4_17(schedule: str) -> None:
    algorithm = ProximalDpSgd(
        steps=14, noise_multiplier=0.7, clip=0.3, l1=0.05, step_size=0.9, batch_size=6, schedule=schedule
    )
    whole = algorithm.transcript(TABLE, rng=stream(0, "prox"))
    x = np.zeros(3)
    for k, noisy in enumerate(whole.released("gradient")):
        eta = 0.9 / (math.floor(k * 6 / 20) + 1) if schedule == "epoch" else 0.9
        at = x - eta * noisy / 6
        x = np.where(at > 0.05 * eta, at - 0.05 * eta, np.where(at < -0.05 * eta, at + 0.05 * eta, 0.0))
        assert whole.iterates[k + 1] == pytest.approx(x, rel=1e-12, abs=1e-15)
    assert whole.step_sizes[-1] == pytest.approx(0.9 / 4 if schedule == "epoch" else 0.9)
    assert {(each.scale, each.sensitivity) for each in whole.perturbed} == {(0.7 * 0.3, 2 * 0.3)}


def test_without_l1_it_is_dp_sgd_bit_for_bit_up_to_the_order_of_a_quotient() -> None:
    rng = [stream(0, "same") for _ in range(2)]
    plain = DpSgd(steps=9, rate=0.2, step_size=0.5).transcript(TABLE, rng=rng[0])
    other = ProximalDpSgd(steps=9, batch_size=4, l1=0.0, step_size=0.5, schedule="constant").transcript(
        TABLE, rng=rng[1]
    )
    assert other.iterates == pytest.approx(plain.iterates, rel=1e-13, abs=1e-15)
    assert other.state == plain.state


def test_without_noise_it_finds_scikit_learns_optimum() -> None:
    expected = LogisticRegression(
        l1_ratio=1.0, C=1 / (20 * 0.02), solver="saga", fit_intercept=False, tol=1e-12, max_iter=100_000
    )
    expected.fit(TABLE.features, TABLE.labels)
    algorithm = ProximalDpSgd(
        steps=3000, noise_multiplier=0.0, clip=math.inf, l1=0.02, step_size=4.0, schedule="constant", batch_size=20
    )
    found = algorithm.train(TABLE, rng=stream(0, "limit"))
    assert found == pytest.approx(expected.coef_[0], abs=1e-7)
    assert 0 < np.count_nonzero(found) < 3  # the L1 term is at work


def test_the_batch_is_the_root_of_n() -> None:
    assert ProximalDpSgd().expected(39000) == 197
    assert ProximalDpSgd().expected(1) == 1


def test_a_replaced_record_moves_a_sum_by_2_c_with_probability_q() -> None:
    algorithm = ProximalDpSgd(steps=9, noise_multiplier=2.0)
    assert algorithm.composition(100) == Composition.repeat(
        MixtureStep(weights=(0.9, 0.1), shifts=(0.0, 2.0), sigma=2.0), 9
    )
    (whole,) = ProximalDpSgd(steps=9, noise_multiplier=2.0, batch_size=7).composition(7)
    assert (whole.step, whole.count) == (GaussianStep(sigma=2.0, sensitivity=2.0), 9)
    with pytest.raises(InputError):
        ProximalDpSgd(noise_multiplier=0.0).composition(100)


@pytest.mark.parametrize("q", [0.05, 0.5])
@pytest.mark.parametrize("order", [2, 5])
def test_the_claim_under_replacement_is_above_the_pair_of_opposite_gradients(q: float, order: int) -> None:
    """(1 - q) N(0) + q N(1) against (1 - q) N(0) + q N(-1), sigma = 1.5: its divergence on a grid."""
    step = ProximalDpSgd(batch_size=round(100 * q), noise_multiplier=1.5).composition(100).parts[0].step
    x = np.linspace(-40.0, 40.0, 40_001)
    places = [stats.norm.logpdf(x, at, 1.5) for at in (0, 1, -1)]
    one, two = (np.logaddexp(np.log1p(-q) + places[0], math.log(q) + places[at]) for at in (1, 2))
    truth = math.log(np.exp(order * one + (1 - order) * two).sum() * (x[1] - x[0])) / (order - 1)
    claim = float(step.renyi(np.array([float(order)]))[0])  # type: ignore[attr-defined]
    assert truth > 0.4 * q * q
    assert truth <= claim


def test_dp_sgds_own_account_needs_a_public_number_of_records() -> None:
    with pytest.raises(InputError, match="records=100"):
        ProximalDpSgd(relation="add-remove").composition(100)
    algorithm = ProximalDpSgd(steps=9, noise_multiplier=2.0, relation="add-remove", records=100)
    (part,) = algorithm.composition(12)
    assert (part.step, part.count) == (PoissonGaussianStep(q=0.1, sigma=2.0), 9)
    assert algorithm.sensitivity == 1.0


def test_with_a_public_number_nothing_follows_the_table() -> None:
    """White box: a record fewer moves each sum by at most C, and neither q, m nor the step sizes."""
    algorithm = ProximalDpSgd(steps=12, relation="add-remove", records=16, batch_size=5)
    assert [(algorithm.expected(n), algorithm.sampling_rate(n), algorithm.step(11, n)) for n in (19, 20)] == [
        (5, 5 / 16, 0.25)
    ] * 2
    whole = algorithm.transcript(TABLE, rng=stream(0, "public"))
    again = algorithm.replay(TABLE.without(19), whole)
    assert np.array_equal(whole.step_sizes, again.step_sizes)
    assert np.linalg.norm(whole.perturbed[0].clean - again.perturbed[0].clean) <= 1.0 + 1e-12
    w = 0.0 - whole.perturbed[0].value / 5
    assert whole.iterates[1] == pytest.approx(np.sign(w) * np.maximum(np.abs(w) - 0.001, 0.0), rel=1e-12)
    plain = DpSgd(steps=9, rate=5 / 16, divisor=5.0).train(TABLE, rng=stream(0, "q"))
    other = ProximalDpSgd(steps=9, records=16, batch_size=5, l1=0.0, schedule="constant")
    assert other.train(TABLE, rng=stream(0, "q")) == pytest.approx(plain, rel=1e-13)
    own = ProximalDpSgd(steps=20, batch_size=5)
    assert not np.array_equal(*(own.transcript(t, rng=stream(0, "own")).step_sizes for t in (TABLE, TABLE.without(19))))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"steps": 0}, "steps"),
        ({"l1": -1.0}, "l1"),
        ({"clip": math.inf}, "clip"),
        ({"batch_size": 0}, "batch_size"),
        ({"records": 0}, "records"),
        ({"relation": "labels"}, "relation"),
        ({"schedule": "root"}, "schedule"),
        ({"step_size": 0.0}, "step_size"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        ProximalDpSgd(**wrong)  # type: ignore[arg-type]


def test_a_batch_above_the_table_is_refused() -> None:
    with pytest.raises(InputError, match="21 of 20"):
        ProximalDpSgd(batch_size=21).train(TABLE, rng=stream(0, "bad"))
