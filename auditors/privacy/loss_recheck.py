"""Realised losses: the bound again from the counts of the one event, whose region spends its error evenly."""

from __future__ import annotations

from functools import partial

from auditors.privacy.event.recheck import one_event
from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """As for any event that is counted once."""
    registry.rechecks.add("loss", partial(one_event, share=0.5))
