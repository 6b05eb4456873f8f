"""Which sources decide a cell of the calibration, and a digest of them (`dpverify.runner.deciding`).

A finished cell is stale when one of them says something else.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.protocols import Auditor
from dpverify.runner import deciding as library
from tests.calibration.boundaries import Boundary

ROOT = Path(__file__).parents[2]

DECIDING = (
    "auditors",
    "reference_impls",
    "dpverify.accounting",
    "dpverify.adapters",
    "dpverify.datasets.neighbors",
    "dpverify.definitions",
    "dpverify.laws",
    "dpverify.recording",
    "dpverify.sampling",
    "dpverify.stats",
    "tests.calibration.attacked",
    "tests.calibration.harness",
    "tests.calibration.recorded",
    "tests.calibration.subjects",
)

digest = partial(library.digest, packages=DECIDING, root=ROOT, wording=True)
"""Of all sources that some modules reach, and of what else decides."""


def deciding(auditor: Auditor, boundary: Boundary) -> str:
    """Digest of what decides a cell: sources and settings of the auditor, the subject, its claim and its neighbours,
    and of what counts. What shortens the audits is left out, since it may change none (`test_shortened`)."""
    parts = (auditor, boundary.subject, boundary.guarantee, boundary.neighbors)
    roots = [*map(library.module_of, parts), "tests.calibration.harness"]
    return digest(roots, told(*parts, boundary.space, boundary.parameters))


def told(*settings: Any) -> str:
    """Settings as text that is the same in every process: sets of words are told in order."""
    return re.sub(
        r"frozenset\(\{([^{}]*)\}\)",
        lambda found: f"frozenset({{{', '.join(sorted(found[1].split(', ')))}}})",
        repr(settings),
    )
