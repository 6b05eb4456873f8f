"""ObjPert: its limit without noise, its optimum, its exact law in one dimension, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.obj_pert import ObjPert

RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(60, 3)), labels=RNG.choice([-1.0, 1.0], 60)).normalised()


def test_without_noise_it_finds_scikit_learns_optimum() -> None:
    """C is one over the coefficient of |w|^2 / 2 in the sum: Delta = 2 / 4 / epsilon, and r's."""
    expected = LogisticRegression(C=1 / (0.5 / 2.0 + 3.0), fit_intercept=False, tol=1e-12, max_iter=1000)
    expected.fit(TABLE.features, TABLE.labels)
    algorithm = ObjPert(epsilon=2.0, regularisation=3.0, noise_multiplier=0.0)
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(expected.coef_[0], abs=1e-7)


@pytest.mark.parametrize("model", ["logistic", "huber-svm"])
def test_the_gradient_of_the_printed_objective_vanishes(model: str) -> None:
    algorithm = ObjPert(model=model, epsilon=4.0, delta=1e-3)
    whole = algorithm.transcript(TABLE, rng=stream(0, "optimum"))
    (linear,) = whole.perturbed
    assert not linear.released
    assert linear.sensitivity == 0.0  # of the constant that it is added to
    assert linear.scale == algorithm.noise_scale
    gradient = find_model(model).gradient(whole.result, TABLE) / 60
    curvature = 0.25 if model == "logistic" else 1.0
    assert gradient + (2 * curvature / 4.0) / 60 * whole.result + linear.value / 60 == pytest.approx(0.0, abs=1e-7)


def test_the_noise_is_the_published_one() -> None:
    algorithm = ObjPert(epsilon=0.5, delta=1e-6, norm=2.0)
    assert algorithm.noise_scale == pytest.approx(2.0 * math.sqrt(8 * math.log(2e6) + 2.0) / 0.5)
    assert algorithm.strength == pytest.approx(2 * 0.25 * 4 / 0.5)
    assert ObjPert(epsilon=0.5, delta=1e-6, norm=2.0, relation="replace").noise_scale == 2 * algorithm.noise_scale
    assert algorithm.guarantee() == ApproxDP(epsilon=0.5, delta=1e-6)


def test_l2_is_beside_the_mean() -> None:
    """n l2 of the sum: as r of that strength, and cheaper by it; not where a record may be added."""
    beside = ObjPert(epsilon=2.0, l2=0.05, relation="replace", noise_multiplier=0.0)
    of_sum = ObjPert(epsilon=2.0, regularisation=3.0, relation="replace", noise_multiplier=0.0)
    found = [each.train(TABLE, rng=stream(0, "limit")) for each in (beside, of_sum)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    budget = {"epsilon": 1.0, "delta": 1e-6, "relation": "replace", "rows": 60}
    assert beside.calibrated(**budget).noise[1] == pytest.approx(of_sum.calibrated(**budget).noise[1])
    with pytest.raises(InputError, match="under add-remove; allowed: 0"):
        ObjPert(l2=0.1)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_both_parts_of_epsilon_are_paid(share: float) -> None:
    """What the Jacobian changes, and the Gaussian loss at the quantile that delta leaves."""
    algorithm = ObjPert(epsilon=0.8, delta=1e-6, share=share)
    mu = algorithm.conditions.lipschitz / algorithm.noise_scale
    jacobian = math.log1p(algorithm.conditions.smoothness / algorithm.strength)
    assert jacobian == pytest.approx(math.log1p(share * 0.8)) and jacobian <= share * 0.8
    noise = mu * math.sqrt(2 * math.log(2e6)) + mu * mu / 2
    assert 0.9 * (1 - share) * 0.8 <= noise <= (1 - share) * 0.8


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_exact_law_in_one_dimension_keeps_the_claim(relation: str, epsilon: float) -> None:
    """w is where b = -(gradient + quadratic w): its density is that of b there times the objective's curvature. The
    worst records at few data; the claim would fail at a tenth of the noise."""
    algorithm = ObjPert(epsilon=epsilon, delta=1e-3, relation=relation)
    y = np.array([1.0, 1.0])
    other = np.array([1.0, 1.0, 1.0]) if relation == "add-remove" else np.array([1.0, -1.0])

    def density(w: np.ndarray, labels: np.ndarray, sigma: float) -> np.ndarray:
        shares = 1 / (1 + np.exp(labels[:, None] * w))
        slope = -(labels[:, None] * shares).sum(axis=0) + algorithm.strength * w
        curvature = (shares * (1 - shares)).sum(axis=0) + algorithm.strength
        return np.exp(-(slope**2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi)) * curvature

    def delta(multiplier: float) -> float:
        sigma = multiplier * algorithm.noise_scale
        reach = (12 * sigma + 3) / algorithm.strength
        w = np.linspace(-reach, reach, 400_001)
        p, q = density(w, y, sigma), density(w, other, sigma)
        assert p.sum() * (w[1] - w[0]) == pytest.approx(1.0, abs=1e-9)
        excess = max(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() * (w[1] - w[0]) for a, b in ((p, q), (q, p)))
        return float(excess)

    assert delta(1.0) <= 1e-3
    assert delta(1 / 10) > 1e-3


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"regularisation": -1.0}, "regularisation"),
        ({"norm": math.inf}, "norm"),
        ({"relation": "swap"}, "relation"),
        ({"noise_multiplier": -1.0}, "noise_multiplier"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"iterations": 0}, "iterations"),
        ({"model": "hinge"}, "smooth"),
        ({"model": "squared"}, "bounded gradients"),
        ({"model": "softmax:3"}, "no margins"),
        ({"model": "no-such"}, "no-such"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        ObjPert(**wrong)  # type: ignore[arg-type]


def test_long_rows_are_refused() -> None:
    with pytest.raises(InputError, match="record 3 has L2 norm"):
        ObjPert().train(TABLE.replaced(3, np.ones(3), 1.0), rng=stream(0, "bad"))


@pytest.mark.parametrize("model", ["logistic", "huber-svm"])
def test_many_records_reach_the_tolerance_too(model: str) -> None:
    """Where the rounding of a large sum's value stops L-BFGS before its gradient is small."""
    rng = np.random.default_rng(1)
    features = rng.random((20_000, 30)) < 0.15
    table = Table(features=features.astype(float), labels=rng.choice([-1.0, 1.0], 20_000)).normalised()
    algorithm = ObjPert(model=model, tolerance=1e-8)
    whole = algorithm.transcript(table, rng=stream(0, "many"))
    gradient = find_model(model).gradient(whole.result, table)
    assert gradient + algorithm.strength * whole.result + whole.perturbed[0].value == pytest.approx(0.0, abs=1e-8)


def test_a_minimum_that_is_not_reached_is_no_output() -> None:
    with pytest.raises(InputError, match=r"not reached.*1e-300.*larger tolerance"):
        ObjPert(tolerance=1e-300, iterations=3).train(TABLE, rng=stream(0, "far"))


@pytest.mark.parametrize("noise_multiplier", [0.0, 0.999])
def test_less_noise_than_published_claims_nothing(noise_multiplier: float) -> None:
    with pytest.raises(InputError, match=f"claim for noise_multiplier = {noise_multiplier}"):
        ObjPert(noise_multiplier=noise_multiplier).guarantee()
    assert ObjPert(noise_multiplier=2.0).guarantee() == ObjPert().guarantee()
