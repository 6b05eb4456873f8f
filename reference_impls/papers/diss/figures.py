"""Figure of the ledger's AM-SENS rows: by how much a record moves x in an epoch of mpADMM, by eta.

Numbers only, from :mod:`reference_impls.papers.diss.lemmas.admm.epoch_query`: the query runs on two data sets that
differ in one record.
"""

from __future__ import annotations

import numpy as np

from dpverify.core.ledger_words import Curve
from reference_impls.papers.diss.lemmas.admm.epoch_query import EpochQuery

ROWS = 4
_RATES = tuple(float(eta) for eta in np.geomspace(1e-2, 10.0, 31))
_D0, _D1 = np.ones(ROWS), np.array([1.0] * (ROWS - 1) + [-1.0])


def sensitivity_of_x() -> tuple[Curve, ...]:
    """By eta: the change of x over the printed bound, and over the one that (4.8) gives."""
    return (
        Curve(label="over the bound as printed, (4.13)", points=_moves("printed")),
        Curve(label="over the bound that (4.8) gives", points=_moves("derived"), kind="bound"),
    )


def _moves(bound: str) -> tuple[tuple[float, float], ...]:
    points = []
    for eta in _RATES:
        query = EpochQuery(quantity="x", bound=bound, eta=eta)
        points.append((eta, float(np.abs(query.query(_D1) - query.query(_D0)).max())))
    return tuple(points)
