"""What the family shares: resets of eta0, divisors, settings that are refused, and the limit without noise."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blgd import DpBlgd
from reference_impls.line_search.dp_blsgd import DpBlsgd
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc
from reference_impls.line_search.dp_blsgd_network import DpBlsgdNetwork, DpBlsgdNetworkRepaired
from reference_impls.line_search.dp_blsgd_repaired import DpBlsgdRepaired
from reference_impls.line_search.line_search_training import LineSearchTraining, reset
from reference_impls.papers.blsgd.lemmas.blsgd_step import BlsgdStep

ALL: tuple[type[LineSearchTraining], ...] = (
    DpBlsgd,
    DpBlsgdAc,
    DpBlsgdRepaired,
    DpBlgd,
    DpBlsgdNetwork,
    DpBlsgdNetworkRepaired,
    BlsgdStep,
)
QUIET: dict[str, Any] = {"c_grad": 1e3, "c_obj": 1e3, "l2": 0.2, "eta0": 2.0, "tau": 10**6}
BUDGETS: dict[str, Any] = {"epsilon": 1e30, "orders": (2,), "rho_grad": 1e20, "budget_bt": 1e12, "most_steps": 150}


@pytest.mark.parametrize(
    ("eta0", "chosen", "expected"), [(1.0, [], 1.0), (1.0, [0.1, 0.5, 0.2], 0.6), (1.0, [0.9], 1.0)]
)
def test_eta0_is_reset_to_the_largest_step_and_never_rises(eta0: float, chosen: list[float], expected: float) -> None:
    assert reset(eta0, chosen, 1.2) == pytest.approx(expected)


def test_a_reset_every_tau_iterations() -> None:
    subject, chosen = DpBlsgd(tau=3), [0.1]
    assert [subject.first_step(iteration, 1.0, chosen) for iteration in (0, 1)] == [1.0, 1.0]
    assert chosen == [0.1]
    assert subject.first_step(2, 1.0, chosen) == pytest.approx(0.12)
    assert chosen == []


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_first_budgets_are_a_hundredth(noise: Any) -> None:
    """Section V-D: epsilon_iter = epsilon / 100, epsilon_BT the same, rho_grad = epsilon_iter^2 / 2."""
    levels = DpBlsgd(epsilon=0.2, noise=noise).first_levels
    assert levels.rho_grad == pytest.approx(2e-6)
    assert levels.budget_bt == pytest.approx(0.002 if noise == "laplace" else 2e-6)


def test_numpys_whole_numbers_are_taken(small: Table) -> None:
    subject = DpBlsgd(
        orders=np.array([8, 32]), tau=np.int64(3), max_it=np.int64(4), most_steps=np.int64(2), epsilon=6.0
    )  # type: ignore[arg-type]
    assert subject.orders == (8, 32)
    subject.train(small, rng=stream(0, "numpy"))
    for retries in (-1, 1.0, True, False, "1"):
        with pytest.raises(InputError, match="retries"):
            BlsgdStep(retries=retries)  # type: ignore[arg-type]
    assert BlsgdStep(retries=0, at=(0.1, 0.0, 0.0)).transcript(small, rng=stream(0)).iterates.tolist() == [[0.1, 0, 0]]


@pytest.mark.parametrize("subject", [DpBlsgd, DpBlsgdRepaired, DpBlgd])
def test_the_signature_is_short(subject: Any) -> None:
    """No list of 499 orders."""
    assert "orders: Orders = range(2, 501)" in str(inspect.signature(subject)).replace("'", "")
    assert subject().orders == tuple(range(2, 501))


@pytest.mark.parametrize("subject", ALL)
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "no-such"}, "no-such"),
        ({"c_grad": float("inf")}, "c_grad = inf"),
        ({"c_obj": 0.0}, "c_obj = 0"),
        ({"alpha": -1.0}, "alpha = -1"),
        ({"beta": 1.0}, "beta = 1"),
        ({"eta0": 0.0}, "eta0 = 0"),
        ({"max_it": 0}, "max_it = 0"),
        ({"tau": 0}, "tau = 0"),
        ({"varsigma": 1.0}, "varsigma = 1"),
        ({"l2": -0.1}, "l2 = -0.1"),
        ({"noise": "cauchy"}, "cauchy"),
        ({"divisor": "none"}, "none"),
        ({"records": 0}, "records = 0"),
        ({"model": 5}, "model = 5"),
        ({"alpha": "a"}, "alpha = 'a'"),
        ({"beta": "a"}, "beta = 'a'"),
        ({"eta0": None}, "eta0 = None"),
        ({"varsigma": "a"}, "varsigma = 'a'"),
        ({"max_it": 2.0}, "max_it = 2"),
    ],
)
def test_bad_settings(subject: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        subject(**settings)


@pytest.mark.parametrize("subject", [DpBlsgd, DpBlsgdRepaired])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"q": 0.0}, "q = 0"),
        ({"psi": 1.0}, "psi = 1"),
        ({"phi_max": 1.0}, "phi_max = 1"),
        ({"phi_min": 1.0}, "phi_min = 1"),
        ({"zeta": 1.0}, "zeta = 1"),
        ({"raising": "always"}, "adap"),
        ({"xi": 0.0}, "xi = 0"),
        ({"epsilon": 0.0}, "epsilon = 0"),
        ({"delta": 0.0}, "delta = 0"),
        ({"orders": (3, 2)}, "orders"),
        ({"orders": (1.5,)}, "orders"),
        ({"orders": ()}, "orders"),
        ({"orders": 2}, "orders = 2"),
        ({"orders": ("a",)}, "orders"),
        ({"orders": (2, 2)}, "orders"),
        ({"orders": (1, 2)}, "orders"),
        ({"psi": "a"}, "psi = 'a'"),
        ({"phi_max": float("inf")}, "phi_max = inf"),
        ({"delta": "a"}, "delta = 'a'"),
        ({"rho_grad": 0.0}, "rho_grad = 0"),
        ({"budget_bt": -1.0}, "budget_bt = -1"),
        ({"most_steps": 0}, "most_steps = 0"),
    ],
)
def test_bad_budgets(subject: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        subject(**settings)


@pytest.mark.parametrize("subject", ALL)
def test_bad_data(subject: Any, small: Table) -> None:
    classes = Table(features=small.features, labels=np.abs(small.labels) + 1)
    nobody = small.take(np.array([], dtype=np.int64))
    for data, message in ((classes, "label 2"), (nobody, "without records"), ([1.0, 2.0], "Table")):
        with pytest.raises(InputError, match=message):
            subject().train(data, rng=stream(0, "bad"))


@pytest.mark.parametrize("subject", ALL)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_replay_is_the_run(subject: Any, noise: str, small: Table) -> None:
    """Bit for bit, and the result alone is the transcript's."""
    settings = {"noise": noise, "epsilon": 6.0, "orders": (8, 32), "most_steps": 20}
    settings = {key: value for key, value in settings.items() if key in subject.__dataclass_fields__}
    algorithm = subject(**settings)
    first = algorithm.transcript(small, rng=stream(0, "replay"))
    again = algorithm.replay(small, first)
    assert algorithm.train(small, rng=stream(0, "replay")).tolist() == first.result.tolist()
    assert again.result.tolist() == first.result.tolist()
    assert again.state == first.state
    assert [entry.value.tolist() for entry in again.perturbed] == [entry.value.tolist() for entry in first.perturbed]
    assert again.public.keys() == first.public.keys()
    assert all(np.array_equal(again.public[name], values) for name, values in first.public.items())


