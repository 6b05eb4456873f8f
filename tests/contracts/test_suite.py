"""The suite itself: a command of the Makefile runs every test, and all workers collect the same tests in one order."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.libraries.environments import ENVIRONMENTS
from tests.long_tests import long_tests

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests").rglob("*.py"))
TESTS = [path for path in FILES if path.name.startswith("test_")]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def over_sets(tree: ast.Module) -> Iterator[int]:
    """Lines of ``parametrize`` whose values are a set, whose order differs from process to process."""
    names = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_set(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        call = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("parametrize") and len(node.args) > 1
        if call and _is_set(node.args[1], names):
            yield node.lineno


def _is_set(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Call):
        inner = node.args[0] if node.args and ast.unparse(node.func) in ("list", "tuple", "enumerate") else None
        return ast.unparse(node.func) in ("set", "frozenset") or (inner is not None and _is_set(inner, names))
    if isinstance(node, ast.BinOp):
        return _is_set(node.left, names) or _is_set(node.right, names)
    return isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Name) and node.id in names)


def libraries_of(tree: ast.Module) -> set[str]:
    """Libraries without which some of a file's tests are skipped: those that it imports and that are not here."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("importorskip"):
            named = node.args[0]  # a parameter of the test names none
            found |= {str(named.value).partition(".")[0]} if isinstance(named, ast.Constant) else set()
    return found & {module for one in ENVIRONMENTS.values() for module in one.modules} | {
        each for each in found if find_spec(each) is None and "importorskip" in ast.unparse(tree)
    }


def test_values_of_parameters_come_in_one_order() -> None:
    found = {named(path): lines for path in TESTS if (lines := list(over_sets(tree_of(path))))}
    assert found == {}, "sort these values: workers of xdist must collect the same tests in one order"


def test_a_set_is_noticed() -> None:
    text = 'A = {1, 2}\n@pytest.mark.parametrize("x", A | {3})\ndef test_x(x): ...\n'
    assert list(over_sets(ast.parse(text))) == [2]
    assert list(over_sets(ast.parse(text.replace("A | {3}", "sorted(A)")))) == []


def test_what_needs_a_library_that_is_not_installed_has_an_environment_with_it() -> None:
    run = {(module, file) for one in ENVIRONMENTS.values() for module in one.modules for file in one.files}
    needed = {(library, named(path)) for path in TESTS for library in libraries_of(tree_of(path))}
    assert needed - run == set(), "skipped everywhere: name these files in tests/libraries/environments.py"


def test_the_environments_name_files_that_are_there_and_the_makefile_runs_them() -> None:
    for one in ENVIRONMENTS.values():
        assert [each for each in one.files if not (ROOT / each).is_file()] == []
    assert "-m tests.libraries.environments" in MAKEFILE
    assert "make test-libraries" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_every_marker_is_run_by_a_command_of_the_makefile() -> None:
    """What ``-m "not ..."`` leaves out of `make test` by default, another command selects by its name, or takes all."""
    markers = {text.partition(":")[0] for text in SETTINGS["markers"]}
    left_out = set(re.findall(r"\w+", SETTINGS["addopts"][SETTINGS["addopts"].index("-m") + 1])) - {"not", "and", "or"}
    assert left_out == markers
    chosen = re.sub(r"\bnot \w+", "", " ".join(re.findall(r'-m "([^"]*)"', MAKEFILE)))
    assert {each for each in markers if not re.search(rf"\b{each}\b", chosen)} <= {"slow"}
    assert '-m ""' in MAKEFILE


def test_the_long_tests_are_there() -> None:
    """A name that no test has leaves the one that was meant in `make test`."""
    defined = {named(path): {node.name for node in tree_of(path).body if hasattr(node, "name")} for path in TESTS}
    split = [(name.partition("::")[0], re.split(r"::|\[", name)[1]) for name in long_tests()]
    assert [each for each in split if each[1] not in defined.get(each[0], set())] == []
    assert {file for file, _ in split} <= {named(path) for path in TESTS}


def test_every_test_stands_in_a_file_that_is_collected() -> None:
    left = [
        f"{named(path)}: {node.name}"
        for path in FILES
        if path not in TESTS
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert left == []
