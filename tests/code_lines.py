"""Lines of code: without blank ones, comments and docstrings."""

from __future__ import annotations

import ast


def code_lines(text: str) -> int:
    """How many lines of a module are code."""
    said = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            said |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(at not in said and line.strip()[:1] not in ("", "#") for at, line in lines)
