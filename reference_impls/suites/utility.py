"""The suite of what papers say of accuracy, objectives and time: every statement of their experiments.

``dpverify reproduce`` runs it and shares cells among statements. One false-alarm probability for each page.
"""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.core.suite import Suite
from dpverify.utility.experiment_file import FALSE_ALARM, SUITE


def register(registry: Registry) -> None:
    """Put the suite into the registry."""
    about = "What papers say of accuracy and time; `dpverify reproduce` runs it and draws the figures."
    suite = Suite(name=SUITE, about=about, methods=("paired",), confidence=1.0 - FALSE_ALARM, per_row=True)
    registry.suites.add(SUITE, suite)
