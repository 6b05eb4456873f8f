"""Which file registers which names, kept from one process to the next, so that only what is used is imported.

A file whose entry is missing, or was made of another text, is registered at once, and its entry is made anew: nothing
has to be edited or remade by hand. The index stands in ``__pycache__`` beside the sources or, where that cannot be
written to, in the user's cache; a wheel brings its own (``hatch_build.py``). Where none can be kept, each process
registers everything, which takes seconds.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dpverify.core.kernel_cache import VARIABLE

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

    Register = Callable[[Registry], object]
    Files = Mapping[str, Callable[[Path, Registry], object] | str]

NAME = "registered.json"

_REGISTRATION = re.compile(rb"^(?:def register\(|register\s*[=:])", re.MULTILINE)


def register_all(package: ModuleType, registry: Registry, files: Files, *, indexed: bool) -> None:
    """Every module of the package that registers, by name, then the files of each pattern, by path."""
    folder = Path(package.__path__[0])
    index, found = (_read(folder) if indexed else {}), {}
    fresh: list[tuple[str, int, dict[str, list[str]]]] = []
    for path, register, text in _sources(package.__name__, folder, files, indexed=indexed):
        place = os.path.relpath(path, folder).replace(os.sep, "/")
        entry = index.get(place)
        if entry is not None and entry["text"] == text:
            registry.defer(register, entry["names"])
            found[place] = entry
            continue
        before = {kind: len(section) for kind, section in registry.sections().items()}
        register(registry)
        added = {kind: section.names()[before[kind] :] for kind, section in registry.sections().items()}
        fresh.append((place, text, added))
    if indexed and (fresh or found.keys() != index.keys()):
        for place, text, added in fresh:
            about = {kind: {name: _told(registry, kind, name) for name in names} for kind, names in added.items()}
            found[place] = {"text": text, "names": {kind: names for kind, names in about.items() if names}}
        _keep(folder, found)


def _sources(package: str, folder: Path, files: Files, *, indexed: bool) -> Iterator[tuple[str | Path, Register, int]]:
    """List what registers, with the digest of its text where that is asked for.

    Indexed modules say in their text whether they register, and none is imported for that.
    """
    modules: Iterable[tuple[str, str, int]]
    if indexed:
        modules = _registering(package, str(folder))
    else:
        walked = (info.name for info in pkgutil.walk_packages([str(folder)], prefix=f"{package}.") if not info.ispkg)
        modules = [(name, str(folder / name), 0) for name in walked]
    for name, place, text in sorted(modules):
        yield place, partial(_register_module, name), text
    for pattern, register in files.items():
        for path in sorted(folder.glob(pattern)):
            yield path, partial(_register_file, register, path), _digest(path) if indexed else 0


def _registering(name: str, folder: str) -> Iterator[tuple[str, str, int]]:
    """Name, path and digest of each module below that registers: every process looks through hundreds of files."""
    for each in os.scandir(folder):
        if each.name.endswith(".py"):
            if each.name != "__init__.py":
                with open(each.path, "rb", buffering=0) as stream:
                    text = stream.read()
                if b"register" in text and _REGISTRATION.search(text):
                    yield f"{name}.{each.name[:-3]}", each.path, _crc(text)
        elif each.name != "__pycache__" and each.is_dir(follow_symlinks=False):
            yield from _registering(f"{name}.{each.name}", each.path)


def _register_module(name: str, registry: Registry) -> None:
    """Import a module and call its ``register(registry)``, where it has one of its own."""
    module = importlib.import_module(name)
    hook = getattr(module, "register", None)
    if hook is not None and hook.__module__ == name:
        hook(registry)


def _register_file(register: Callable[[Path, Registry], object] | str, path: Path, registry: Registry) -> None:
    (pkgutil.resolve_name(register) if isinstance(register, str) else register)(path, registry)


def _told(registry: Registry, kind: str, name: str) -> dict[str, str]:
    from dpverify.core.listing import CHANGING, SECTIONS, description

    listed = kind in SECTIONS.values() and kind not in CHANGING
    return description(registry, kind, name) if listed else {}


def _read(folder: Path) -> dict[str, Any]:
    """The entries by path; none where no whole index is there, or other rules made it."""
    for place in _places(folder):
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(place().read_bytes())
            if kept["rules"] == _rules():
                entries: dict[str, Any] = kept["entries"]
                if isinstance(entries, dict) and all(isinstance(each, dict) for each in entries.values()):
                    return entries
    return {}


def _keep(folder: Path, entries: dict[str, Any]) -> None:
    """Write the index whole or not at all, to the first place that can be written to."""
    text = json.dumps({"rules": _rules(), "entries": entries}, ensure_ascii=False, separators=(",", ":"))
    for place in _places(folder)[::2]:
        path, part = place(), ""
        if not path.is_absolute():  # without a home
            continue
        with suppress(OSError):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{NAME}-")
                with open(handle, "w", encoding="utf-8") as stream:
                    stream.write(text)
                os.replace(part, path)
                return
            except BaseException:
                Path(part).unlink(missing_ok=True)
                raise


def _places(folder: Path) -> tuple[Callable[[], Path], ...]:
    """The index may stand beside the sources, in the wheel, or in the user's cache."""
    return (lambda: folder / "__pycache__" / NAME, lambda: folder / NAME, lambda: _in_users_cache(folder))


def _in_users_cache(folder: Path) -> Path:
    from platformdirs import user_cache_dir

    kept = os.environ.get(VARIABLE) or user_cache_dir("dpverify")  # the former where kernels went, too
    return Path(kept, "registered", f"{zlib.crc32(os.fsencode(folder)):08x}-{NAME}")


@cache
def _rules() -> int:
    """Return the texts that decide, beside a file's own, what a listing says about it."""
    package = Path(__file__).parents[1]
    texts = (package / "core" / "listing.py", *sorted(package.glob("definitions/*.py")))
    return zlib.crc32(str([_digest(path) for path in texts]).encode())


def _digest(path: Path) -> int:
    """Return the hash of a file's text, whichever way its lines end."""
    return _crc(path.read_bytes())


def _crc(text: bytes) -> int:
    return zlib.crc32(text.replace(b"\r\n", b"\n"))
