"""What the digest of definitions cannot follow is not written in the packages that decide numbers.

Names that are bound in two ways, looked up as text, or reached through a class's list of subclasses would let a real
change pass unnoticed (`dpverify.runner.row_sources`).
"""

from __future__ import annotations

import ast
from collections import defaultdict

import pytest

from dpverify.runner.row_sources import installed_sources

UNFOLLOWED = ("globals", "locals", "__subclasses__", "__annotations__", "eval", "exec", "__import__")


def problems(text: str) -> list[str]:
    """What a module's text has that cannot be followed."""
    tree, found = ast.parse(text), []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(name.name == "*" for name in node.names):
            found.append("a star import")
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in UNFOLLOWED:
            found.append(f"{name}, line {node.lineno}")  # type: ignore[attr-defined]  # both kinds have one
    whole = [tree, *(node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))]
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for part in whole:
        bound = defaultdict(set)
        inside = part.body if part is tree else ast.walk(part)
        for node in inside:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in node.names:
                    source = f"{getattr(node, 'module', '')}:{name.name}"
                    bound[name.asname or name.name.partition(".")[0]].add(source)
        found += [f"{name} is imported in two ways" for name, sources in bound.items() if len(sources) > 1]
        found += [f"{name} is imported over a definition" for name in bound if name in defined]
    return found


def test_no_deciding_module_has_what_the_digest_cannot_follow() -> None:
    sources = installed_sources()
    found = {name: seen for name in sources.names() if (seen := problems(sources.text(name)))}
    found.pop("dpverify.testing.sabotage.kinds")  # decides no row: it compiles a mutant for its author's test
    assert found == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from a import *", "star"),
        ("def f():\n    return globals()['g']", "globals"),
        ("def f():\n    return C.__subclasses__()", "__subclasses__"),
        ("class C:\n    def m(self):\n        from a import v\n    def n(self):\n        from b import v", "two ways"),
        ("from a import v\nfrom b import v", "two ways"),
        ("def v(): ...\ndef f():\n    from a import v", "over a definition"),
    ],
)
def test_what_it_looks_for_is_found(text: str, said: str) -> None:
    assert any(said in each for each in problems(text))
