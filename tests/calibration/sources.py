"""Which sources decide a number, and a digest of them: a finished cell is stale when one of them says something else.

Followed are the imports of the roots (those inside of functions too), through the packages that an audit's numbers pass
through (`DECIDING`). Not followed: protocols, registry, the runner and the writers, which carry numbers and make none.
Prose is left out: comments, docstrings and blank lines may change as they like. Limits: what is loaded by name at run
time is not seen; the digest is of the syntax tree as this version of Python writes it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from dpverify.core.protocols import Auditor
from tests.calibration.boundaries import Boundary

ROOT = Path(__file__).parents[2]

DECIDING = (
    "auditors",
    "reference_impls",
    "dpverify.accounting",
    "dpverify.adapters",
    "dpverify.definitions",
    "dpverify.laws",
    "dpverify.recording",
    "dpverify.sampling",
    "dpverify.stats",
    "tests.calibration.attacked",
    "tests.calibration.recorded",
    "tests.calibration.subjects",
)


def deciding(auditor: Auditor, boundary: Boundary) -> str:
    """Digest of what decides a cell: the sources and settings of the auditor, of the subject and of its claim."""
    parts = (auditor, boundary.subject, boundary.guarantee)
    settings = (auditor, boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space, boundary.parameters)
    return digest([type(part).__module__ for part in parts], repr(settings))


def digest(roots: Iterable[str], *words: str, root: Path = ROOT) -> str:
    """Of all sources that the modules `roots` reach, and of what else decides: twelve hexadecimal digits."""
    found = hashlib.sha256()
    for module in sorted(reached(tuple(sorted(set(roots))), root)):
        found.update(f"{module}\n{_code(_path(module, root))}\n".encode())
    for word in words:
        found.update(f"{len(word)}:{word}\n".encode())
    return found.hexdigest()[:12]


@cache
def reached(roots: tuple[str, ...], root: Path = ROOT) -> frozenset[str]:
    """Names of the modules, the roots among them where they belong to a deciding package."""
    seen: set[str] = set()
    waiting = [name for name in roots if _decides(name)]
    while waiting:
        module = waiting.pop()
        if module in seen or _path(module, root) is None:
            continue
        seen.add(module)
        waiting += [name for name in _imports(_path(module, root)) if _decides(name)]
    return frozenset(seen)


def _decides(module: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in DECIDING)


@cache
def _path(module: str, root: Path) -> Path | None:
    place = root.joinpath(*module.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


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
def _code(path: Path) -> str:
    """The file without its prose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_prose(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_prose(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
