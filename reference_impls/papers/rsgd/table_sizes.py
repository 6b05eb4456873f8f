"""Sizes of Adult and Bank, and the share of their majority labels: here, and as RSGD and BLSGD print them."""

from __future__ import annotations

import numpy as np

from dpverify.datasets.dataset import load_table

NAMES = {1: "adult", 2: "bank"}
PRINTED = {1: (48_842, 124, 0.761), 2: (45_211, 33, 0.883)}
"""Records, attributes with the intercept, majority."""


def here(*, x: float, rng: np.random.Generator) -> dict[str, float]:
    """``records``, ``attributes``, ``majority`` of table x (1: Adult, 2: Bank) as it is loaded."""
    del rng
    table = load_table(NAMES[int(x)])
    return {"records": float(table.rows), "attributes": float(table.columns), "majority": table.majority}


def printed(*, x: float, rng: np.random.Generator) -> dict[str, float]:
    """The same as printed."""
    del rng
    return dict(zip(("records", "attributes", "majority"), map(float, PRINTED[int(x)]), strict=True))
