"""Dataclasses whose annotations are checked: ``sigma: Positive`` refuses anything but a finite number > 0.

A class that inherits from :class:`Checked` looks at each of its fields when an instance is made. A field says what it
allows by its annotation: a type of :mod:`dpverify.core.rules` (`Positive`, `Count`, ...), ``Annotated[float, Between(0,
1)]``, a ``Literal`` of the allowed words, or ``Annotated[T, rule]`` with any other rule. Each may be ``| None``. Other
annotations (``float``, ``str``, ``NDArray`` ...) allow everything. What depends on several fields stands in `validate`.

Limits: a class's annotations are read once, at its first instance. Names that are imported for type checkers only
(under ``TYPE_CHECKING``) are passed over; a rule must be imported at run time, and the first instance says so.

Not to be confused with a type checker: a field annotated ``float`` may hold anything.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from dpverify.core import rules
from dpverify.core.rules import REFUSED, Between, OneOf, OrNone, Rule

_WORDS = ("Annotated", "Literal", *(name for name, item in vars(rules).items() if get_origin(item) is Annotated))
"""What annotations with a rule are written with."""


class Checked:
    """Base of dataclasses whose fields are checked by their annotations; see the module.

    Subclasses are ``@dataclass(frozen=True, slots=True, kw_only=True)`` and have no ``__post_init__`` of their own.
    Each class of a hierarchy may have a `validate`; all of them run, those of base classes first.
    """

    __slots__ = ()
    plain_numbers: ClassVar[bool] = False
    """True keeps all checked numbers as Python floats and ints; False keeps them as they came."""

    def __init_subclass__(cls) -> None:
        if cls.__post_init__ is not Checked.__post_init__:
            raise TypeError(f"{cls.__name__} has a __post_init__ that hides the checks: call it validate")

    def __post_init__(self) -> None:
        kind: Any = type(self)
        checks, validators = _plan(kind)
        for name, rule in checks:
            given = getattr(self, name)
            value = rule.read(given)
            kept = rule.kept(value)
            if kept is not given:
                if kept is REFUSED:
                    rule.refuse(f"{self.called()}: {name}", value)
                object.__setattr__(self, name, kept)
        for validate in validators:
            validate(self)

    def called(self) -> str:
        """A message calls the instance by its class's name."""
        return type(self).__name__

    def validate(self) -> None:
        """Raise InputError when fields do not go together; fields were checked one by one before.

        Never call a base class's: it has run before. (In a dataclass with slots ``super()`` would fail, too.)
        """


@cache
def _plan(kind: type) -> tuple[tuple[tuple[str, Rule], ...], tuple[Any, ...]]:
    """The rules by field, and each class's own `validate`, base classes first."""
    annotations: dict[str, tuple[Any, str]] = {}
    for base in reversed(kind.__mro__):
        own = inspect.get_annotations(base)
        annotations |= {name: (text, base.__module__) for name, text in own.items()}
    found = ((each.name, field_rule(*annotations[each.name])) for each in dataclasses.fields(kind))
    plain = kind.plain_numbers  # type: ignore[attr-defined]  # of Checked
    checks = tuple((name, _plain(rule) if plain else rule) for name, rule in found if rule is not None)
    owners = [base for base in reversed(kind.__mro__) if base is not Checked and "validate" in base.__dict__]
    return checks, tuple(base.__dict__["validate"] for base in owners)


def field_rule(annotation: Any, module: str) -> Rule | None:
    """The rule that an annotation of a class in `module` stands for; None when it allows everything.

    TypeError when the annotation speaks of a rule but names something that cannot be looked up at run time.
    """
    holder = SimpleNamespace(__annotations__={"field": annotation})
    try:
        hint = get_type_hints(holder, globalns=vars(sys.modules[module]), include_extras=True)["field"]
    except NameError as problem:
        if re.search(rf"\b({'|'.join(_WORDS)})\b", str(annotation)):
            raise TypeError(
                f"{module}: the annotation {annotation!r} cannot be read ({problem}); import its names at run time"
            ) from problem
        return None
    return _rule(hint)


def _rule(hint: Any) -> Rule | None:
    if get_origin(hint) in (Union, UnionType):
        members = [member for member in get_args(hint) if member is not NoneType]
        if len(members) > 1:
            if any(_rule(member) is not None for member in members):
                raise TypeError(f"{hint}: of several types none is checked: write a rule for the whole")
            return None
        inner = _rule(members[0])
        return inner and OrNone(inner)
    if get_origin(hint) is Literal:
        return OneOf(get_args(hint))
    found = [part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Rule)]
    if not found:
        if any(_rule(part) is not None for part in get_args(hint)):
            raise TypeError(f"{hint} has a rule inside, which nothing would check: write a rule for the whole")
        return None
    rule = found[-1]
    whole = isinstance(rule, Between) and get_args(hint)[0] is int
    return dataclasses.replace(rule, whole=True) if whole else rule  # type: ignore[type-var]  # a Between


def _plain(rule: Rule) -> Rule:
    if isinstance(rule, OrNone):
        return OrNone(_plain(rule.rule))
    return dataclasses.replace(rule, plain=True) if isinstance(rule, Between) else rule
