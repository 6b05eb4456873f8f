"""Every dataclass with checked fields, wherever it is: its annotations are read at its first instance, here at once."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import auditors
import dpverify
import reference_impls
from dpverify.core.fields import Checked, field_rule

OPTIONAL = ("dpverify.adapters", "dpverify.testing")  # import what may not be installed


def classes(kind: type = Checked) -> Iterator[type]:
    for each in kind.__subclasses__():
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
        if kind.__module__.startswith("tests") or not dataclasses.is_dataclass(kind):
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