@pytest.mark.parametrize(
    ("subject", "budgets"),
    [
        (DpBlgd, BUDGETS),
        (DpBlsgd, {"q": 1.0, **BUDGETS}),
        (DpBlsgdRepaired, {"q": 1.0, **BUDGETS}),
        (DpBlsgdNetwork, {"q": 1.0, "rho_iter": 1e20, "steps": 150}),
    ],
)
def test_without_noise_it_finds_the_optimum(subject: Any, budgets: dict[str, Any], small: Table) -> None:
    """Full batches, l2-regularised logistic regression; SciPy's BFGS is the other side."""

    def objective(weights: np.ndarray) -> float:
        margins = small.labels * (small.features @ weights)
        return float(np.logaddexp(0.0, -margins).mean() + 0.1 * weights @ weights)

    best = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    found = subject(**QUIET, **budgets).train(small, rng=stream(0, "limit"))
    assert objective(found) == pytest.approx(best.fun, abs=1e-12)
    assert found == pytest.approx(best.x, abs=1e-5)


@pytest.mark.parametrize("algorithm", [DpBlsgd(), DpBlsgdNetwork(q=0.1)], ids=["dp-blsgd", "network"])
def test_the_published_release_moves_its_own_noise_scale(algorithm: Any, small: Table) -> None:
    """BL-BATCH-NORM by replay: without a record of the first sample, the scale of what is released is another."""
    transcript = algorithm.transcript(small, rng=stream(0, "norm"))
    first = transcript.draws[0].values
    without = algorithm.replay(small.without(int(first.max())), transcript)
    before, after = (each.perturbed[0].scale for each in (transcript, without))
    assert after == pytest.approx(before * first.size / (first.size - 1))


@pytest.mark.parametrize(
    ("subject", "settings"), [(DpBlsgdRepaired, {"most_steps": 20}), (DpBlsgdNetworkRepaired, {"q": 0.1})]
)
def test_the_repaired_release_does_not(subject: Any, settings: dict[str, Any], small: Table) -> None:
    """Given the public `records`; and one record moves the clean value by at most what is believed."""
    algorithm = subject(records=30, **settings)
    transcript = algorithm.transcript(small, rng=stream(0, "norm"))
    last = int(transcript.draws[0].values.max())
    first, second = transcript.perturbed[0], algorithm.replay(small.without(last), transcript).perturbed[0]
    assert first.scale == second.scale
    assert np.linalg.norm(first.clean - second.clean) <= first.sensitivity


def test_an_empty_sample_counts_as_one_record(small: Table) -> None:
    transcript = BlsgdStep(q=1e-12, rho_grad=0.5, c_grad=3.0).transcript(small, rng=stream(0, "empty"))
    assert transcript.draws[0].values.size == 0
    assert transcript.perturbed[0].clean.tolist() == [0.0, 0.0, 0.0]
    assert transcript.perturbed[0].scale == pytest.approx(3.0)
