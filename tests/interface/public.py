"""The public names and what each has, as a listing that is committed; and which promises a new listing breaks.

    python -m tests.interface.public    # writes the listing of this version anew; a new name is provisional

A listing is kept for each version in `docs/reference/public_names`. An entry says what a name *is* (stable, provisional
or deprecated), and what it *has*: parameters of a function (`(name=` may be left out), public members of a class with
theirs, options of a command. What no listing names is internal.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import dpverify
from dpverify.cli.command_line import application
from dpverify.cli.commands import COMMANDS
from dpverify.core.fields import Checked

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "public_names"
MODULES = ("dpverify", "dpverify.plugin", "dpverify.testing")
MINORS = 2
"""So many minor versions a name is deprecated before it goes."""

Entry = dict[str, Any]
Listing = dict[str, Entry]


def present() -> dict[str, list[str]]:
    """What each public name has, as it is now."""
    found: dict[str, list[str]] = {}
    for module in MODULES:
        home = import_module(module)
        for name in home.__all__:
            thing = getattr(home, name)
            if name != "__version__" and not (module != "dpverify" and name in dpverify.__all__):
                found[f"{module}.{name}"] = sorted(_has(thing))
    return found | {f"dpverify {name}": sorted(_options(name)) for name in COMMANDS}


def _has(thing: Any) -> Iterator[str]:
    if not isinstance(thing, type):
        yield from _parameters(thing)
        return
    if dataclasses.is_dataclass(thing):
        yield from _parameters(thing)
    theirs = {*dir(BaseException), *dir(Checked), *(dir(str) if issubclass(thing, str) else ())}
    for name in dir(thing):
        if name.startswith("_") or name in theirs:
            continue
        yield name
        if callable(member := getattr(thing, name, None)) and not isinstance(member, type):
            yield from (f"{name}{each}" for each in _parameters(member) if each != "(self")


def _parameters(function: Any) -> Iterator[str]:
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    for each in given:
        loose = each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        yield f"({each.name}{'=' if loose or each.default is not each.empty else ''}"


def _options(name: str) -> Iterator[str]:
    command: Any = typer.main.get_command(application([name]))
    command = command.commands[name] if hasattr(command, "commands") else command
    for each in command.params:
        if each.param_type_name == "option" and not each.hidden:
            yield from (f"{option}=" for option in [*each.opts, *each.secondary_opts])


def listing(version: str) -> Listing:
    """The committed listing of a version."""
    found: Listing = json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))
    return found


def versions() -> list[str]:
    """Versions that have a listing, from the first to the last."""
    return sorted((path.stem for path in FOLDER.glob("*.json")), key=numbers)


def numbers(version: str) -> tuple[int, ...]:
    """The version's numbers, which have an order."""
    return tuple(map(int, version.split(".")))


def broken(old: Listing, new: Listing, *, version: str, changes: str) -> list[str]:
    """Sentences on what the new listing, of this version with these changes, breaks of what the old one promised."""
    return [
        *(each for name in sorted(old.keys() - new.keys()) for each in _gone(name, old[name], version)),
        *(each for name in sorted(old.keys() & new.keys()) for each in _changed(name, old[name], new[name])),
        *(
            f"{name} has changed, and the changelog of {version} does not name it"
            for name in sorted(old.keys() | new.keys())
            if old.get(name) != new.get(name) and not _named(name, changes)
        ),
    ]


def _gone(name: str, entry: Entry, version: str) -> Iterator[str]:
    if entry["is"] == "stable":
        yield f"{name} was stable and is gone without having been deprecated"
    elif entry["is"] == "deprecated":
        since, now = numbers(entry["since"]), numbers(version)
        if since[0] == now[0] and now[1] - since[1] < MINORS:
            yield f"{name} is gone after fewer than {MINORS} minor versions: it is deprecated since {entry['since']}"


def _changed(name: str, old: Entry, new: Entry) -> Iterator[str]:
    if old["is"] == "stable" and new["is"] == "provisional":
        yield f"{name} was stable and is provisional"
    if new["is"] == "deprecated" and "since" not in new:
        yield f"{name} does not say since when it is deprecated"
    if old["is"] == "provisional":
        return
    has = set(new["has"])
    for each in old["has"]:
        if each not in has and f"{each}=" not in has:
            yield f"{name} has lost {each}"
    for each in sorted(has - set(old["has"])):
        function, bracket, parameter = each.partition("(")
        known = function in old["has"] if function else any(one.startswith("(") for one in old["has"])
        if bracket and known and not parameter.endswith("="):
            yield f"{name} asks for {each}), which it did not"


def _named(name: str, changes: str) -> bool:
    own = re.escape(name.rpartition(".")[2])
    return re.search(rf"`[^`]*(?<!\w){own}(?!\w)[^`]*`", changes) is not None


def main() -> None:
    """Write the listing of this version; what is known of a name is kept."""
    path = FOLDER / f"{dpverify.__version__}.json"
    newest = listing(path.stem) if path.exists() else (listing(versions()[-1]) if versions() else {})
    made = {name: {**newest.get(name, {"is": "provisional"}), "has": has} for name, has in sorted(present().items())}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in made.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    sys.stdout.write(f"{path.name}: {len(made)} names\n")


if __name__ == "__main__":
    main()
