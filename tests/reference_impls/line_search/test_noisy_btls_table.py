"""NoisyBTLS on real records: the queries against a direct evaluation of the loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.datasets.adult import ADULT
from dpverify.datasets.dataset import load_table
from dpverify.datasets.neighbors.table import TableRecords
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.line_search.descent_ray import descent
from reference_impls.line_search.noisy_btls_table import noisy_btls
from reference_impls.models.linear import H_BAR

NAMES = ["breast-cancer"] + ["adult"] * ADULT.available()
LOSSES = ("logistic", "huber-svm")


def naive_objective(loss: str, table: Table, weights: np.ndarray, clip: float) -> float:
    """f(w; D) in plain NumPy from the features, summed exactly."""
    margin = table.labels * (table.features @ weights)
    if loss == "logistic":
        values = np.logaddexp(0.0, -margin)
    else:
        middle = (1 + H_BAR - margin) ** 2 / (4 * H_BAR)
        values = np.where(margin < 1 - H_BAR, 1 - margin, np.where(np.abs(1 - margin) <= H_BAR, middle, 0.0))
    return math.fsum(np.minimum(values, clip))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("loss", LOSSES)
def test_queries_agree_with_a_direct_evaluation(name: str, loss: str) -> None:
    """f(w - eta g; D) at the moved weights, not along the margins: 1e-12 of the objective."""
    table = load_table(name)
    mechanism = noisy_btls(data=name, loss=loss, eta0=8.0, iterate=3, max_it=8)
    w, g = descent(table, loss, 3).weights, descent(table, loss, 3).direction
    start = naive_objective(loss, table, w, 1.0)
    expected, eta = [], 8.0
    for _ in range(8):
        expected.append(start - 0.5 * eta * float(g @ g) - naive_objective(loss, table, w - eta * g, 1.0))
        eta *= 0.8
    assert mechanism.query(table) == pytest.approx(np.array(expected), abs=1e-12 * start)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_order_of_the_records_does_not_matter(loss: str) -> None:
    table = load_table("breast-cancer")
    shuffled = table.take(np.random.default_rng(0).permutation(table.rows))
    mechanism = noisy_btls(data="breast-cancer", loss=loss)
    assert mechanism.query(shuffled) == pytest.approx(mechanism.query(table), abs=1e-13)


@pytest.mark.parametrize("loss", LOSSES)
def test_one_record_moves_every_query_by_at_most_the_clip(loss: str) -> None:
    """And the candidates get close to it, so a bound of 90 % would be caught."""
    mechanism = noisy_btls(data="breast-cancer", loss=loss, eta0=100.0, clip=0.25)
    space = SearchSpace(size=300, low=0.0, high=1.0, data="breast-cancer")
    moves = [
        np.abs(mechanism.query(pair.d1) - mechanism.query(pair.d0)).max()
        for pair in TableRecords().candidates(space, limit=20, rng=np.random.default_rng(0))
    ]
    assert 0.9 * 0.25 < max(moves) <= 0.25 + 1e-12


def test_the_direction_may_be_scaled_and_is_public() -> None:
    table = load_table("breast-cancer")
    forwards, backwards = (noisy_btls(data="breast-cancer", gradient_scale=scale) for scale in (2.0, -2.0))
    assert forwards.ray.direction == pytest.approx(-backwards.ray.direction)
    assert forwards.query(table)[0] > backwards.query(table)[0]
    assert forwards.ray is noisy_btls(data="breast-cancer", gradient_scale=2.0).ray


def test_runs_are_the_same_bits_for_a_stream() -> None:
    table = load_table("breast-cancer")
    mechanism = noisy_btls(data="breast-cancer", budget=0.1)
    one, two = (mechanism.sample(table, 500, rng=stream(0, "bits")) for _ in range(2))
    assert np.array_equal(one, two)
    assert np.bincount(one, minlength=31).tolist() == mechanism.counts(table, 500, rng=stream(0, "bits")).tolist()


def test_bad_input_is_refused() -> None:
    mechanism = noisy_btls(data="breast-cancer")
    narrow = Table(features=np.ones((2, 3)), labels=np.array([1.0, -1.0]))
    for wrong in (narrow, np.ones((2, 31))):
        with pytest.raises(InputError, match="a Table with 31 columns"):
            mechanism.query(wrong)
    with pytest.raises(InputError, match="model"):
        noisy_btls(data="breast-cancer", loss="no-such")
    with pytest.raises(InputError, match="iterate"):
        noisy_btls(data="breast-cancer", iterate=-1)
    with pytest.raises(InputError, match="clip"):
        noisy_btls(data="breast-cancer", clip=0.0)


def test_a_hinge_loss_has_queries_too() -> None:
    table, ray = load_table("breast-cancer"), descent(load_table("breast-cancer"), "hinge", 2)
    found = noisy_btls(data="breast-cancer", loss="hinge", iterate=2, eta0=4.0, max_it=1).query(table)
    sums = [
        math.fsum(np.clip(1.0 - table.labels * (table.features @ at), 0.0, 1.0))
        for at in (ray.weights, ray.weights - 4.0 * ray.direction)
    ]
    assert found[0] == pytest.approx(sums[0] - sums[1] - 0.5 * 4.0 * float(ray.direction @ ray.direction), abs=1e-10)


def test_no_records_have_queries_too() -> None:
    empty = load_table("breast-cancer").take(np.zeros(0, dtype=np.int64))
    mechanism = noisy_btls(data="breast-cancer")
    step = 0.5 * mechanism.step_sizes * float(mechanism.ray.direction @ mechanism.ray.direction)
    assert mechanism.query(empty) == pytest.approx(-step)
