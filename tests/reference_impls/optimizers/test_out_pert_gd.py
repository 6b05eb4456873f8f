"""OutPert-GD: its limit without noise, its two bounds, bad input. Its path is in test_rsgd_twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.sampling.streams import stream
from reference_impls.optimizers.out_pert_gd import OutPertGd

RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(60, 3)), labels=RNG.choice([-1.0, 1.0], 60)).normalised()


def test_without_noise_it_finds_scikit_learns_optimum() -> None:
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-12, max_iter=1000)
    expected.fit(TABLE.features, TABLE.labels)
    found = OutPertGd(steps=300, l2=0.1, noise_multiplier=0.0).train(TABLE, rng=stream(0, "limit"))
    assert found == pytest.approx(expected.coef_[0], abs=1e-10)


def test_the_noise_is_the_published_one() -> None:
    algorithm = OutPertGd(l2=0.1, epsilon=0.5, delta=1e-6)
    assert algorithm.step == pytest.approx(1 / 0.45)
    assert algorithm.sensitivity(60) == pytest.approx(5 * 0.45 / (60 * 0.1 * 0.35))
    assert algorithm.noise_scale(60) == pytest.approx(algorithm.sensitivity(60) * math.sqrt(2 * math.log(2e6)) / 0.5)
    assert algorithm.guarantee() == ApproxDP(epsilon=0.5, delta=1e-6)
    whole = algorithm.transcript(TABLE, rng=stream(0, "noise"))
    assert whole.perturbed[-1].scale == algorithm.noise_scale(60)
    assert whole.perturbed[-1].sensitivity == algorithm.sensitivity(60)
    convex = OutPertGd(bound="convex", l2=0.0, step_size=2.0, steps=7)
    assert convex.sensitivity(60) == pytest.approx(3 * 7 * 2.0 / 60)


@given(
    st.integers(0, 59),
    st.integers(0, 2**32),
    st.sampled_from(["convex", "strongly-convex"]),
    st.sampled_from(["logistic", "huber-svm"]),
    st.integers(1, 40),
    st.floats(0.01, 1.0),
)
def test_no_replaced_record_moves_the_end_further(
    index: int, seed: int, bound: str, model: str, steps: int, share: float
) -> None:
    plain = OutPertGd(l2=0.05, model=model)
    most = 2 / (plain.conditions.smoothness + 0.05)
    algorithm = OutPertGd(l2=0.05, model=model, bound=bound, steps=steps, step_size=share * most)
    x = np.random.default_rng(seed).normal(size=3)
    other = TABLE.replaced(index, x / np.linalg.norm(x) * (1 - 1e-12), -float(TABLE.labels[index]))
    assert np.linalg.norm(algorithm.query(TABLE) - algorithm.query(other)) <= algorithm.sensitivity(60)


def test_the_pair_of_laws_keeps_the_claim() -> None:
    algorithm = OutPertGd(l2=0.1, steps=5, delta=1e-5)
    other = TABLE.replaced(0, -TABLE.features[0], float(TABLE.labels[0]))
    assert algorithm.output_law(TABLE).against(algorithm.output_law(other)).delta(1.0).value <= 1e-5
    (part,) = algorithm.composition(60)
    for epsilon, kept in ((1.0, True), (9.0, True), (12.0, False)):  # where sqrt(2 ln(2 / delta)) is enough
        wide = OutPertGd(l2=0.1, epsilon=epsilon, delta=1e-5)
        (part,) = wide.composition(60)
        (pair,) = part.step.laws()
        assert (pair.delta(epsilon).value <= 1e-5) == kept


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"steps": 0}, "steps"),
        ({"step_size": 0.0}, "step_size"),
        ({"step_size": 8.0}, "2 / "),
        ({"l2": 0.0}, "l2"),
        ({"norm": 0.0}, "norm"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"delta": 0.0}, "delta"),
        ({"bound": "tight"}, "bound"),
        ({"noise_multiplier": -1.0}, "noise_multiplier"),
        ({"model": "hinge"}, "smooth"),
        ({"model": "squared"}, "bounded gradients"),
        ({"model": "no-such"}, "no-such"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        OutPertGd(**wrong)  # type: ignore[arg-type]


def test_long_rows_are_refused() -> None:
    with pytest.raises(InputError, match="record 3 has L2 norm"):
        OutPertGd().train(TABLE.replaced(3, np.ones(3), 1.0), rng=stream(0, "bad"))


@pytest.mark.parametrize("noise_multiplier", [0.0, 0.999])
def test_less_noise_than_published_claims_nothing(noise_multiplier: float) -> None:
    with pytest.raises(InputError, match=f"claim for noise_multiplier = {noise_multiplier}"):
        OutPertGd(noise_multiplier=noise_multiplier).guarantee()


def test_every_step_has_its_size_in_the_transcript() -> None:
    algorithm = OutPertGd(steps=7)
    assert algorithm.transcript(TABLE, rng=stream(0, "steps")).step_sizes.tolist() == [algorithm.step] * 7


@pytest.mark.parametrize("bound", ["convex", "strongly-convex"])
def test_a_claim_needs_a_number_of_records(bound: str) -> None:
    with pytest.raises(InputError, match="a claim for 0 records"):
        OutPertGd(bound=bound).composition(0)
