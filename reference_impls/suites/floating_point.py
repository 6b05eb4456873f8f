"""The suite ``floating-point``: additive noise as programs compute it, audited by its low bits.

Its claims hold, or fail, for the numbers that a program returns; on paper all of them hold.
"""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.core.suite import Suite


def register(registry: Registry) -> None:
    """Register how the suite is run."""
    registry.suites.add(
        "floating-point",
        Suite(
            name="floating-point",
            about="Additive noise as programs compute it, and the mechanisms that repair it.",
            methods=("floating-point",),
        ),
    )
