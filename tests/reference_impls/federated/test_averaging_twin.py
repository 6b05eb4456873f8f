"""Federated averaging and its three clients beside plain NumPy, on the same random orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.federated.adam import FederatedAdam
from reference_impls.federated.adaptive import FederatedAdaptive
from reference_impls.federated.averaging import FederatedAveraging
from reference_impls.federated.sgd import FederatedSgd

RNG = np.random.default_rng(6)
CLIENTS = tuple(
    Table(features=0.5 * RNG.normal(size=(rows, 3)) + shift, labels=RNG.choice([-1.0, 1.0], rows))
    for rows, shift in ((7, 0.0), (12, 1.0), (4, -1.0))
)
OWN: dict[str, Any] = {"rounds": 3, "batch_size": 3, "local_epochs": 2, "step_size": 0.3}
Client = Callable[[Table, np.ndarray, Iterator[np.ndarray], float], tuple[np.ndarray, float]]


def total(table: Table, batch: np.ndarray, w: np.ndarray) -> np.ndarray:
    x, y = table.features[batch], table.labels[batch]
    return -(y / (1 + np.exp(y * (x @ w)))) @ x


def sgd(table: Table, w: np.ndarray, batches: Iterator[np.ndarray], step: float) -> tuple[np.ndarray, float]:
    for batch in batches:
        w = w - step * total(table, batch, w) / len(batch)
    return w, step


def adam(table: Table, w: np.ndarray, batches: Iterator[np.ndarray], step: float) -> tuple[np.ndarray, float]:
    m, v = np.zeros(3), np.zeros(3)
    for t, batch in enumerate(batches, start=1):
        g = total(table, batch, w) / len(batch)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - step * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w, step


def adaptive(discard: bool, carry: bool) -> Client:
    def client(table: Table, w: np.ndarray, batches: Iterator[np.ndarray], step: float) -> tuple[np.ndarray, float]:
        start = step
        for batch in batches:
            g1 = total(table, batch, w)
            full, half = w - step * g1, w - step / 2 * g1
            hat = half - step / 2 * total(table, next(batches), half)
            err = np.linalg.norm((full - hat) / np.maximum(1, np.abs(full)))
            if err <= 0.1 or not discard:
                w = full
            step *= min(max(0.1 / err, 0.9), 1.1)
        return w, step if carry else start

    return client


@pytest.mark.parametrize(
    ("algorithm", "client"),
    [
        (FederatedSgd(**OWN), sgd),
        (FederatedAdam(**OWN), adam),
        (FederatedAdaptive(**OWN), adaptive(discard=True, carry=False)),
        (FederatedAdaptive(**OWN, carry=True), adaptive(discard=True, carry=True)),
        (FederatedAdaptive(**OWN, discard=False), adaptive(discard=False, carry=False)),
    ],
)
def test_it_is_federated_averaging(algorithm: FederatedAveraging, client: Client) -> None:
    """Two local epochs: of 7 records six batches, of 12 eight, of 4 four; each client's in a new order each round."""
    whole = algorithm.transcript(CLIENTS, rng=stream(0, "twin"))
    orders = iter([draw.values for draw in whole.draws])
    w, steps, uploads = np.zeros(3), [0.3] * 3, iter(whole.perturbed)
    for round_ in range(3):
        sent = []
        for k, table in enumerate(CLIENTS):
            epochs = [next(orders), next(orders)]
            batches = [order[i : i + 3] for order in epochs for i in range(0, table.rows, 3)]
            theirs, steps[k] = client(table, w, iter(batches), steps[k])
            upload = next(uploads)
            assert (upload.name, upload.law, upload.released) == ("client", "none", True)
            assert upload.value == pytest.approx(theirs, rel=1e-10, abs=1e-13)
            sent.append(theirs)
        w = (7 * sent[0] + 12 * sent[1] + 4 * sent[2]) / 23
        assert whole.iterates[round_ + 1] == pytest.approx(w, rel=1e-10, abs=1e-13)
    assert next(orders, None) is None
    assert np.array_equal(whole.result, whole.iterates[-1])
