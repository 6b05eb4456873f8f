"""The index of a package's registrations: which file registers which names, so that only what is used is imported.

The index is a file ``registered.json`` in the package. It is made by ``make index`` from a full registration, and read
where it is there. A file whose registration has changed since (or that is new) is registered at once, as without an
index; so nothing has to be edited by hand, and an old index costs time only. An entry is current while the text of the
file from ``def register(`` on is the same, or the whole text of a file that is no module.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

    Register = Callable[[Registry], object]
    Files = Mapping[str, Callable[[Path, Registry], object]]

NAME = "registered.json"

About = dict[str, dict[str, dict[str, str]]]
"""By section and name, what a listing says."""

_REGISTRATION = re.compile(rb"^(?:def register\(|register\s*[=:])", re.MULTILINE)


def sources(package: ModuleType, files: Files) -> Iterator[tuple[Register, About | None]]:
    """Each registration of the package, in order, with what it will register where that is known.

    Modules come first, by name; then the files of each pattern, by path.
    """
    folder = Path(package.__path__[0])
    try:
        index: dict[str, Any] = json.loads((folder / NAME).read_bytes())
    except FileNotFoundError:
        index = {}
    modules = _indexed_modules if index else _modules
    for path, module in modules(package.__name__, folder, index):
        yield partial(_register_module, module), _known(index, folder, path)
    for pattern, register in files.items():
        for each in sorted(folder.glob(pattern)):
            yield partial(_register_file, register, each), _known(index, folder, each)


def written(package: ModuleType, files: Files, registry: Registry, told: Callable[[str, str], dict[str, str]]) -> str:
    """The text of the index, from a full registration of the package into `registry`.

    `told` says what a listing says about the thing of a section and name.
    """
    folder = Path(package.__path__[0])
    found: dict[str, Any] = {}
    ways = [
        *((path, partial(_register_module, module)) for path, module in _modules(package.__name__, folder, {})),
        *(
            (path, partial(_register_file, register, path))
            for pattern, register in files.items()
            for path in sorted(folder.glob(pattern))
        ),
    ]
    for path, register in ways:
        before = {kind: len(section) for kind, section in registry.sections().items()}
        register(registry)
        about = {
            kind: {name: told(kind, name) for name in section.names()[before[kind] :]}
            for kind, section in registry.sections().items()
            if len(section) > before[kind]
        }
        if about:
            found[path.relative_to(folder).as_posix()] = {"text": _digest(path), "names": about}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _modules(package: str, folder: Path, _index: object) -> Iterator[tuple[Path, str]]:
    """Every module below the package, by name; packages among them are imported to find theirs."""
    found = pkgutil.walk_packages([str(folder)], prefix=f"{package}.")
    for info in sorted(found, key=lambda info: info.name):
        path = folder.joinpath(*info.name.split(".")[len(package.split(".")) :])
        yield (path / "__init__.py" if info.ispkg else path.with_suffix(".py")), info.name


def _indexed_modules(package: str, folder: Path, index: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The modules that register something, by name, without importing any: those of the index and new ones."""
    found = []
    for path in folder.rglob("*.py"):
        if path.name == "__init__.py":
            continue
        inner = path.relative_to(folder)
        if inner.as_posix() in index or _REGISTRATION.search(path.read_bytes()):
            found.append((".".join([package, *inner.with_suffix("").parts]), path))
    for name, path in sorted(found):
        yield path, name


def _known(index: dict[str, Any], folder: Path, path: Path) -> About | None:
    """What the index says that the file registers; None where it says nothing, or is too old."""
    entry = index.get(path.relative_to(folder).as_posix())
    if entry is None or entry["text"] != _digest(path):
        return None
    names: About = entry["names"]
    return names


def _digest(path: Path) -> int:
    """Of the text that registers, whichever way its lines end."""
    text = path.read_bytes().replace(b"\r\n", b"\n")
    found = _REGISTRATION.search(text) if path.suffix == ".py" else None
    return zlib.crc32(text[found.start() :] if found else text)


def _register_module(name: str, registry: Registry) -> None:
    """Import a module and call its ``register(registry)``, where it has one of its own."""
    module = importlib.import_module(name)
    hook = getattr(module, "register", None)
    # A package's own `register` walks its modules; those are walked here already.
    if hook is not None and hook.__module__ == name and not hasattr(module, "__path__"):
        hook(registry)


def _register_file(register: Callable[[Path, Registry], object], path: Path, registry: Registry) -> None:
    register(path, registry)
