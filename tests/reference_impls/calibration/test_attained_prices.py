"""What a calibrated release really moves by: certified prices are not below the privacy loss of recorded runs.

Two tables differ in one record, whose clipped gradients are opposite (replaced) or of which one is zero (removed). One
release is recorded on the first and replayed with the same draws on the second; its clean vectors move by some d, its
noise has standard deviation s, so the release costs what N(0, 1) against N(|d| / s, 1) does. That is compared with the
price: it may not be above it, and at these extreme records it must come close.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpverify.core.plugins import registry
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.table import Table

ROWS, DELTA = 20, 1e-6
CLIP = 0.01
FULL = {"steps": 1, "clip": CLIP}
HUBER = {"model": "huber-svm:0.5", "l2": 0.0}


def table(last: float) -> Table:
    """One record that is not zero: a unit vector with this label, or none for 0."""
    features = np.zeros((ROWS, 2))
    features[-1, 0] = abs(last)
    labels = np.ones(ROWS)
    labels[-1] = last or 1.0
    return Table(features=features, labels=labels)


def gaussian_epsilon(mu: float) -> float:
    """The least epsilon of N(0, 1) against N(mu, 1) at `DELTA` (Balle, Wang 2018)."""

    def excess(epsilon: float) -> float:
        far = norm.logcdf(-mu / 2 - epsilon / mu)
        return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon + far) - DELTA)

    return float(brentq(excess, 0.0, 1e4)) if excess(0.0) > 0 else 0.0


def moved(algorithm: Any, one: Table, other: Table) -> float:
    """All releases as one vector: how far they move, over the standard deviation of their noise."""
    run = algorithm.transcript(one, rng=np.random.default_rng(1))
    again = algorithm.replay(other, run)
    square = 0.0
    for here, there in zip(run.perturbed, again.perturbed, strict=True):
        if not here.released:
            continue
        assert here.law == "gaussian" and here.scale == there.scale > 0
        square += float(np.sum((here.clean - there.clean) ** 2)) / here.scale**2
    return math.sqrt(square)


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("dp-sgd", {**FULL, "rate": 1.0}, "add-remove"),
    ("dp-sgd", {**FULL, "rate": 1.0}, "replace"),
    ("dp-adam", {**FULL, "rate": 1.0}, "add-remove"),
    ("dp-adam", {**FULL, "rate": 1.0}, "replace"),
    ("proximal-dp-sgd", {**FULL, "batch_size": ROWS}, "add-remove"),
    ("proximal-dp-sgd", {**FULL, "batch_size": ROWS}, "replace"),
    ("adadp", {**FULL, "rate": 1.0}, "add-remove"),
    ("adadp", {**FULL, "rate": 1.0}, "replace"),
    ("dp-sgd-fixed-size", {**FULL, "batch_size": ROWS}, "replace"),
    ("dp-sgd-shuffled", {**FULL, "batch_size": ROWS}, "replace"),
    ("ss-admm", {**FULL, "batch_size": ROWS, "schedule": "constant"}, "replace"),
    ("mp-admm", {"epochs": 1, "clip": CLIP, "l1": 0.0, "initial_step": 2.0}, "replace"),
    ("mp-admm-repaired", {"epochs": 1, "clip": CLIP, "l1": 0.0, "initial_step": 2.0}, "replace"),
    ("dp-admm", {"rounds": 1, "clip": CLIP}, "replace"),
    ("adp-sgd", {**FULL, "alpha": "one", "batch_size": ROWS}, "replace"),
    ("dp-sgd", {**FULL, "rate": 1.0, "steps": 3}, "replace"),
    ("adadp", {**FULL, "rate": 1.0, "steps": 4}, "replace"),
    ("dp-sgd-shuffled", {**FULL, "batch_size": ROWS, "steps": 3}, "replace"),
    ("nsgd", {**HUBER, "epochs": 1, "batch_size": ROWS, "initial_step": 0.1}, "replace"),
    ("nsgd", {**HUBER, "epochs": 1, "batch_size": 12, "initial_step": 0.1}, "replace"),
    ("rsgd-ar", {**HUBER, "epochs": 1, "batch_size": ROWS, "initial_step": 0.1}, "replace"),
    ("out-pert-gd", {**HUBER, "l2": 1e-3, "steps": 1, "step_size": 0.1}, "replace"),
]


@pytest.mark.parametrize(("name", "settings", "relation"), CASES, ids=[f"{c[0]} {c[2]}" for c in CASES])
def test_a_price_is_not_below_what_a_release_costs_and_close_to_it(
    name: str, settings: dict[str, Any], relation: str
) -> None:
    algorithm: Any = registry().mechanisms.get(name)(**settings)
    found = algorithm.calibrated(epsilon=1.0, delta=DELTA, relation=relation, rows=ROWS)
    mu = moved(found.algorithm, table(1.0), table(-1.0 if relation == "replace" else 0.0))
    assert 0.9 <= gaussian_epsilon(mu) <= found.epsilon * (1 + 1e-6)


def sessions(*, swapped: bool) -> Sessions:
    """Sessions of two opposite documents; in the last one the other document may be the relevant one."""
    labels = np.tile([1.0, 0.0], ROWS)
    labels[-2:] = labels[-2:][:: -1 if swapped else 1]
    documents = np.tile([[1.0, 0.0], [-1.0, 0.0]], (ROWS, 1))
    return Sessions(documents=documents, labels=labels, offsets=2 * np.arange(ROWS + 1))


@pytest.mark.parametrize("name", ["dp-listnet", "dp-listmle", "dp-listnet-repaired", "privbr-repaired"])
def test_a_ranker_s_price_is_what_swapped_labels_cost(name: str) -> None:
    clipped = {} if name == "privbr-repaired" else {"clip": CLIP}
    algorithm: Any = registry().mechanisms.get(name)(scorer="linear", k=1, steps=1, batch=ROWS, **clipped)
    found = algorithm.calibrated(epsilon=1.0, delta=DELTA, relation="labels", rows=ROWS)
    mu = moved(found.algorithm, sessions(swapped=False), sessions(swapped=True))
    assert 0.9 <= gaussian_epsilon(mu) <= found.epsilon * (1 + 1e-6)


@pytest.mark.parametrize(("relation", "last"), [("replace", -1.0), ("add-remove", 0.0)])
def test_a_selection_of_priv_gene_costs_what_its_odds_move_by(relation: str, last: float) -> None:
    """Of candidates w = s and -s: by the change of the difference of their fitness, over the scale of the noise."""
    size = 0.5
    algorithm: Any = registry().mechanisms.get("priv-gene")(model="huber-svm:0.5", rounds=1, scale=size)
    found = algorithm.calibrated(epsilon=1.0, delta=DELTA, relation=relation, rows=ROWS)
    noise = 4.0 * size / found.noise[1]  # 2 R D over epsilon, with R = 1 and D = 2 s
    hinge = np.array([-np.maximum(0.0, 1.0 - size), -np.maximum(0.0, 1.0 + size)])  # fitness of w = s, -s at label 1
    there = hinge[::-1] if last else np.zeros(2)
    odds = abs(float(np.diff(hinge)[0] - np.diff(there)[0])) / noise
    others = np.linspace(-12.0, 0.0, 121)  # log odds that the other records may give
    more, less = (1.0 / (1.0 + np.exp(-others - side * odds / 2.0)) for side in (1.0, -1.0))
    epsilon = float(np.log(np.maximum(more - DELTA, 1e-300) / less).max())
    assert 0.9 <= epsilon <= found.epsilon * (1 + 1e-6)


def test_a_replaced_record_costs_dp_agd_what_a_group_of_two_does() -> None:
    """zCDP of a group of two is four times that of one (Bun, Steinke 2016, Proposition 1.9)."""
    known = registry().mechanisms.get("dp-agd")
    found = known().calibrated(epsilon=1.0, delta=DELTA, relation="replace", rows=ROWS).algorithm
    rho = float(brentq(lambda rho: rho + 2 * math.sqrt(rho * math.log(1 / DELTA)) - found.epsilon, 0.0, 1.0))
    assert found.rho == pytest.approx(rho, rel=1e-9)
    mu = math.sqrt(2 * 4 * rho)  # a Gaussian has exactly that zCDP, and a conversion of zCDP costs no less
    assert gaussian_epsilon(mu) <= 1.0 <= 1.35 * gaussian_epsilon(mu)
