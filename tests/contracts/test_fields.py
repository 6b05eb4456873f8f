"""Every dataclass with checked fields, wherever it is: its annotations are read at its first instance, here at once."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Annotated, Literal, get_origin

import auditors
import dpverify
import reference_impls
from dpverify.core.fields import Checked, field_rule

OPTIONAL = ("dpverify.adapters", "dpverify.testing")  # import what may not be installed


def classes(kind: type = Checked) -> Iterator[type]:
    """All that are defined in the packages: tests of this process may have made others, in modules that are none."""
    for each in kind.__subclasses__():
        if each.__module__.partition(".")[0] in ("dpverify", "auditors", "reference_impls"):
            yield each
        yield from classes(each)


def load_all() -> None:
    for package in (dpverify, auditors, reference_impls):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(OPTIONAL) and not found.name.endswith("__main__"):
                importlib.import_module(found.name)


def test_every_annotation_that_has_a_rule_can_be_read() -> None:
    load_all()
    read = 0
    for kind in set(classes()):
        if not dataclasses.is_dataclass(kind):
            continue
        for base in kind.__mro__:
            for name, annotation in inspect.get_annotations(base).items():
                if name in {each.name for each in dataclasses.fields(kind)}:
                    read += field_rule(annotation, base.__module__) is not None  # TypeError where it cannot be
    assert read > 100


def test_no_class_hides_a_base_class_check() -> None:
    load_all()
    for kind in classes():
        post_init = kind.__post_init__  # type: ignore[attr-defined]  # of Checked
        assert post_init is Checked.__post_init__, kind


def typed_only(module: str) -> dict[str, object]:
    """What a module imports under TYPE_CHECKING, by name."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    found: dict[str, object] = {}
    for block in (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        for node in (each for each in block.body if isinstance(each, ast.ImportFrom) and each.module):
            source = importlib.import_module(str(node.module))
            found |= {alias.asname or alias.name: getattr(source, alias.name, None) for alias in node.names}
    return found


def test_no_rule_is_imported_for_type_checkers_only() -> None:
    """An alias with a rule that does not exist at run time would check nothing, without a word."""
    load_all()
    for module in sorted({kind.__module__ for kind in classes()}):
        for name, item in typed_only(module).items():
            assert get_origin(item) not in (Annotated, Literal), (module, name)
