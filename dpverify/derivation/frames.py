"""The variables of one call, and the functions that the code defines itself."""

from __future__ import annotations

import ast
import builtins
import types
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpverify.derivation.known import NUMBERS_OF_NUMPY, VIEWS, plain
from dpverify.derivation.source import Definition
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Lifted

UNBOUND = object()


@dataclass(eq=False)
class Local:
    """A function that the code defines itself."""

    definition: Definition
    frame: Frame
    defaults: Sequence[Any]
    keyword_defaults: Mapping[str, Any]
    name: str


def of_outside(value: Any) -> Any:
    """A value that the code did not make; NotDerivedError where it, or something in it, is not what it says."""
    if any("__eq__" in DICT(each) for each in MRO(type(type(value))) if each is not type and each is not object):
        raise NotDerivedError(f"an object of a {_NAME(type(value))}, a type that says what it equals")
    if type(value) in (list, tuple, set, frozenset, *VIEWS):
        for each in value:
            of_outside(each)
    elif type(value) is types.MethodType:
        of_outside(value.__self__)
    elif type(value) is slice and not plain(value):
        raise NotDerivedError("a slice with ends of their own types")
    elif type(value) is dict:
        for key, each in value.items():
            of_outside(key)
            of_outside(each)
    elif type(value) not in _EXACT:
        kind, lines = type(value), MRO(type(value))
        ours = any(each in lines for each in (Lifted, Local, Frame)) or kind in weakref.ProxyTypes
        if ours or any(_FLAGS(each) & _OF_PYTHON and _SAYS & set(DICT(each)) for each in lines):
            raise NotDerivedError(f"a {_NAME(kind)} that says that it is something else")
        if kind not in (*_OWN, *NUMBERS_OF_NUMPY) and any(each in lines for each in _OWN):
            raise NotDerivedError(f"a {_NAME(kind)}, which is a type made of Python's own", "Python's own")
    return value


def own_names(names: Mapping[str, Any]) -> Mapping[str, Any]:
    """A dict in which Python looks names up; NotDerivedError where a key is none of Python's own texts.

    A text of another type may say that it equals a name, and say so to some readers only.
    """
    if not all(type(each) is str for each in names):
        raise NotDerivedError("a name that is a text of another type than Python's own")
    return names


_EXACT = (bool, int, float, str, type(None))
_OWN = (list, tuple, set, frozenset, dict, int, float, complex, str, bytes)

MRO, _FLAGS, DICT, _NAME = (
    vars(type)[name].__get__ for name in ("__mro__", "__flags__", "__dict__", "__name__")
)  # a metaclass may say something else
_OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_SAYS = {"__class__", "__getattribute__"}


@dataclass(eq=False)
class Frame:
    """The variables of one call."""

    file: str
    globals: Mapping[str, Any]
    outer: Mapping[str, Any] | Frame = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    local: frozenset[str] = frozenset()

    def read(self, name: str) -> Any:
        """Return what a name means here; NotDerivedError for one that means nothing."""
        if name in self.names:
            value = self.names[name]
        elif name in self.local:
            raise NotDerivedError(f"{name} is read before it has a value")
        elif isinstance(self.outer, Frame) and self.outer.has(name):
            value = self.outer.read(name)
        elif not isinstance(self.outer, Frame) and name in self.outer:
            value = of_outside(self.outer[name])
        elif name in own_names(self.globals):
            value = of_outside(self.globals[name])
        elif name in own_names(vars(builtins)):
            value = of_outside(vars(builtins)[name])
        else:
            raise NotDerivedError(f"the name {name} is not defined")
        if value is UNBOUND:
            raise NotDerivedError(f"{name} is read before it has a value")
        return value

    def has(self, name: str) -> bool:
        """Tell whether it is a variable of this call, or of one around it."""
        if name in self.names or name in self.local:
            return True
        return self.outer.has(name) if isinstance(self.outer, Frame) else name in self.outer


def bound(
    arguments: ast.arguments,
    given: Sequence[Any],
    named: Mapping[str, Any],
    defaults: Sequence[Any],
    keyword_defaults: Mapping[str, Any],
    name: str,
) -> dict[str, Any]:
    """The parameters' values."""
    by_place = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(by_place[len(by_place) - len(defaults) :], defaults, strict=True)) | dict(keyword_defaults)
    if arguments.vararg is None and len(given) > len(by_place):
        raise NotDerivedError(f"{name} is called with too many arguments")
    found |= dict(zip(by_place, given, strict=False))
    if arguments.vararg is not None:
        found[arguments.vararg.arg] = tuple(given[len(by_place) :])
    allowed = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
    more = {key: value for key, value in named.items() if key not in allowed}
    if set(named) & set(by_place[: len(given)]) or (more and arguments.kwarg is None):
        raise NotDerivedError(f"{name} is called with arguments that it does not take, or twice")
    found |= {key: value for key, value in named.items() if key in allowed}
    if arguments.kwarg is not None:
        found[arguments.kwarg.arg] = more
    wanted = [*by_place, *(each.arg for each in arguments.kwonlyargs)]
    if missing := [each for each in wanted if each not in found]:
        raise NotDerivedError(f"{name} is called without {', '.join(missing)}")
    return found
