"""The bound again from the counts of the one event that was chosen."""

from __future__ import annotations

from auditors.privacy.event.recheck import one_event
from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """As for any event that is counted once."""
    registry.rechecks.add("floating-point", one_event)
