"""`dpverify list`: names and one line about each."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpverify.core.registry import Registry
    from dpverify.core.suite import SuiteEntry

SECTIONS = {
    "mechanisms": "mechanisms",
    "known-broken": "known_broken",
    "lemmas": "lemmas",
    "experiments": "experiments",
    "auditors": "auditors",
    "claims": "entries",
    "datasets": "datasets",
    "accountants": "accountants",
    "steps": "steps",
    "relations": "neighbors",
    "sampling-schemes": "schemes",
    "definitions": "definitions",
    "libraries": "libraries",
    "library-accountants": "library_accountants",
    "bugs": "bugs",
    "writers": "writers",
}
"""Kinds that are listed, and the sections of the registry that hold them."""

WITH_FAMILIES = ("mechanisms", "lemmas", "experiments")
"""Kinds that are listed by family."""

CHANGING = ("datasets",)
"""Sections of which a listing says what may change from day to day: no index keeps it."""


def listing(registry: Registry, kind: str) -> list[dict[str, str]]:
    """Rows of name and description for one kind of registered objects; subjects are listed by family."""
    place = SECTIONS[kind]
    section = registry.sections()[place]
    rows = []
    for name in section:
        source = section.waiting(name)
        rows.append({"name": name, **((source and source.about[place][name]) or description(registry, place, name))})
    if kind in WITH_FAMILIES:
        rows.sort(key=lambda row: row["family"])
    return rows


def description(registry: Registry, place: str, name: str) -> dict[str, str]:
    """Return the listing's words on the thing of this name in the section `place`."""
    item = registry.sections()[place].get(name)
    if place == "entries":
        return {"about": _claim(item), "suites": ", ".join(item.suites)}
    if place == "experiments":
        return {"family": item.paper, "about": f"{item.item}: {item.title}"}
    if place in WITH_FAMILIES:
        return {"family": family(item), "about": _first_line(item)}
    if place == "bugs":
        return {"about": item.title}
    if place == "library_accountants":
        return {"about": item.about}
    if place == "neighbors" and hasattr(item, "told"):
        return {"about": item.told()}
    if place in CHANGING:
        return {"about": _data_set(item)}
    return {"about": _first_line(item)}


def _claim(entry: SuiteEntry) -> str:
    return (
        f"{entry.claim.guarantee.text()} of {entry.claim.subject} under {entry.claim.relation}"
        f" [{entry.claim.source.text()}; {', '.join(entry.suites)}; {entry.profile}]"
    )


def family(factory: Any) -> str:
    """The folder of a subject's code, such as ``optimizers`` or ``mechanisms``; for a lemma, that of its paper."""
    found = getattr(factory, "func", factory)
    parts = getattr(inspect.getmodule(found), "__name__", type(found).__module__).split(".")
    inner = [part for part in parts[1:-1] if part not in ("papers", "lemmas")]
    return "/".join(inner) or parts[0]


def _first_line(item: Any) -> str:
    """The first line of an item's docstring; for subjects, accountants and libraries, that of the module."""
    from dpverify.core.composition import Accountant  # most of these lines come from an index, and do not need it

    described = getattr(item, "func", item)
    described = described if inspect.isclass(described) or inspect.isroutine(described) else type(described)
    line = (inspect.getdoc(described) or "").partition("\n")[0]
    if line.startswith(("Subject", "See `Library`")) or isinstance(item, Accountant) or inspect.isroutine(described):
        line = (inspect.getdoc(inspect.getmodule(described)) or "").partition("\n")[0] or line
    return _plain(_settings(item) + line)


def _settings(item: Any) -> str:
    """The arguments of a factory, where one class is registered under several names."""
    set_here = getattr(item, "keywords", {})
    return f"{', '.join(f'{name} = {value}' for name, value in set_here.items())}: " if set_here else ""


def _data_set(item: Any) -> str:
    size = f"{item.rows:,} x {item.columns}" if item.rows and item.columns else "size as found"
    return f"{size}, {'here' if item.available() else 'not here'}; {item.source}"


def _plain(line: str) -> str:
    """Remove markup of documentation tools."""
    line = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", line)
    return line.replace("``", "")
