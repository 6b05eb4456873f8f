"""`dpverify list`: names and one line about each."""

from __future__ import annotations

import inspect
import re
from typing import Any

from dpverify.core.composition import Accountant
from dpverify.core.registry import Registry, Section
from dpverify.datasets.dataset import Dataset


def listing(registry: Registry, kind: str) -> list[dict[str, str]]:
    """Rows of name and description for one kind of registered thing."""
    if kind == "claims":
        return [
            {
                "name": name,
                "about": f"{entry.claim.guarantee.text()} of {entry.claim.subject} under {entry.claim.relation}"
                f" [{entry.claim.source.text()}; {', '.join(entry.suites)}; {entry.profile}]",
            }
            for name, entry in registry.entries.items()
        ]
    sections: dict[str, Section[Any]] = {
        "mechanisms": registry.mechanisms,
        "known-broken": registry.known_broken,
        "lemmas": registry.lemmas,
        "auditors": registry.auditors,
        "datasets": registry.datasets,
        "accountants": registry.accountants,
        "steps": registry.steps,
        "relations": registry.neighbors,
        "definitions": registry.definitions,
        "writers": registry.writers,
    }
    return [{"name": name, "about": _first_line(item)} for name, item in sections[kind].items()]


def _first_line(item: Any) -> str:
    """What the item says of itself; a subject's or an accountant's module says what it is, its class how it is used."""
    if isinstance(item, Dataset):
        return _data_set(item)
    described = getattr(item, "func", item)
    described = described if inspect.isclass(described) or inspect.isroutine(described) else type(described)
    line = (inspect.getdoc(described) or "").partition("\n")[0]
    if line.startswith("Subject") or isinstance(item, Accountant):
        line = (inspect.getdoc(inspect.getmodule(described)) or "").partition("\n")[0] or line
    return _plain(line)


def _data_set(item: Dataset) -> str:
    size = f"{item.rows:,} x {item.columns}" if item.rows and item.columns else "size as found"
    return f"{size}, {'here' if item.available() else 'not here'}; {item.source}"


def _plain(line: str) -> str:
    """Without the markup that only documentation tools read."""
    line = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", line)
    return line.replace("``", "")
