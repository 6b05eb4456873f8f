"""AM-RATE: the inequality behind Theorem 4.2 along every run, and where the print of its bound breaks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.models.model import find_model
from reference_impls.papers.diss.lemmas.admm.rate import path_bound, rate_bound, theorem_steps

ETAS, RHOS = st.floats(1e-3, 10.0), st.floats(0.01, 10.0)


def averages(whole: object, table: Table, loss: str, l1: float, beta: float) -> float:
    """f(mean of x^0 .. x^(t-1)) + h(zbar) + beta |xbar - zbar|."""
    path, z = whole.iterates, whole.public["z"]  # type: ignore[attr-defined]  # a transcript
    smooth = find_model(loss).losses(path[:-1].mean(axis=0), table).mean()
    apart = np.linalg.norm(path[1:].mean(axis=0) - z.mean(axis=0))
    return float(smooth + l1 * np.abs(z.mean(axis=0)).sum() + beta * apart)


@given(
    st.integers(0, 2**32),
    ETAS,
    RHOS,
    st.sampled_from([0.0, 0.01, 0.5]),
    st.sampled_from(["logistic", "huber-svm", "hinge", "squared"]),
    st.sampled_from(["constant", "root", "epoch"]),
)
def test_along_every_run(seed: int, eta: float, rho: float, l1: float, loss: str, schedule: str) -> None:
    """With noise and mini-batches, for any point in the optimum's place, any beta, and rates that never rise."""
    rng = np.random.default_rng(seed)
    table = Table(features=rng.normal(size=(6, 2)), labels=rng.choice([-1.0, 1.0], 6))
    algorithm = SsAdmm(
        model=loss, steps=12, batch_size=2, sigma=0.5, clip=100.0, l1=l1, rho=rho, initial_step=eta, schedule=schedule
    )
    whole = algorithm.transcript(table, rng=stream(seed, "rate"))
    model = find_model(loss)
    exact = np.array([model.gradient(x, table) / 6 for x in whole.iterates[:-1]])
    anywhere = 2.0 * rng.normal(size=2)
    apart = np.linalg.norm(whole.iterates[1:].mean(axis=0) - whole.public["z"].mean(axis=0))
    beta = float(rng.uniform(0.0, 6.0) * rho * 12 * apart)  # where the term in beta counts the most, and around
    value = model.losses(anywhere, table).mean() + l1 * np.abs(anywhere).sum()
    right = path_bound(
        whole.step_sizes,
        whole.iterates,
        np.array(whole.released("gradient")),
        exact,
        anywhere,
        np.zeros(2),
        rho=rho,
        beta=beta,
    )
    left = averages(whole, table, loss, l1, beta) - value
    assert left <= right + 1e-10 * (1 + abs(right) + abs(left) + np.square(whole.iterates).max() / eta)


def test_it_is_an_equation_where_the_loss_is_linear() -> None:
    """Hinge loss far from its kink, next to no penalty: nothing is lost in any inequality of the proof."""
    table = Table(features=np.array([[0.1, 0.0]]), labels=np.ones(1))
    algorithm = SsAdmm(
        model="hinge", steps=5, batch_size=1, sigma=0.3, l1=0.0, rho=1e-9, initial_step=0.7, schedule="root"
    )
    whole = algorithm.transcript(table, rng=stream(0, "rate"))
    noisy, anywhere = np.array(whole.released("gradient")), np.array([1.0, -2.0])
    right = path_bound(
        whole.step_sizes, whole.iterates, noisy, np.tile([-0.1, 0.0], (5, 1)), anywhere, np.zeros(2), rho=1e-9
    )
    assert averages(whole, table, "hinge", 0.0, 0.0) - 0.9 == pytest.approx(right, rel=1e-6)


def test_the_weight_of_the_constraint_costs_what_the_proof_says() -> None:
    """One step by hand: slope -g, z held at 0 by l1, the origin in the optimum's place, s = eta rho."""
    eta, rho, g = 0.5, 0.2, 0.1
    table = Table(features=np.array([[g]]), labels=np.ones(1))
    settings = {"steps": 1, "batch_size": 1, "sigma": 0.0, "l1": 1.0, "rho": rho, "initial_step": eta}
    whole = SsAdmm(model="hinge", **settings).transcript(table, rng=stream(0, "rate"))
    s, origin = eta * rho, np.zeros(1)
    end = eta * g / (1 + s)
    assert whole.result == pytest.approx([end], rel=1e-12)
    assert not whole.public["z"].any()
    slope = np.array([[-g]])
    right = path_bound((eta,), whole.iterates, slope, slope, origin, origin, rho=rho, beta=5 * rho * end)
    assert right == pytest.approx(eta * (g / (1 + s)) ** 2 * (s + s * s / 2 + 12.5 * s), rel=1e-12)
    assert averages(whole, table, "hinge", 1.0, 5 * rho * end) - 1.0 == pytest.approx(5 * rho * end**2, rel=1e-9)


def test_the_printed_bound_is_broken_by_a_large_penalty() -> None:
    """One record, x = 1: Huberised SVM, convex and flat from 1.5 on; no l1, so y* = y^0 = 0 and the printed D is 0.

    No randomness at all: sigma = 0 and one record, so the run is its own expectation.
    """
    table = Table(features=np.ones((1, 1)), labels=np.ones(1))
    t, rho, diameter = 100, 1e4, 1.5
    steps = theorem_steps(t, squared=1.0, diameter=diameter)
    algorithm = SsAdmm(
        model="huber-svm", steps=t, batch_size=1, sigma=0.0, l1=0.0, rho=rho, initial_step=steps[0], schedule="root"
    )
    whole = algorithm.transcript(table, rng=stream(0, "rate"))
    assert whole.step_sizes == pytest.approx(steps)
    assert 0.0 <= whole.iterates.min() <= whole.iterates.max() <= diameter  # inside X, so d_X is what it should be
    gap = averages(whole, table, "huber-svm", 0.0, 0.0)  # the optimum is 0
    at = {"squared": 1.0, "diameter": diameter, "rho": rho}
    assert gap > 4 * rate_bound(steps, distance=0.0, **at)
    assert gap <= rate_bound(steps, distance=1.5, **at)
    slopes = np.array([find_model("huber-svm").gradient(x, table) for x in whole.iterates[:-1]])
    optimum = np.array([diameter])
    path = (steps, whole.iterates, slopes, slopes, optimum)
    assert gap > 4 * path_bound(*path, optimum, rho=rho)  # as if z^0 were the optimum
    assert gap <= path_bound(*path, np.zeros(1), rho=rho)


@given(st.integers(1, 2000), st.floats(0.1, 10.0), st.floats(0.1, 10.0))
def test_the_rates_of_the_theorem_give_its_last_line(t: int, squared: float, diameter: float) -> None:
    bound = rate_bound(
        theorem_steps(t, squared=squared, diameter=diameter),
        squared=squared,
        diameter=diameter,
        distance=2.0,
        rho=0.5,
        beta=3.0,
    )
    rest = 0.5 * 4 / (2 * t) + 9 / (2 * 0.5 * t)
    assert bound <= (diameter * math.sqrt(2 * squared / t) + rest) * (1 + 1e-12)


def test_the_bound_by_hand() -> None:
    found = rate_bound((0.5, 0.25), squared=2.0, diameter=3.0, distance=2.0, rho=0.5, beta=3.0)
    assert found == pytest.approx((0.75 + 9 / 0.5) / 2 + 0.5 * 4 / 4 + 9 / (2 * 0.5 * 2), rel=1e-14)
