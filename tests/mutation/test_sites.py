"""The drawn mutants: each operator changes what it says, the draw is the same again, a moved line is found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutation.probes import put, read
from tests.mutation.sites import OPERATORS, Mutant, mutants

SOURCE = '''"""A module; 3 in a text is no constant."""


def clipped(values: list[int], most: int = 8) -> list[float]:
    if most <= 0:
        raise ValueError(f"{most - 1} is too small")
    return [min(each / most, 1.0) for each in values[1:]]
'''


def changed(tmp_path: Path, operator: str) -> set[str]:
    (tmp_path / "a.py").write_text(SOURCE)
    return {each.new.strip() for each in mutants(tmp_path, "a.py", operator)}


@pytest.mark.parametrize(
    ("operator", "new"),
    [
        ("constant", "return [min(each / most, 2.0) for each in values[1:]]"),
        ("comparison", "if most < 0:"),
        ("direction", "return [max(each / most, 1.0) for each in values[1:]]"),
        ("dropped check", "if False:"),
        ("swapped sides", "return [min(most / each, 1.0) for each in values[1:]]"),
        ("off by one", "return [min(each / most, 1.0) for each in values[1 + 1:]]"),
    ],
)
def test_each_operator_makes_its_change_and_still_parses(tmp_path, operator, new):
    found = changed(tmp_path, operator)
    assert new in found
    for each in mutants(tmp_path, "a.py", operator):
        ast.parse(each.applied(SOURCE) or "(")


def test_types_and_texts_are_left_alone(tmp_path):
    found = set().union(*(changed(tmp_path, operator) for operator in OPERATORS))
    assert not any("list[int" not in each for each in found if each.startswith("def"))
    assert not any("too small" in each for each in found)


def test_a_line_that_moved_is_found_and_one_that_is_gone_is_not():
    mutant = Mutant("a.py", 5, "comparison", "    if most <= 0:", "    if most < 0:")
    assert (mutant.applied("\n\n" + SOURCE) or "").count("if most < 0:") == 1
    assert mutant.applied(SOURCE.replace("<=", "<")) is None


def test_a_probe_tells_the_line_and_the_test(tmp_path, monkeypatch):
    (tmp_path / "dpverify").mkdir()
    (tmp_path / "a.py").write_text(SOURCE)
    put(tmp_path, [Mutant("a.py", 7, "constant", "", ""), Mutant("a.py", 6, "constant", "", "")], tmp_path / "hits")
    module, probe = (
        ast.unparse(ast.parse((tmp_path / name).read_text())) for name in ("a.py", "dpverify/probe_of_mutants.py")
    )
    space: dict[str, object] = {}
    exec(probe, space)  # noqa: S102 - written by this test
    held = type("Package", (), {"probe_of_mutants": type("Module", (), {"hit": staticmethod(space["hit"])})})
    run: dict[str, object] = {}
    exec(module.replace("__import__('dpverify.probe_of_mutants')", "package"), run | {"package": held}, run)  # noqa: S102
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_a.py::test_x[a b] (call)")
    run["clipped"].__globals__["package"] = held  # type: ignore[attr-defined]
    run["clipped"]([1, 2])  # type: ignore[operator]
    assert read(tmp_path / "hits") == {0: {"tests/test_a.py::test_x[a b]"}}
