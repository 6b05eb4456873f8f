"""Functions of the corpus with one number, operator or bound changed: what is proved of them holds, too.

A mutant that is proved is run beside its proof, and no record may move its releases by more than is claimed.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import linecache
import sys
from pathlib import Path

import numpy as np
import pytest

from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.derive import derive
from tests.derivation.corpus import right, wrong
from tests.proofs.test_cost import moves

SWAPS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.Gt, ast.GtE: ast.LtE}
EACH = 4
"""Mutants of a function."""


class Mutator(ast.NodeTransformer):
    """Changes the place that is asked for, and counts the places."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.places = wanted, 0

    def _here(self) -> bool:
        self.places += 1
        return self.places - 1 == self.wanted

    def visit_Constant(self, node):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and self._here():
            return ast.Constant(node.value * 2 + 1 if isinstance(node.value, int) else node.value * 0.9 + 0.01)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if type(node.op) in SWAPS and self._here():
            node.op = SWAPS[type(node.op)]()
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if type(node.ops[0]) in SWAPS and self._here():
            node.ops[0] = SWAPS[type(node.ops[0])]()
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        swaps = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
        if isinstance(node.func, ast.Name) and node.func.id in swaps and self._here():
            node.func.id = swaps[node.func.id]
        if isinstance(node.func, ast.Attribute) and node.func.attr in swaps and self._here():
            node.func.attr = swaps[node.func.attr]
        return node


def mutants(module, name: str, rng: np.random.Generator, folder: Path):
    """Modules in which one function is changed."""
    tree = ast.parse(Path(module.__file__).read_text())
    (definition,) = (each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name)
    counter = Mutator(-1)
    counter.visit(ast.parse(ast.unparse(ast.Module(definition.body, []))))
    for place in rng.permutation(counter.places)[:EACH].tolist():
        body = Mutator(place).visit(ast.parse(ast.unparse(ast.Module(definition.body, []))))
        helpers = [each for each in tree.body if _helps(each)]
        changed = ast.FunctionDef(name, definition.args, body.body, [], None, None)
        parts = [*(each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)), *helpers, changed]
        text = "\n\n".join(ast.unparse(ast.fix_missing_locations(ast.Module([each], []))) for each in parts)
        yield place, text


def _helps(node: ast.stmt) -> bool:
    """Whether functions of the corpus may need it."""
    if isinstance(node, ast.FunctionDef):
        return not node.decorator_list
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") != "case"


def load(text: str, folder: Path, name: str):
    path = folder / f"{name}.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.ci
@pytest.mark.parametrize("module", [right, wrong], ids=["right", "wrong"])
def test_what_is_proved_of_a_mutant_holds(module, tmp_path):
    rng, tried, proved = np.random.default_rng(7), 0, 0
    for case in getattr(module, module.__name__.rpartition(".")[2].upper()):
        if not inspect.isfunction(case.function) or case.name in ("<lambda>", "release"):
            continue
        for place, text in mutants(module, case.name, rng, tmp_path):
            tried += 1
            name = f"mutant_{case.name}_{place}"
            mutant = getattr(load(text, tmp_path, name), case.name)
            found = derive(mutant, claim=guarantee_of(case.claim), data=case.data, **case.domain)
            if found.outcome != "proved":
                continue
            proved += 1  # beside its code, too
            stated, seen = moves(found)
            assert seen.pure <= stated.pure * (1 + 1e-9), text
            assert seen.gaussian <= stated.gaussian * (1 + 1e-9), text
    assert tried > 100
    assert proved < 0.7 * tried
