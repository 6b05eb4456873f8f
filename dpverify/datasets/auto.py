"""``auto``: Adult where it is, the bundled breast-cancer set elsewhere; so every suite runs everywhere, offline.

The table's own name says which one it was. A damaged Adult is an error and never a silent change of data, and so is a
DPVERIFY_DATA that names no folder.
"""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.datasets.adult import ADULT
from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.datasets.dataset import Made
from dpverify.datasets.files import folders
from dpverify.datasets.table import Table


def load_default() -> Table:
    """Load Adult when its files are here, else breast-cancer; raises InputError as that one's loader does."""
    folders()  # raises when DPVERIFY_DATA is mistyped
    return ADULT.load() if ADULT.available() else load_breast_cancer()


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(
        "auto",
        Made(
            name="auto",
            make=load_default,
            rows=None,
            columns=None,
            source="adult when it is available, else breast-cancer",
            licence="as the one taken",
        ),
    )
