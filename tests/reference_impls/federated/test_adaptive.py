"""Adaptive federated averaging: what it is equivalent to and what not, odd rounds, bad input of all three."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.clients import split_by_class
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.federated.adam import FederatedAdam
from reference_impls.federated.adaptive import FederatedAdaptive
from reference_impls.federated.sgd import FederatedSgd
from reference_impls.optimizers.adadp_non_private import adadp_non_private

RNG = np.random.default_rng(7)
TABLE = Table(features=RNG.normal(size=(40, 3)), labels=RNG.choice([-1.0, 1.0], 40))


def pair(step_size: float, *, discard: bool) -> tuple[Any, Any]:
    """One client for one round of twenty batches (AD-FED-EQ), and Algorithm 2 at C = inf, C sigma = 0."""
    client = FederatedAdaptive(rounds=1, batch_size=2, step_size=step_size)
    alone = adadp_non_private(steps=10, batch_size=2, initial_step=step_size, discard=discard)
    return tuple(each.transcript(data, rng=stream(0, "eq")) for each, data in ((client, (TABLE,)), (alone, TABLE)))


def test_the_client_is_algorithm_2_while_no_error_is_above_tol() -> None:
    client, server = pair(0.01, discard=False)
    assert np.array_equal(client.result, server.result)
    assert np.array_equal(client.step_sizes, server.step_sizes)
    assert client.public["answer"].all()


def test_the_client_is_not_algorithm_2_once_one_is() -> None:
    """What it is: Algorithm 2 with Algorithm 1's discard."""
    client, printed = pair(0.2, discard=False)
    assert set(client.public["answer"].tolist()) == {0.0, 1.0}
    assert np.linalg.norm(client.result - printed.result) > 0.1
    assert np.array_equal(client.result, pair(0.2, discard=True)[1].result)


def test_an_odd_round_ends_with_a_batch_of_another_order() -> None:
    whole = FederatedAdaptive(rounds=1, batch_size=15).transcript((TABLE,), rng=stream(0, "odd"))
    assert whole.step_sizes.size == 2  # batches of 15, 15, 10, and 15 of the next order
    assert len(whole.draws) == 2


def test_a_step_size_lasts_from_round_to_round_where_it_is_carried() -> None:
    own: dict[str, Any] = {"rounds": 4, "batch_size": 10}
    kept = FederatedAdaptive(**own, carry=True).transcript((TABLE,), rng=stream(0, "carry"))
    again = FederatedAdaptive(**own).transcript((TABLE,), rng=stream(0, "carry"))
    assert again.step_sizes.reshape(4, 2)[:, 0].tolist() == [0.1] * 4
    ratios = kept.step_sizes[1:] / kept.step_sizes[:-1]
    assert ratios == pytest.approx(np.clip(0.1 / kept.public["error"][:-1], 0.9, 1.1))


def test_whole_batches_of_sgd_find_scikit_learns_optimum() -> None:
    """A local step of all records a round: averaging by shares is gradient descent on all of them, however split."""
    clients = (TABLE.take(np.arange(25)), TABLE.take(np.arange(25, 40)))
    expected = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=1000)
    expected.fit(TABLE.features, TABLE.labels)
    found = FederatedSgd(rounds=600, batch_size=40, step_size=1.0).train(clients, rng=stream(0))
    assert found == pytest.approx(expected.coef_[0], abs=1e-6)


def test_clients_with_a_class_each_are_trained() -> None:
    """The pathological split of two classes: one client sees +1 only, the other -1 only."""
    clients = split_by_class(TABLE, ((1.0,), (-1.0,)), rng=stream(0))
    for algorithm in (FederatedSgd(rounds=3), FederatedAdam(rounds=3), FederatedAdaptive(rounds=3)):
        assert np.isfinite(algorithm.train(clients, rng=stream(0))).all()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (TABLE, "type Table"),
        ((), "without clients"),
        ((TABLE, 3.0), "type float"),
        ((TABLE, TABLE.take(np.empty(0, dtype=np.int64))), "without records"),
        ((TABLE, Table(features=np.ones((2, 2)), labels=np.ones(2))), "with 2 columns"),
        ((TABLE, Table(features=np.ones((2, 3)), labels=np.full(2, 3.0))), "label 3"),
    ],
)
def test_data_that_are_no_clients_are_refused(data: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        FederatedSgd().train(data, rng=stream(0))


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (FederatedSgd, {"rounds": 0}),
        (FederatedSgd, {"local_epochs": 0}),
        (FederatedSgd, {"batch_size": 0}),
        (FederatedSgd, {"step_size": 0.0}),
        (FederatedSgd, {"model": "no-such"}),
        (FederatedAdam, {"beta1": 1.0}),
        (FederatedAdam, {"beta2": -0.1}),
        (FederatedAdam, {"stabiliser": 0.0}),
        (FederatedAdaptive, {"tol": 0.0}),
        (FederatedAdaptive, {"alpha_min": 2.0}),
        (FederatedAdaptive, {"alpha_max": 0.5}),
        (FederatedAdaptive, {"error": "none"}),
    ],
)
def test_bad_settings_are_refused(kind: type, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="no-such" if "model" in wrong else next(iter(wrong))):
        kind(**wrong)
