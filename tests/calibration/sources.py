"""Which sources decide a cell of the calibration, and a digest of them (`dpverify.runner.deciding`).

A finished cell is stale when one of them says something else.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from dpverify.core.protocols import Auditor
from dpverify.runner import deciding as library
from tests.calibration.boundaries import Boundary

ROOT = Path(__file__).parents[2]

DECIDING = (
    "auditors",
    "reference_impls",
    "dpverify.accounting",
    "dpverify.adapters",
    "dpverify.definitions",
    "dpverify.laws",
    "dpverify.recording",
    "dpverify.sampling",
    "dpverify.stats",
    "tests.calibration.attacked",
    "tests.calibration.recorded",
    "tests.calibration.subjects",
)

digest = partial(library.digest, packages=DECIDING, root=ROOT, wording=True)
"""Of all sources that some modules reach, and of what else decides."""


def deciding(auditor: Auditor, boundary: Boundary) -> str:
    """Digest of what decides a cell: the sources and settings of the auditor, of the subject and of its claim."""
    parts = (auditor, boundary.subject, boundary.guarantee)
    settings = (auditor, boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space, boundary.parameters)
    return digest([library.module_of(part) for part in parts], repr(settings))
