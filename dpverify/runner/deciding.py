"""Which sources decide a number, and a digest of them: what was computed with others is stale.

Followed are the imports of the roots (those inside of functions too), through the packages that numbers pass through
(`DECIDING`). Not followed: protocols, registry, the runner and the writers, which carry numbers and make none. Prose is
left out: comments, docstrings, blank lines and, unless asked for, the words of claims and remarks. The digest does
not depend on the version of Python. Limits: what is loaded by name at run time, compiled extensions and data files are
not seen. Not to be confused with `dpverify.runner.sources`, the digest of everything, that a run is resumed by.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DECIDING = (
    "auditors",
    "reference_impls",
    "dpverify.accounting",
    "dpverify.adapters",
    "dpverify.datasets",
    "dpverify.definitions",
    "dpverify.laws",
    "dpverify.recording",
    "dpverify.sampling",
    "dpverify.stats",
    "dpverify.testing",
)

_WORDING = {"Remark": None, "Source": None, "Claim": ("statement",), "Reading": ("text",)}
"""Calls that hold words for people: None for all of their arguments, else those named."""

_LATER = ("type_params",)  # fields that newer versions of Python have


def digest(
    roots: Iterable[str],
    *words: str,
    packages: tuple[str, ...] = DECIDING,
    root: Path | None = None,
    wording: bool = False,
) -> str:
    """Of all sources that the modules `roots` reach, and of what else decides: twelve hexadecimal digits.

    Parameters
    ----------
    roots : iterable of str
        Names of modules; those of other packages than `packages` count for nothing.
    words : str
        Settings and the like.
    packages : tuple of str
        Followed into.
    root : Path or None
        The folder that packages lie in; None for wherever each is installed.
    wording : bool
        Whether the words of claims and remarks count.
    """
    found = _summed(reached(tuple(sorted(set(roots))), packages, root), root, wording).copy()
    for word in words:
        found.update(f"{len(word)}:{word}\n".encode())
    return found.hexdigest()[:12]


@cache
def reached(roots: tuple[str, ...], packages: tuple[str, ...] = DECIDING, root: Path | None = None) -> frozenset[str]:
    """Names of the modules, the roots among them where they belong to a deciding package."""
    seen: set[str] = set()
    waiting = [name for name in roots if _decides(name, packages)]
    while waiting:
        module = waiting.pop()
        path = None if module in seen else _path(module, root)
        if path is not None:
            seen.add(module)
            waiting += [name for name in _imports(path) if _decides(name, packages)]
    return frozenset(seen)


@cache
def _summed(modules: frozenset[str], root: Path | None, wording: bool) -> hashlib._Hash:
    found = hashlib.sha256()
    for module in sorted(modules):
        found.update(f"{module}\n".encode() + _code(_path(module, root), wording) + b"\n")
    return found


def module_of(thing: Any) -> str:
    """The module that a class, a function, a partial or an object of a class was written in."""
    while isinstance(thing, partial):
        thing = thing.func
    return str(thing.__module__ if hasattr(thing, "__qualname__") else type(thing).__module__)


def _decides(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@cache
def _path(module: str, root: Path | None) -> Path | None:
    first, *rest = module.split(".")
    home = _home(first) if root is None else root / first
    if home is None:
        return None
    place = home.joinpath(*rest)
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


@cache
def _home(package: str) -> Path | None:
    """The folder of a package (without suffix, the file of a module)."""
    loaded = sys.modules.get(package)
    where = getattr(loaded, "__file__", None) or getattr(find_spec(package), "origin", None)
    if where is None:
        return None
    path = Path(where)
    return path.parent if path.name == "__init__.py" else path.with_suffix("")


@cache
def _imports(path: Path) -> frozenset[str]:
    """What a file imports: of ``from a import b`` both a and a.b, whichever is a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update([node.module, *(f"{node.module}.{name.name}" for name in node.names)])
    return frozenset(found)


@cache
def _code(path: Path, wording: bool) -> bytes:
    """The file without its prose."""
    return _told(ast.parse(path.read_text(encoding="utf-8")), wording).encode()


def _told(node: Any, wording: bool) -> str:
    """The syntax tree without places, as ``ast.dump`` of Python 3.11 writes it, so that every Python tells it alike."""
    if isinstance(node, list):
        return f"[{', '.join(_told(each, wording) for each in node if not _is_prose(each))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    words = () if wording else _WORDING.get(_called(node), ())
    told = []
    for name in node._fields:
        value = getattr(node, name, None)
        if (value is None and getattr(type(node), name, ...) is None) or name in _LATER:
            continue
        if words is None and name in ("args", "keywords"):
            value = []
        elif words and isinstance(node, ast.Call) and name == "keywords":
            value = [each for each in node.keywords if each.arg not in words]
        told.append(f"{name}={_told(value, wording)}")
    return f"{type(node).__name__}({', '.join(told)})"


def _called(node: ast.AST) -> str:
    called = node.func if isinstance(node, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else ""


def _is_prose(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
