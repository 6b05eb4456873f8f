"""A small labelled table, rows in the unit ball, made without a seed; a ledger claim on a subject of choice; proofs."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table


@pytest.fixture(scope="session")
def small() -> Table:
    """Thirty records, three columns; the labels can nearly be told apart."""
    at = np.arange(30.0)
    features = np.stack([np.sin(1.3 * at), np.cos(2.1 * at), np.sin(0.7 * at + 1.0)], axis=1) / np.sqrt(3.0)
    labels = np.where(features @ np.array([1.0, -2.0, 0.5]) + 0.2 * np.sin(9.0 * at) >= 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="small")
