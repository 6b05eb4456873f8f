"""`dpverify list`: names and one line about each."""

from __future__ import annotations

import inspect
import re
from typing import Any

from dpverify.core.composition import Accountant
from dpverify.core.registry import Registry, Section
from dpverify.datasets.dataset import Dataset

WITH_FAMILIES = ("mechanisms", "lemmas")
"""Kinds that are listed by family."""


def listing(registry: Registry, kind: str) -> list[dict[str, str]]:
    """Rows of name and description for one kind of registered objects; subjects are listed by family."""
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
    rows = [{"name": name, "about": _first_line(item)} for name, item in sections[kind].items()]
    if kind in WITH_FAMILIES:
        rows = [{"family": family(sections[kind].get(row["name"])), **row} for row in rows]
        rows.sort(key=lambda row: row["family"])
    return rows


def family(factory: Any) -> str:
    """The folder of a subject's code, such as ``optimizers`` or ``mechanisms``; for a lemma, that of its paper."""
    found = getattr(factory, "func", factory)
    parts = getattr(inspect.getmodule(found), "__name__", type(found).__module__).split(".")
    inner = [part for part in parts[1:-1] if part not in ("papers", "lemmas")]
    return "/".join(inner) or parts[0]


def _first_line(item: Any) -> str:
    """The first line of an item's docstring; for subjects and accountants, that of the module."""
    if isinstance(item, Dataset):
        return _data_set(item)
    described = getattr(item, "func", item)
    described = described if inspect.isclass(described) or inspect.isroutine(described) else type(described)
    line = (inspect.getdoc(described) or "").partition("\n")[0]
    if line.startswith("Subject") or isinstance(item, Accountant) or inspect.isroutine(described):
        line = (inspect.getdoc(inspect.getmodule(described)) or "").partition("\n")[0] or line
    return _plain(_settings(item) + line)


def _settings(item: Any) -> str:
    """The arguments of a factory, where one class is registered under several names."""
    set_here = getattr(item, "keywords", {})
    return f"{', '.join(f'{name} = {value}' for name, value in set_here.items())}: " if set_here else ""


def _data_set(item: Dataset) -> str:
    size = f"{item.rows:,} x {item.columns}" if item.rows and item.columns else "size as found"
    return f"{size}, {'here' if item.available() else 'not here'}; {item.source}"


def _plain(line: str) -> str:
    """Remove markup of documentation tools."""
    line = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", line)
    return line.replace("``", "")
