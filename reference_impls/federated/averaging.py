"""Federated averaging (McMahan et al. 2017, Algorithm 1) with every client in every round, as ADADP takes it ("C = 1").

In a round, the server sends its weights to all clients, each client trains on its own records, and the server averages
the weights that they send back, weighted by their numbers of records (McMahan et al.; "averages" in ADADP, whose
clients have equally many).

A client makes `local_epochs` passes over its records, each in a fresh random order, cut into batches; the last batch of
a pass may be smaller. Between rounds a client keeps at most its step size, where a subclass says so.

Nothing is claimed about privacy: the transcript shows the server's weights and all weights that it is sent.

Not to be confused with privacy for clients, which would clip and perturb their updates.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.rules import Count, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import Model, ModelText, find_model
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedAveraging(Training):
    """The server. Data set: a tuple of tables, one for each client. Result: the last average, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    rounds : int
        Number of rounds of communication.
    local_epochs : int
        Passes of a client over its records in a round.
    batch_size : int
        |B|; all of a client's records where it has fewer.
    step_size : float
        Step size of the clients, at first.
    start_seed : int
        Seed of the public starting weights; linear models start at zero whatever it is.
    """

    data_kind: ClassVar[str] = "clients"

    model: ModelText = "logistic"
    rounds: Count = 200
    local_epochs: Count = 1
    batch_size: Count = 10
    step_size: Positive = 0.1
    start_seed: int = 0

    @abstractmethod
    def update(self, model: Model, table: Table, weights: Float, step: float, tape: Tape) -> tuple[Float, float]:
        """A client's round: the weights it sends back, and the step size it starts its next round with."""

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The published loop, for any model."""
        model = find_model(self.model)
        clients = clients_for(model, dataset)
        records = sum(table.rows for table in clients)
        steps = [self.step_size] * len(clients)
        weights = model.start(clients[0].columns, rng=stream(self.start_seed, "start"))
        tape.iterate(weights)
        for _ in range(self.rounds):
            average = np.zeros_like(weights)
            for k, table in enumerate(clients):
                sent, steps[k] = self.update(model, table, weights, steps[k], tape)
                tape.perturb("client", sent, law="none", scale=0.0)
                average += table.rows / records * sent
            weights = average
            tape.iterate(weights)
        return weights

    def batch_count(self, rows: int) -> int:
        """How many batches a client with this many records takes in a round."""
        return self.local_epochs * -(-rows // self.batch_size)

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """Batches of one random order of a client's records after another, without end: int64 indices."""
        while True:
            order = tape.permutation("batch", rows)
            for start in range(0, rows, self.batch_size):
                yield order[start : start + self.batch_size]


def clients_for(model: Model, dataset: Dataset) -> tuple[Table, ...]:
    """The data set as the clients' tables, all with equally many columns.

    Raises
    ------
    InputError
        For anything else than a tuple of tables, for no tables, and for a table that the model cannot be trained on.
    """
    if not isinstance(dataset, tuple):
        raise InputError(
            f"a data set of type {type(dataset).__name__}", allowed="a tuple of Tables, one for each client"
        )
    if not dataset:
        raise InputError("a data set without clients", allowed="at least one client")
    first = table_for(model, dataset[0])
    return first, *(table_for(model, each, columns=first.columns) for each in dataset[1:])
