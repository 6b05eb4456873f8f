"""``python -m tests.name_index``: writes the indexes of registered names of our own packages (``make index``)."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from dpverify.core.name_index import NAME, written
from dpverify.core.plugins import GROUP, OURS
from dpverify.core.registry import Registry
from dpverify.reporting.listing import CHANGING, SECTIONS, description


def indexes() -> dict[Path, str]:
    """The text of each index, by its path, from one full registration in the order of plug-ins."""
    registry = Registry()
    found = {}
    for name in sorted(point.module for point in entry_points(group=GROUP) if point.dist and point.dist.name == OURS):
        package = import_module(name)
        text = written(package, getattr(package, "FILES", {}), registry, partial(_told, registry))
        found[Path(package.__path__[0]) / NAME] = text
    return found


def _told(registry: Registry, place: str, name: str) -> dict[str, str]:
    listed = place in SECTIONS.values() and place not in CHANGING
    return description(registry, place, name) if listed else {}


if __name__ == "__main__":
    for path, text in indexes().items():
        path.write_text(text, encoding="utf-8")
