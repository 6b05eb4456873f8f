"""The rules and the cost of a proof are checked by a small core, and by families of rules: one short file each."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from dpverify import proofs
from tests.code_lines import code_lines

FOLDER = Path(proofs.__file__).parent
CORE = {"certificate", "program", "node", "operations", "cost"}
FAMILIES = {
    "ranges",
    "range_rules",
    "narrowed",
    "norms",
    "elementwise",
    "linear",
    "rules",
    "sums",
    "noise",
    "called",
    "layout",
}


def imported(name):
    """Modules of the folder, and all others, that a module imports."""
    ours, others = set(), set()
    for node in ast.walk(ast.parse((FOLDER / f"{name}.py").read_text())):
        if isinstance(node, ast.Import):
            others |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "dpverify.proofs":
            ours |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpverify.proofs."):
            ours.add(node.module.removeprefix("dpverify.proofs."))
        elif isinstance(node, ast.ImportFrom):
            others.add((node.module or "").partition(".")[0])
    return ours, others


def test_the_core_and_the_families_are_all_that_it_needs():
    reached, todo = set(), {"certificate"}
    while todo:
        name = todo.pop()
        ours, others = imported(name)
        assert others <= sys.stdlib_module_names | {"numpy"}, name
        reached.add(name)
        todo |= ours - reached
    assert reached == CORE | FAMILIES


def test_the_core_has_600_lines_of_code_at_most():
    assert sum(code_lines((FOLDER / f"{name}.py").read_text()) for name in CORE) <= 600


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_family_of_rules_has_150_lines_of_code_at_most(name):
    assert code_lines((FOLDER / f"{name}.py").read_text()) <= 150
