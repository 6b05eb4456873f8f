"""Proximal DP-SGD beside (4.17) in plain NumPy, its limit beside scikit-learn's L1 optimum, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

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
    assert {(each.scale, each.sensitivity) for each in whole.perturbed} == {(0.7 * 0.3, 0.3)}


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
    (part,) = ProximalDpSgd(steps=9, noise_multiplier=2.0).composition(100)
    assert (part.step.q, part.step.sigma, part.count) == (0.1, 2.0, 9)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"steps": 0}, "steps"),
        ({"l1": -1.0}, "l1"),
        ({"clip": math.inf}, "clip"),
        ({"batch_size": 0}, "batch_size"),
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
