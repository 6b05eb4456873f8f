"""Which definitions decide a cell of the calibration, and a digest of them (`dpverify.runner.row_sources`).

A finished cell is stale when one of them says something else.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.runner import row_sources as library
from tests.calibration.boundaries import Boundary

ROOT = Path(__file__).parents[2]

DECIDING = (
    *library.DECIDING,
    "tests.calibration.attacked",
    "tests.calibration.handed",
    "tests.calibration.harness",
    "tests.calibration.recorded",
    "tests.calibration.subjects",
)

COUNTS = library.Key("tests.calibration.harness", "exceedances")
"""What counts, in every cell."""


@cache
def sources() -> library.Sources:
    """Those of the checkout, and of the calibration."""
    return library.Sources(packages=DECIDING, root=ROOT)


def digest(things: Iterable[Any]) -> str:
    """Of all definitions that these things reach, and of their settings."""
    return library.digest(things, sources=sources())


def deciding(auditor: Auditor, boundary: Boundary) -> str:
    """Digest of what decides a cell: the auditor, the subject, its claim and its neighbours, with their settings, and
    what counts. What shortens the audits is left out, since it may change none (`test_shortened`)."""
    parts = (auditor, boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space, boundary.parameters)
    return digest([*parts, COUNTS])
