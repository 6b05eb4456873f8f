"""Which tests execute the lines of the mutants, in whatever process: one run of the suite over a copy with probes.

Before the statement of each line stands a call that writes down the line and the test that pytest is in, which every
child process knows by its environment. A line that numba compiles takes no probe; a line that is executed while its
module is imported belongs to no test: for both, see `run.tests_of`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.sites import Mutant

MODULE = """\
import os

seen = set()


def hit(place):
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if (place, name) not in seen:
        seen.add((place, name))
        descriptor = os.open({path!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{{place}} {{name}}\\n".encode())
        os.close(descriptor)
"""


def put(copy: Path, mutants: list[Mutant], hits: Path) -> None:
    """Write the probes into `copy`, whose tests will write to `hits`."""
    (copy / "dpverify" / "probe_of_mutants.py").write_text(MODULE.format(path=str(hits)))
    for path in sorted({each.path for each in mutants}):
        text = (copy / path).read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        placed = [
            (place, statement(ast.parse(text), each.line)) for place, each in enumerate(mutants) if each.path == path
        ]
        for place, (line, column) in sorted(((p, s) for p, s in placed if s), key=lambda each: -each[1][0]):
            lines.insert(
                line - 1, f"{' ' * column}__import__('dpverify.probe_of_mutants').probe_of_mutants.hit({place})\n"
            )
        (copy / path).write_text("".join(lines), encoding="utf-8")


def statement(tree: ast.Module, line: int, *, compiled: bool = False) -> tuple[int, int] | None:
    """Where a line can be inserted before the innermost statement around `line`; None in a function of numba's.

    Unless it may be `compiled`.
    """
    found: ast.stmt | None = None
    blocks: list[list[ast.stmt]] = [tree.body]
    while blocks:
        block = blocks.pop()
        for place, node in enumerate(block):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            if not first <= line <= (node.end_lineno or node.lineno):
                continue
            if not compiled and any("njit" in ast.unparse(each) for each in decorators):
                return None
            is_elif = (
                block is not tree.body
                and isinstance(node, ast.If)
                and found is not None
                and (
                    isinstance(found, ast.If)
                    and block is found.orelse
                    and place == 0
                    and node.col_offset == found.col_offset
                )
            )
            if not is_elif:
                found = node
            head = isinstance(node, ast.FunctionDef | ast.ClassDef) and line < node.body[0].lineno
            if head:
                break
            blocks = [
                part for name in ("body", "orelse", "finalbody") if isinstance(part := getattr(node, name, None), list)
            ]
            blocks += [each.body for each in getattr(node, "handlers", [])]
            if isinstance(node, ast.Match):
                blocks += [each.body for each in node.cases]
            break
    if found is None:
        return None
    return min([found.lineno, *(each.lineno for each in getattr(found, "decorator_list", []))]), found.col_offset


def read(hits: Path) -> dict[int, set[str]]:
    """By mutant the tests, ``""`` for what no test is in."""
    found: dict[int, set[str]] = {}
    for line in hits.read_text(encoding="utf-8").splitlines():
        place, _, name = line.partition(" ")
        found.setdefault(int(place), set()).add(name)
    return found


def nodes(names: Iterable[str]) -> set[str]:
    """Our tests among the names: a session inside a test names others."""
    return {each for each in names if "::" in each and each.startswith("tests/")}


def unchanged(text: str, line: int) -> str | None:
    """The file with a statement more that does nothing, where the mutant would be: another digest, the same code."""
    place = statement(ast.parse(text), line, compiled=True)
    if place is None:
        return None
    lines = text.splitlines(keepends=True)
    lines.insert(place[0] - 1, f"{' ' * place[1]}pass\n")
    return "".join(lines)
