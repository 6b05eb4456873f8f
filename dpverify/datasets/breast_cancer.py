"""The breast-cancer data set that ships with scikit-learn: real data that is always here.

569 records, 30 measurements, each column scaled to [0, 1] by its own least and largest value, and a column of ones for
the intercept: 31. Labels: -1 malignant, +1 benign (0.627). Source: W. Wolberg, W. Street and O. Mangasarian (1995),
UCI "Breast Cancer Wisconsin (Diagnostic)".

Limits: the scaling looks at the data, which a private pipeline must not do for nothing; here the scaled table *is* the
data.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Made
from dpverify.datasets.preprocessing import scaled, signed, with_intercept
from dpverify.datasets.table import Table

_SOURCE = "UCI Breast Cancer Wisconsin (Diagnostic) (W. Wolberg et al., 1995), as bundled with scikit-learn"


@cache
def load_breast_cancer() -> Table:
    """Load it: features of shape (569, 31) in [0, 1], the last column the intercept, labels -1 and +1.

    `sha256` is of the unscaled numbers (float64, C order) followed by the 0/1 labels (int64).
    """
    table = np.loadtxt(_file(), delimiter=",", skiprows=1)
    values, target = np.ascontiguousarray(table[:, :-1]), table[:, -1]
    digest = hashlib.sha256(values.tobytes() + np.asarray(target, dtype=np.int64).tobytes()).hexdigest()
    features, labels = with_intercept(scaled(values)), signed(target, name="breast-cancer")
    return Table(features=features, labels=labels, name="breast-cancer", source=_SOURCE, sha256=digest)


def _file() -> Path:
    """Where scikit-learn has it, which is not imported: that would cost every start of a suite a second."""
    found = find_spec("sklearn")
    assert found is not None and found.submodule_search_locations, "scikit-learn is a dependency"
    return Path(found.submodule_search_locations[0]) / "datasets/data/breast_cancer.csv"


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(
        "breast-cancer",
        Made(name="breast-cancer", make=load_breast_cancer, rows=569, columns=31, source=_SOURCE, licence="CC BY 4.0"),
    )
