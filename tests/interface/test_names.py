"""The names of `dpverify` and `dpverify.plugin`: one list for Python, for a type checker and for readers."""

import ast
from pathlib import Path

import pytest

import dpverify
from dpverify import plugin

SOURCE = Path(dpverify.__file__).read_text()


def imported(statements):
    """{name: module} of the ``from ... import`` statements."""
    return {alias.asname or alias.name: node.module for node in statements for alias in node.names}


def test_python_a_type_checker_and_readers_get_the_same_names():
    block = next(
        node for node in ast.parse(SOURCE).body if isinstance(node, ast.If) and not isinstance(node.test, ast.NamedExpr)
    )
    assert isinstance(block.test, ast.Name)
    assert block.test.id == "TYPE_CHECKING"
    assert imported(block.body) == dpverify._HOME
    assert {*dpverify._HOME, "__version__"} == set(dpverify.__all__)
    assert len(set(dpverify.__all__)) == len(dpverify.__all__)


def test_every_public_name_can_be_had():
    for name in dpverify.__all__:
        assert getattr(dpverify, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'prove'"):
        _ = dpverify.prove


def test_the_plug_in_names_are_those_that_are_imported():
    tree = ast.parse(Path(plugin.__file__).read_text())
    assert set(plugin.__all__) == set(imported(node for node in tree.body if isinstance(node, ast.ImportFrom)))
