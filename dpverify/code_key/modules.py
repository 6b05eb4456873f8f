"""Which modules code is made of: those that its sources import, wherever the import stands, and their contents.

An import that has not been reached yet is followed, too, where the file can be found without importing anything. A
module that imports by a computed name, and a compiled one, may import whatever is loaded: then every own module counts.

Of an installed release the version counts, and that of all that it requires. What was installed from a folder or a file
of this machine is no release: its version may stay where its code changes.

`code_digest` is of all code that numbers depend on: every Python file of dpverify and of its plug-ins, and
their imports. Two runs with the same digest, packages and machine give the same bits. Limits: data files are not read;
the versions in `environment` stand for those of other packages.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpverify.code_key.reads import INSTALLED, STANDARD, is_installed
from dpverify.core.plugins import GROUP

OURS = frozenset({"dpverify", "auditors", "reference_impls"})
"""Packages that `dpverify.code_key.modules` reads as a whole."""

DYNAMIC = frozenset(
    {"__import__", "import_module", "spec_from_file_location", "exec_module", "load_module", "run_path"}
)
DYNAMIC |= {"run_module", "walk_packages", "iter_modules", "entry_points", "eval", "exec", "modules"}
"""Names in a source that may import by a computed name."""


@dataclass(slots=True)
class Modules:
    """Own modules by name with their files, versions of releases, and what could not be told."""

    files: dict[str, str] = field(default_factory=dict)
    releases: dict[str, str] = field(default_factory=dict)
    unknown: str = ""
    compiled: bool = False

    def words(self) -> list[str]:
        """The name and a digest of each own module, the name and version of each release, in order."""
        own = [f"{name} {digest_of(file)}" for name, file in sorted(self.files.items())]
        return [*own, *(f"{name} {version}" for name, version in sorted(self.releases.items()))]


def modules_of(roots: Iterable[str]) -> Modules:
    """Follow the imports of these modules."""
    found, done, waiting = Modules(), set[str](), list(roots)
    while waiting:
        name = waiting.pop()
        if name in done or (top := name.partition(".")[0]) in OURS or not name:
            continue
        done.add(name)
        file = _file(name)
        if file is None:
            module = sys.modules.get(name)
            if module is None or hasattr(module, "__path__") or _is_foreign(top):
                continue
            found.unknown = found.unknown or f"the module {name} is in no file"
        elif is_installed(file) and (release := release_of(file)) is not None:
            found.releases |= versions(*release)
        elif is_installed(file) or not file.startswith(STANDARD):
            found.files[name] = file
            found.unknown = found.unknown or ("" if digest_of(file) else f"the module {name} cannot be read")
            waiting.append(name.rpartition(".")[0])
            imported, dynamic = _imports(file, *_stamp(file), _package(name, file))
            waiting += imported
            found.compiled |= not file.endswith(".py")
            if dynamic:
                waiting += [each for each in list(sys.modules) if own(each)]
    return found


@cache
def _is_foreign(top: str) -> bool:
    """Tell whether a module without a file is Python's, or made by a package."""
    if top in sys.stdlib_module_names and top != "__main__":
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    return isinstance(file, str) and not own(top)


def own(name: str) -> bool:
    """Tell whether a loaded module is a file of the user's own."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and own_file(file) and name.partition(".")[0] not in OURS


@cache
def own_file(file: str) -> bool:
    """Tell whether a file is neither Python's nor an installed release's."""
    if file.startswith("<"):
        return False
    return release_of(file) is None if is_installed(file) else not file.startswith(STANDARD)


def digest_of(file: str) -> str:
    """Return the hash of a file's content; empty where it cannot be read."""
    return _digest(file, *_stamp(file))


