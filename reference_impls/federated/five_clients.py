"""A table in the hands of five clients, two of the ten classes each, with a share of the records mixed at random.

What ADADP does with CIFAR-10, for any table of ten classes: its groups of classes go by numbers.
"""

from __future__ import annotations

import numpy as np

from dpverify.datasets.clients import split_by_class
from dpverify.datasets.table import Table


def five_clients(train: Table, *, rng: np.random.Generator, x: float = 0.0) -> tuple[Table, ...]:
    """One table a client; `x` is the share of the records that change hands, 0 for the pathological case."""
    return split_by_class(train, mixed=x, rng=rng)
