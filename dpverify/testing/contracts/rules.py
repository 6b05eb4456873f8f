"""A contract is a list of rules: each looks at one case and says in one line what breaks it, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Case = TypeVar("Case")
Rule = Callable[[Case], str]
"""Takes a case; returns what is broken in one line, or an empty text."""


def check(rules: Sequence[Rule[Case]], case: Case) -> None:
    """Raise an AssertionError with the line of the first rule that the case breaks."""
    for rule in rules:
        hold(rule, case)


def hold(rule: Rule[Case], case: Case) -> None:
    """Raise an AssertionError with the rule's line where the case breaks it."""
    broken = rule(case)
    if broken:
        raise AssertionError(broken)


def as_tests(rules: Sequence[Rule[Any]]) -> Callable[[type], type]:
    """A decorator for a class with a method ``case()``: each rule becomes a method ``test_RULE``."""

    def made(kind: type) -> type:
        for rule in rules:
            setattr(kind, f"test_{rule.__name__}", _method(rule))
        return kind

    return made


def _method(rule: Rule[Any]) -> Callable[[Any], None]:
    def test(self: Any) -> None:
        hold(rule, self.case())

    test.__doc__ = rule.__doc__
    return test
