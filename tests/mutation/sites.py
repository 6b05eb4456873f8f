"""Where a source can be broken, and how: one line of text for another, by six operators."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Mutant:
    """One line of a file, and what stands there instead.

    Attributes
    ----------
    path, line, operator : str, int, str
        The file below the repository, the line's number when it was drawn, and what was done to it.
    old, new : str
        The whole line as it is and as it becomes.
    """

    path: str
    line: int
    operator: str
    old: str
    new: str

    def applied(self, text: str) -> str | None:
        """The file's text with the mutant in it; None where its line is gone or no longer the only one nearby.

        The line is looked for nearest to where it was: files grow and shrink above it.
        """
        lines = text.splitlines(keepends=True)
        places = [place for place, line in enumerate(lines) if line.rstrip("\n") == self.old]
        if not places:
            return None
        place = min(places, key=lambda each: abs(each - (self.line - 1)))
        lines[place] = self.new + "\n"
        return "".join(lines)


Edit = tuple[ast.expr | ast.stmt, str]
"""A node, and the source that replaces it."""

_SOURCE = ast.unparse

_BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
_DIRECTION = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}


def _constants(node: ast.AST) -> Iterator[Edit]:
    """A number that is twice as large, or 1 for 0; True for False."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, repr(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, repr(2 * node.value if node.value else node.value + 1)


def _compared(node: ast.AST, table: dict[type[ast.cmpop], str]) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in table:
        yield node, f"{_SOURCE(node.left)} {table[type(node.ops[0])]} {_SOURCE(node.comparators[0])}"


def _comparisons(node: ast.AST) -> Iterator[Edit]:
    """The boundary belongs to the other side."""
    yield from _compared(node, _BOUNDARY)


def _directions(node: ast.AST) -> Iterator[Edit]:
    """Less for greater, max for min, all for any."""
    yield from _compared(node, _DIRECTION)
    swaps = {"min": "max", "max": "min", "any": "all", "all": "any"}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in swaps:
        yield node.func, swaps[node.func.id]


def _dropped_checks(node: ast.AST) -> Iterator[Edit]:
    """A condition whose body raises or returns early is never met."""
    if (
        isinstance(node, ast.If)
        and isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue)
        and not node.orelse
    ):
        yield node.test, "False"


def _swapped_sides(node: ast.AST) -> Iterator[Edit]:
    """a - b for b - a, a / b for b / a, f(b, a) for f(a, b)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div):
        yield node, _SOURCE(ast.BinOp(left=node.right, op=node.op, right=node.left))
    if isinstance(node, ast.Call) and len(node.args) == 2 and not any(isinstance(a, ast.Starred) for a in node.args):
        yield node, _SOURCE(ast.Call(func=node.func, args=node.args[::-1], keywords=node.keywords))


def _off_by_one(node: ast.AST) -> Iterator[Edit]:
    """One more of a length, a range, an index, a step."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "range"):
        if node.func.id == "len":
            yield node, f"({_SOURCE(node)} + 1)"
        elif len(node.args) == 1:
            yield node, f"range({_SOURCE(node.args[0])} - 1)"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        for end in (node.slice.lower, node.slice.upper):
            if end is not None:
                yield end, f"{_SOURCE(end)} + 1"
    one = isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1
    if isinstance(node, ast.BinOp) and one and isinstance(node.op, ast.Add | ast.Sub):
        yield node, _SOURCE(node.left)


OPERATORS: dict[str, Callable[[ast.AST], Iterator[Edit]]] = {
    "constant": _constants,
    "comparison": _comparisons,
    "direction": _directions,
    "dropped check": _dropped_checks,
    "swapped sides": _swapped_sides,
    "off by one": _off_by_one,
}


def mutants(root: Path, path: str, operator: str) -> list[Mutant]:
    """All mutants of a file by one operator; annotations, docstrings and what spans two lines are left alone."""
    text = (root / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    found = []
    for node in _code(ast.parse(text)):
        for place, new in OPERATORS[operator](node):
            if place.lineno != place.end_lineno or place.end_col_offset is None:
                continue
            row = lines[place.lineno - 1].encode()
            changed = (row[: place.col_offset] + new.encode() + row[place.end_col_offset :]).decode()
            found.append(Mutant(path, place.lineno, operator, row.decode(), changed))
    return sorted({each for each in found if each.old != each.new and _parses(each, text)})


def _parses(mutant: Mutant, text: str) -> bool:
    try:
        ast.parse(mutant.applied(text) or "")
    except SyntaxError:
        return False
    return True


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are executed: not types, not text."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params") or isinstance(node, ast.JoinedStr):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _code(each)
