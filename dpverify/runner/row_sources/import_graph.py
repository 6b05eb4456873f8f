"""The modules that numbers pass through: found, read once, and names looked up through their imports.

Followed are the packages in `DECIDING`. Not followed: the rest of the core (protocols, registry), the runner and the
writers, which carry numbers and make none. Limits: compiled extensions and data files are not seen, and other packages
only by the names that are used of them; versions stand beside the digest for those.
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

OURS = frozenset(name.partition(".")[0] for name in DECIDING)
_HOPS = 16  # of one name through re-exports


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A definition's place: where it is found now, which no digest depends on."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A module as a thing of its own; `followed` when it belongs to a package whose code decides numbers."""

    module: str
    followed: bool


@dataclass(frozen=True, slots=True)
class Outside:
    """Something that is not followed, by its name: with its module where that is another project's."""

    name: str


Found = Key | Whole | Outside | None


@dataclass(eq=False)
class Sources:
    """A set of modules as they are on disk, or as `texts` say.

    Parameters
    ----------
    packages : tuple of str
        Followed into.
    root : Path or None
        The folder that packages lie in; None for wherever each is installed.
    texts : mapping
        Sources in the place of those on disk, by module name.

    Attributes
    ----------
    told : dict
        Whatever was made of definitions so far (`dpverify.runner.row_sources.digest`).
    """

    packages: tuple[str, ...] = DECIDING
    root: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    _modules: dict[str, Module | None] = field(default_factory=dict, repr=False)
    told: dict[Key, Any] = field(default_factory=dict, repr=False)
    _joined: dict[Key, list[Key]] | None = field(default=None, repr=False)

    def with_text(self, module: str, text: str) -> Sources:
        """The same with another text in the place of a module's; what was told of other modules stays, as long as the
        text binds and imports the same names."""
        others = {name: read for name, read in self._modules.items() if name != module}
        changed = Sources(self.packages, self.root, {**self.texts, module: text}, others)
        before, after = self.module(module), changed.module(module)
        if before is not None and after is not None and before.binds == after.binds:
            changed._joined = self._joined
            changed.told.update({key: told for key, told in self.told.items() if key.module != module})
        return changed

    def follows(self, module: str) -> bool:
        """Whether a module belongs to a package whose code decides numbers."""
        return any(module == package or module.startswith(f"{package}.") for package in self.packages)

    def module(self, name: str) -> Module | None:
        """None when there is no such module."""
        if name not in self._modules:
            path = self.path(name)
            text = self.texts.get(name)
            if text is None and path is not None:
                text = path.read_text(encoding="utf-8")
            is_package = path is not None and path.name == "__init__.py"
            self._modules[name] = None if text is None else read(name, text, is_package=is_package)
        return self._modules[name]

    def exists(self, name: str) -> bool:
        """Whether there is a module of this name."""
        return name in self.texts or self.path(name) is not None

    def path(self, module: str) -> Path | None:
        """The file of a module on disk."""
        first, *rest = module.split(".")
        home = _home(first) if self.root is None else self.root / first
        if home is None:
            return None
        place = home.joinpath(*rest)
        return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)

    def find(self, module: Module, name: str, local: Mapping[str, Import]) -> Found:
        """What a name stands for in a module, in a definition with these imports of its own."""
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
                return Whole(target, self.follows(target))
            if self.follows(f"{target}.{inner}") and self.exists(f"{target}.{inner}"):
                return Whole(f"{target}.{inner}", True)
            if not self.follows(target):
                return Outside(inner if target.partition(".")[0] in OURS else f"{target}.{inner}")
            source = self.module(target)
            if source is None:
                return Outside(inner)
            module, name, given, seen = source, inner, None, Outside(inner)
        return seen

    def member(self, module: str, name: str) -> Found:
        """What ``module.name`` is: a module, a definition, or something outside."""
        inner = f"{module}.{name}"
        if self.exists(inner):
            return Whole(inner, self.follows(inner))
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
        """Source text of a module."""
        if module in self.texts:
            return self.texts[module]
        path = self.path(module)
        return "" if path is None else path.read_text(encoding="utf-8")

    def containing(self, words: str) -> list[Module]:
        """Modules whose source has these words."""
        found = [self.module(name) for name in self.names() if words in self.text(name)]
        return [module for module in found if module is not None]

    def joined(self, key: Key) -> list[Key]:
        """Implementations that ``@name.register`` adds to a definition, wherever they stand."""
        if self._joined is None:
            self._joined = {}
            for name in self.names():
                if re.search(r"^@\w+\.register\b", self.text(name), re.MULTILINE):
                    module = self.module(name)
                    assert module is not None  # it has a text
                    for place, (target, _) in enumerate(module.registrations):
                        joins = self.find(module, target, {})
                        if isinstance(joins, Key):
                            self._joined.setdefault(joins, []).append(Key(name, f"@{place}"))
        return self._joined.get(key, [])


@cache
def installed() -> Sources:
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
