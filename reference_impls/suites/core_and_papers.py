"""The two suites that most entries are in, and what they are; they run by the defaults."""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.core.suite import Suite


def register(registry: Registry) -> None:
    """Put both into the registry."""
    about = {
        "core": "Mechanisms whose verdict is known: right ones must stand, broken ones must fall.",
        "papers": "Claims of papers as they were printed; nobody expects a verdict.",
    }
    for name, what in about.items():
        registry.suites.add(name, Suite(name=name, about=what))
