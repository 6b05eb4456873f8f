"""Finds and reads the modules that decide numbers, and resolves names through their imports.

Only the packages in `DECIDING` are followed. The rest of the core (protocols, registry), the runner and the writers
pass numbers on and make none. Limits: compiled extensions and data files are not read, and of other packages only the
names that are used count; their versions are recorded beside the digest.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpverify.runner.row_sources.module import Import, Module, read

DECIDING = (
    "auditors",
    "reference_impls",
    "dpverify.accounting",
    "dpverify.adapters",
    "dpverify.core.rules",
    "dpverify.datasets",
    "dpverify.definitions",
    "dpverify.laws",
    "dpverify.recording",
    "dpverify.sampling",
    "dpverify.stats",
    "dpverify.testing",
)

STANDS_FOR = {
    "dpverify.core.lazy_njit.njit": "numba.njit",
    "dpverify.core.lazy_njit.exact_njit": "numba.njit",
    "dpverify.core.light_optimize": "scipy.optimize",
}
"""Our names that have the same results as another project's, to the bit: a digest takes them for that project's."""

OURS = frozenset(name.partition(".")[0] for name in DECIDING)
_HOPS = 16  # longest chain of re-exports of one name


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """The place of a definition now; no digest depends on it."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class WholeModule:
    """A module as a whole; `followed` when it belongs to a package whose code decides numbers."""

    module: str
    followed: bool


@dataclass(frozen=True, slots=True)
class ExternalName:
    """The name of something that is not followed; with its module where that belongs to another project."""

    name: str


Found = Key | WholeModule | ExternalName | None


@dataclass(eq=False)
class Sources:
    """The source texts of packages, from disk or from `texts`; each is read once.

    Parameters
    ----------
    packages : tuple of str
        Packages whose modules are followed.
    root : Path or None
        The folder that contains the packages; None for the place where each is installed.
    texts : mapping
        Source texts that replace those on disk, by module name.

    Attributes
    ----------
    told : dict
        Cache of the texts of definitions (`dpverify.runner.row_sources.digest`).
    """

    packages: tuple[str, ...] = DECIDING
    root: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    _modules: dict[str, Module | None] = field(default_factory=dict, repr=False)
    told: dict[Key, Any] = field(default_factory=dict, repr=False)
    _joined: dict[Key, list[Key]] | None = field(default=None, repr=False)
    _paths: dict[str, Path | None] = field(default_factory=dict, repr=False)
    _on_disk: dict[str, str] = field(default_factory=dict, repr=False)

    def follows(self, module: str) -> bool:
        """Tell whether a module belongs to a package whose code decides numbers."""
        return any(module == package or module.startswith(f"{package}.") for package in self.packages)

    def module(self, name: str) -> Module | None:
        """The parsed module; None when it does not exist."""
        if name not in self._modules:
            path = self.path(name)
            is_package = path is not None and path.name == "__init__.py"
            self._modules[name] = read(name, self.text(name), is_package=is_package) if self.exists(name) else None
        return self._modules[name]

    def exists(self, name: str) -> bool:
        """Tell whether there is a module of this name."""
        return name in self.texts or self.path(name) is not None

    def path(self, module: str) -> Path | None:
        """The file of a module on disk."""
        if module not in self._paths:
            first, *rest = module.split(".")
            home = _home(first) if self.root is None else self.root / first
            place = None if home is None else home.joinpath(*rest)
            both = () if place is None else (place.with_suffix(".py"), place / "__init__.py")
            self._paths[module] = next((path for path in both if path.exists()), None)
        return self._paths[module]

    def find(self, module: Module, name: str, local: Mapping[str, Import]) -> Found:
        """Resolve a name in a module, inside a definition with these local imports."""
        seen: Found = None
        given = local.get(name)
        for _ in range(_HOPS):
            if given is None and name in module.definitions:
                return Key(module.name, name)
            given = given or module.imports.get(name)
            if given is None:
                return seen
            target, inner = given.module, given.name
            if inner is None:
                return WholeModule(target, self.follows(target))
            if f"{target}.{inner}" in STANDS_FOR:
                return ExternalName(STANDS_FOR[f"{target}.{inner}"])
            if self.follows(f"{target}.{inner}") and self.exists(f"{target}.{inner}"):
                return WholeModule(f"{target}.{inner}", True)
            if not self.follows(target):
                return ExternalName(inner if target.partition(".")[0] in OURS else f"{target}.{inner}")
            source = self.module(target)
            if source is None:
                return ExternalName(inner)
            module, name, given, seen = source, inner, None, ExternalName(inner)
        return seen

    def member(self, module: str, name: str) -> Found:
        """Return the thing ``module.name``: a module, a definition, or something outside."""
        inner = f"{module}.{name}"
        if self.exists(inner):
            return WholeModule(inner, self.follows(inner))
        source = self.module(module) if self.follows(module) else None
        return None if source is None else self.find(source, name, {})

    def names(self) -> Iterator[str]:
        """Names of all modules whose definitions are followed."""
        found = set(self.texts)
        for package in self.packages:
            path = self.path(package)
            if path is None:
                continue
            if path.name != "__init__.py":
                found.add(package)
                continue
            for each in path.parent.rglob("*.py"):
                parts = each.relative_to(path.parent).with_suffix("").parts
                inner = parts[:-1] if parts[-1] == "__init__" else parts
                found.add(".".join([package, *inner]))
        yield from sorted(name for name in found if self.follows(name))

    def text(self, module: str) -> str:
        """The source text of a module."""
        if module in self.texts:
            return self.texts[module]
        if module not in self._on_disk:
            path = self.path(module)
            self._on_disk[module] = "" if path is None else path.read_text(encoding="utf-8")
        return self._on_disk[module]

    def containing(self, words: str) -> list[Module]:
        """Modules whose source contains these words."""
        found = [self.module(name) for name in self.names() if words in self.text(name)]
        return [module for module in found if module is not None]

    def joined(self, key: Key) -> list[Key]:
        """Implementations that ``@name.register`` adds to a definition, wherever they stand."""
        if self._joined is None:
            self._joined = {}
            for name in self.names():
                if re.search(r"^@\w+\.register\b", self.text(name), re.MULTILINE):
                    module = self.module(name)
                    assert module is not None  # the module exists
                    for place, (target, _) in enumerate(module.registrations):
                        joins = self.find(module, target, {})
                        if isinstance(joins, Key):
                            self._joined.setdefault(joins, []).append(Key(name, f"@{place}"))
        return self._joined.get(key, [])


@cache
def installed_sources() -> Sources:
    """The sources of the packages that this process runs."""
    return Sources()


@cache
def _home(package: str) -> Path | None:
    """The folder of a package (without suffix, the file of a module)."""
    loaded = sys.modules.get(package)
    where = getattr(loaded, "__file__", None) or getattr(find_spec(package), "origin", None)
    if where is None:
        return None
    path = Path(where)
    return path.parent if path.name == "__init__.py" else path.with_suffix("")
