"""Every setting of every algorithm whose annotation states a rule refuses what the rule does not allow."""

from __future__ import annotations

import dataclasses
import inspect
import math
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked, field_rule
from dpverify.core.rules import Between, OrNone

ROOMS = ("training", "models", "optimizers", "line_search", "admm", "ranking", "federated")


def kinds(base: type = Checked) -> set[type]:
    below = {kind for each in base.__subclasses__() for kind in kinds(each)}
    return {base, *below} if base.__module__.split(".")[:1] == ["reference_impls"] else below


def algorithms() -> list[type]:
    for room in ROOMS:
        for module in iter_modules(import_module(f"reference_impls.{room}").__path__, f"reference_impls.{room}."):
            import_module(module.name)
    rooms = tuple(f"reference_impls.{room}." for room in ROOMS)
    found = {
        kind.__name__: kind
        for kind in kinds()
        if kind.__module__.startswith(rooms)
        and dataclasses.is_dataclass(kind)
        and not inspect.isabstract(kind)
        and all(each.default is not dataclasses.MISSING for each in dataclasses.fields(kind))
    }
    return [found[name] for name in sorted(found)]


def ruled(kind: type) -> dict[str, Any]:
    """The rules by field, read anew: the nearest annotation in the hierarchy counts."""
    rules: dict[str, Any] = {}
    for each in dataclasses.fields(kind):
        owner = next(base for base in kind.__mro__ if each.name in inspect.get_annotations(base))
        assert owner.__module__ in sys.modules
        rules[each.name] = field_rule(inspect.get_annotations(owner)[each.name], owner.__module__)
    return {name: rule for name, rule in rules.items() if rule is not None}


CASES = [(kind, name, rule) for kind in algorithms() for name, rule in ruled(kind).items()]


def test_the_algorithms_are_found() -> None:
    names = {kind.__name__ for kind, _, _ in CASES}
    assert {"DpSgd", "SsAdmm", "DpBlsgd", "PrivBr", "FederatedAdam", "NoisyMin", "LinearModel"} <= names
    assert len(CASES) > 250


@pytest.mark.parametrize(("kind", "name", "rule"), CASES, ids=lambda each: getattr(each, "__name__", None))
def test_what_a_rule_does_not_allow_is_refused(kind: Any, name: str, rule: Any) -> None:
    inner = rule.rule if isinstance(rule, OrNone) else rule
    wrong = math.nan if isinstance(inner, Between) else "no-such"
    with pytest.raises(InputError, match="no-such" if wrong == "no-such" else f"{kind.__name__}: {name} = nan"):
        kind(**{name: wrong})