def _stamp(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@cache
def _digest(file: str, _changed: int, _size: int) -> str:
    try:
        with open(file, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except OSError:
        return ""


def _file(name: str) -> str | None:
    """The file of a module, loaded or not; None where there is none."""
    if (module := sys.modules.get(name)) is not None:
        file = getattr(module, "__file__", None)
        return file if isinstance(file, str) else None
    parent = name.rpartition(".")[0]
    path: Any = None
    if parent:
        path = getattr(sys.modules.get(parent), "__path__", None)
        if path is None and (above := _file(parent)) is not None:
            path = [os.path.dirname(above)] if os.path.basename(above).startswith("__init__.") else []
        if path is None:
            return None
    try:
        spec = PathFinder.find_spec(name, path)
    except (ImportError, ValueError, AttributeError):
        return None
    return spec.origin if spec is not None and spec.has_location else None


def _package(name: str, file: str) -> str:
    return name if Path(file).stem == "__init__" else name.rpartition(".")[0]


@cache
def _imports(file: str, _changed: int, _size: int, package: str) -> tuple[tuple[str, ...], bool]:
    """Names that a source may import, and whether it may import others."""
    try:
        tree = ast.parse(Path(file).read_bytes()) if file.endswith(".py") else None
    except (OSError, SyntaxError, ValueError, RecursionError):
        tree = None
    if tree is None:
        return (), True
    found, dynamic = dict[str, None](), False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                found[each.name] = None
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= dict.fromkeys([base, *(f"{base}.{each.name}" for each in node.names)])
            dynamic |= any(each.name in DYNAMIC for each in node.names)
        elif isinstance(node, ast.Name | ast.Attribute):
            called = node.id if isinstance(node, ast.Name) else node.attr
            dynamic |= called in DYNAMIC and not (isinstance(node, ast.Attribute) and called in ("eval", "exec"))
    return tuple(found), dynamic


_REQUIRED = re.compile(r"^Requires-Dist: *([\w.-]+)(?![\w.-])(?!.*\bextra *==)", re.MULTILINE)


def release_of(file: str) -> tuple[Path, str] | None:
    """The folder of installed packages and the release's name; None for the user's own file."""
    parts = Path(file).parts
    place = max((at for at, part in enumerate(parts[:-1]) if part in INSTALLED), default=None)
    if place is None:
        return None
    site = Path(*parts[: place + 1])
    name = _holder(site, parts[place + 1])
    return None if not name or _is_local(site, name) else (site, name)


def versions(site: Path, name: str) -> dict[str, str]:
    """Return versions of the release and of all that it requires, as far as they are installed beside it."""
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        folder = _releases(site).get(current := waiting.pop())
        if folder is not None and current not in found:
            found[current] = folder.stem.partition("-")[2]
            waiting += _requires(folder)
    return found


@cache
def _releases(site: Path) -> dict[str, Path]:
    """Folders of metadata by normalized name."""
    folders = (site / each for each in sorted(os.listdir(site)) if each.endswith((".dist-info", ".egg-info")))
    return {_normal(folder.name.partition("-")[0].removesuffix(".egg-info")): folder for folder in folders}


@cache
def _holder(site: Path, top: str) -> str:
    """The release that has brought this file or folder; empty where none has."""
    known = _releases(site)
    likely = _normal(top.partition(".")[0])
    return next((each for each in sorted(known, key=lambda each: each != likely) if _brought(known[each], top)), "")


def _brought(folder: Path, top: str) -> bool:
    for name in ("RECORD", "SOURCES.txt", "installed-files.txt"):
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return re.search(rf"^(?:\.\./)?{re.escape(top)}(?:/|,|$)", text, re.MULTILINE) is not None
    return folder.name.partition("-")[0] == top  # without a list: by its name


@cache
def _is_local(site: Path, name: str) -> bool:
    try:
        found = json.loads((_releases(site)[name] / "direct_url.json").read_text(encoding="utf-8"))
        return str(found["url"]).startswith("file:")
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _requires(folder: Path) -> list[str]:
    for name in ("METADATA", "PKG-INFO"):
        try:
            head = (folder / name).read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        except OSError:
            continue
        return [_normal(each) for each in _REQUIRED.findall(head)]
    return []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def code_digest() -> str:
    """Digest of all Python files that numbers depend on, 16 hexadecimal digits."""
    packages = {"dpverify", *(point.module.partition(".")[0] for point in entry_points(group=GROUP))}
    found = hashlib.sha256()
    for package in sorted(packages):
        for name, content in _files(package):
            found.update(f"{package}/{name}\0{len(content)}\0".encode())
            found.update(content)
    others = sorted(packages - OURS)
    followed = modules_of(others) if others else None
    for line in [] if followed is None else followed.words():
        found.update(f"{line}\n".encode())
    return found.hexdigest()[:16]


def _files(package: str) -> list[tuple[str, bytes]]:
    """Names and contents of its modules, by name; of a single file when it is one."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    root = Path(spec.origin).resolve()
    if root.name != "__init__.py":
        return [(root.name, root.read_bytes())]
    return [(path.relative_to(root.parent).as_posix(), path.read_bytes()) for path in sorted(root.parent.rglob("*.py"))]
