"""Federated averaging (McMahan et al. 2017, Algorithm 1) with every client in every round, as ADADP takes it ("C = 1").

A round: the server sends its weights to all clients, each trains on its own records, and the server averages what they
send back, each by its share of the records (McMahan et al.; "averages" in ADADP, whose clients have equally many).

A client's batches are those of a fresh random order of its records, as many as make `local_epochs` passes; the last of
a pass may be smaller. Clients keep nothing between rounds but, where a subclass says so, a step size.

Nothing is claimed about privacy: the transcript shows the server's weights and all that it is sent, in the clear.

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
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import Model, find_model
from reference_impls.training.settings import need_count, need_positive
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedAveraging(Training):
    """The server. Data set: a tuple of tables, a client each. Result: the last average, shape (d,).

    Attributes
    ----------
    model : str
        Text of a model, see :func:`~reference_impls.models.model.find_model`.
    rounds : int
        Of communication.
    local_epochs : int
        Passes of a client over its records in a round.
    batch_size : int
        |B|; all of a client's records where it has fewer.
    step_size : float
        Of the clients.
    start_seed : int
        Of the public starting weights; linear models start at zero whatever it is.
    """

    data_kind: ClassVar[str] = "clients"

    model: str = "logistic"
    rounds: int = 200
    local_epochs: int = 1
    batch_size: int = 10
    step_size: float = 0.1
    start_seed: int = 0

    def __post_init__(self) -> None:
        find_model(self.model)
        need_count(self, "rounds", "local_epochs", "batch_size")
        need_positive(self, "step_size")

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
                theirs, steps[k] = self.update(model, table, weights, steps[k], tape)
                tape.perturb("client", theirs, law="none", scale=0.0)
                average += table.rows / records * theirs
            weights = average
            tape.iterate(weights)
        return weights

    def batch_count(self, rows: int) -> int:
        """Batches of a client with so many records, in a round."""
        return self.local_epochs * -(-rows // self.batch_size)

    def batches(self, rows: int, tape: Tape) -> Iterator[Integer]:
        """One random order of a client's records after another, cut into batches; endlessly."""
        while True:
            order = tape.permutation("batch", rows)
            for start in range(0, rows, self.batch_size):
                yield order[start : start + self.batch_size]


def clients_for(model: Model, dataset: Dataset) -> tuple[Table, ...]:
    """The data set as the clients' tables, all with equally many columns.

    Raises
    ------
    InputError
        For anything else than a tuple of tables, none of them, a table that the model cannot be trained on.
    """
    if not isinstance(dataset, tuple):
        raise InputError(f"a data set of type {type(dataset).__name__}", allowed="a tuple of Tables, a client each")
    if not dataset:
        raise InputError("a data set without clients", allowed="at least one client")
    first = table_for(model, dataset[0])
    return first, *(table_for(model, each, columns=first.columns) for each in dataset[1:])
