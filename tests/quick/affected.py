"""Which test files a change may break: those whose imports lead to a changed module, the nearest first.

The graph is that of the import statements, inner ones included, of the three packages and the tests. What is found by
name at run time has no edge here: so a change of a registered thing also calls the contract tests, which walk the
registry. Not to be confused with the digests of records, which follow definitions.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PACKAGES = ("dpverify", "reference_impls", "auditors", "tests")
REGISTERED = ("reference_impls", "auditors")
CONTRACTS = "tests/contracts"

_IMPORT = re.compile(
    r"^[ \t]*(?:from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^\n#]*)|import (?P<plain>[\w., ]+))", re.MULTILINE
)

Graph = Mapping[str, frozenset[str]]


def module_of(path: Path) -> str:
    """``a/b.py`` as ``a.b``, ``a/__init__.py`` as ``a``."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def importers(root: Path) -> Graph:
    """Who imports a module: by module, all that import it or something in it."""
    files = {module_of(path.relative_to(root)): path for name in PACKAGES for path in (root / name).rglob("*.py")}
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        for name in _imported(path.read_text(encoding="utf-8")):
            target = name if name in files else name.rpartition(".")[0]
            if target in files:
                found.setdefault(target, set()).add(module)
    return {name: frozenset(users) for name, users in found.items()}


def _imported(text: str) -> Iterator[str]:
    """The names that import statements name, read off the lines: to parse all sources takes seconds."""
    for found in _IMPORT.finditer(text):
        module, names, plain = found["module"], found["names"], found["plain"]
        if plain:
            yield from (each.split()[0] for each in plain.split(",") if each.strip())
        else:
            yield from (f"{module}.{name}" for name in re.findall(r"(?:^|,)\s*(\w+)", names.strip("() \n")))


def affected(changed: Iterable[str], graph: Graph, root: Path) -> list[Path]:
    """Test files that reach the changed files, by how many imports lie between; the contract tests last.

    Parameters
    ----------
    changed : iterable of str
        Paths below `root`. A changed ``conftest.py`` stands for all tests beside and below it.
    """
    distances: dict[str, int] = {}
    paths = [Path(each) for each in changed]
    waiting = deque((module_of(path), 0) for path in paths if path.suffix == ".py")
    while waiting:
        module, distance = waiting.popleft()
        if module in distances:
            continue
        distances[module] = distance
        waiting.extend((user, distance + 1) for user in graph.get(module, ()))
    reached = sorted(distances, key=lambda module: (distances[module], module))
    tests = [
        root / f"{module.replace('.', '/')}.py" for module in reached if module.rpartition(".")[2].startswith("test_")
    ]
    for path in paths:
        if path.name == "conftest.py":
            tests += sorted((root / path.parent).rglob("test_*.py"))
    if any(path.parts[0] in REGISTERED for path in paths):
        tests += sorted((root / CONTRACTS).rglob("test_*.py"))
    return [path for path in dict.fromkeys(tests) if path.exists()]
