"""Records in several hands: how a table is split among clients, from all alike to each its own classes.

ADADP, "Federated learning experiments": in the pathological case each client has two of CIFAR-10's ten classes; with
33 % of the data chosen at random, clients lie between that and a random split. How records are chosen is not printed;
here a share `mixed` of all records, drawn without replacement, changes hands in a random order. Every client keeps its
number of records, and about that share of them is random.

Not to be confused with neighbours: whose record, or which client, is to be protected is a relation's to say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table

ADADP_CIFAR = ((1.0, 9.0), (0.0, 8.0), (3.0, 5.0), (2.0, 6.0), (4.0, 7.0))
"""Cars and trucks; planes and ships; cats and dogs; birds and frogs; deer and horses: CIFAR-10's numbers of classes."""


def split_by_class(
    table: Table, groups: Sequence[Sequence[float]] = ADADP_CIFAR, *, mixed: float = 0.0, rng: np.random.Generator
) -> tuple[Table, ...]:
    """A table for each client.

    Parameters
    ----------
    groups : sequence of sequences of float
        Each client's labels; every label of the table is one client's.
    mixed : float
        Share of the records that change hands, in [0, 1]: 0 for the pathological split, 1 for a random one.

    Returns
    -------
    tuple of Table
        The table's records, in its order, each once.

    Raises
    ------
    InputError
        For a label that is no client's or two clients', a client without records, and another share.
    """
    if not 0 <= mixed <= 1:
        raise InputError(f"mixed = {mixed}", allowed="a share in [0, 1]")
    owners = np.full(table.rows, -1)
    for client, labels in enumerate(groups):
        theirs = np.isin(table.labels, list(labels))
        if not theirs.any():
            raise InputError(f"client {client} without records of {table.name!r}", allowed="at least one each")
        if (owners[theirs] >= 0).any():
            raise InputError(f"labels {list(labels)} of client {client}", allowed="labels that no other client has")
        owners[theirs] = client
    if (owners < 0).any():
        raise InputError(
            f"label {table.labels[np.argmin(owners)]:g} of {table.name!r}", allowed="labels that a client has"
        )
    moving = rng.permutation(table.rows)[: round(mixed * table.rows)]
    owners[moving] = owners[rng.permutation(moving)]
    return tuple(
        table.take(np.flatnonzero(owners == client), name=f"{table.name}, client {client}")
        for client in range(len(groups))
    )
