"""`dpverify list`: names and one line about each."""

from __future__ import annotations

import inspect
from typing import Any

from dpverify.core.registry import Registry, Section


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
    described = getattr(item, "func", item)
    described = described if inspect.isclass(described) or inspect.isroutine(described) else type(described)
    return (inspect.getdoc(described) or "").partition("\n")[0]
