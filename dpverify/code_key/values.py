"""What a callable holds and reaches, as a digest: values to any depth, code as it is now, no addresses, no paths.

From the mechanism on, every function's code, defaults, closure and the globals that it names are followed (a name that
was replaced at run time is seen), every object's attributes, slots and content. What is bound to the mechanism itself
must be told in full; a global that has no plain content (a lock, a handle) is told by its kind, since the source that
made it is part of the key. A generator of random numbers is its kind, wherever it stands.
"""

from __future__ import annotations

import builtins
import copyreg
import ctypes
import functools
import hashlib
import os
import random
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

from dpverify.code_key.modules import own_file
from dpverify.code_key.reads import of_environment

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
WITHOUT_CONTENT = ("_thread.", "threading.", "numpy.random.", "multiprocessing.synchronize.", "torch._C.")
"""Modules whose objects are told by their kind: locks, and generators of random numbers."""

_REDUCES = {"__reduce__", "__reduce_ex__"}

LONGEST = 100
"""Characters of what a value is called."""

_C_CALLABLES = (types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType)
_C_MEMBERS = (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType)
_OPEN_NAMES = frozenset({"globals", "vars", "eval", "exec"})


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value, what it is called where it is found, and whether it must be told in full."""

    value: Any
    where: str
    full: bool


Parts = Iterator[str | HeldValue]


class Walk:
    """Digests of values, and what was met on the way.

    Attributes
    ----------
    modules : set of str
        Modules of the functions and classes.
    files : set of str
        Files of functions whose module is not loaded under its name.
    texts : set of str and bytes
        All texts and paths, which may name files.
    unknown : str
        The first thing that could not be told; empty where all could.
    codes : set of (str, str)
        Files and names of all code.
    libraries : bool
        Whether a library that ctypes or cffi has loaded was met.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.files: set[str] = set()
        self.texts: set[str | bytes] = set()
        self.codes: set[tuple[str, str]] = set()
        self.unknown, self.libraries = "", False
        self._known: dict[tuple[int, bool], tuple[str, Any]] = {}

    def told(self, value: Any, where: str, *, full: bool = True) -> str:
        """The digest of a value; without recursion, so that no chain is too long."""
        found = self._plain(value)
        if found is not None:
            return found
        opened: dict[tuple[int, bool], int] = {}
        stack: list[tuple[tuple[int, bool], Any, Any, Parts]] = []

        def opens(held: HeldValue) -> None:
            key = id(held.value), held.full
            opened[key] = len(stack)
            stack.append((key, held.value, hashlib.sha256(), self._parts(held)))

        opens(HeldValue(value, where, full))
        while True:
            key, closed, digest, parts = stack[-1]
            part = next(parts, None)
            if part is None:
                stack.pop()
                del opened[key]
                told = digest.hexdigest()
                self._known[key] = told, closed
                if not stack:
                    return str(told)
                _add(stack[-1][2], told)
            elif isinstance(part, str):
                _add(digest, part)
            elif (text := self._plain(part.value)) is not None:
                _add(digest, text)
            elif (inner := (id(part.value), part.full)) in opened:
                _add(digest, f"up {len(stack) - opened[inner]}")
            elif inner in self._known:
                _add(digest, self._known[inner][0])
            else:
                opens(part)

    def _plain(self, value: Any) -> str | None:
        self._collect((value,))
        return f"{type(value).__name__} {value!r}" if type(value) in PLAIN else None

    def _collect(self, values: Iterable[Any]) -> None:
        self.texts.update(each for each in values if type(each) in (str, bytes))

    def _parts(self, held: HeldValue) -> Parts:
        value = held.value
        kind = type(value)
        if (variables := of_environment(value)) is not None:
            value, kind = variables, dict
        if isinstance(value, os.PathLike):
            with suppress(Exception):  # whatever a class does there
                self._collect((os.fspath(value),))
        yield f"{kind.__module__}.{kind.__qualname__}"
        if (words := getattr(kind, "code_words", None)) is not None:  # a program
            told, unknown = words(value)
            self.unknown = self.unknown or unknown
            yield from told
        elif isinstance(value, types.FunctionType):
            yield from self._function(value, held)
        elif isinstance(value, type):
            yield from self._class(value, held)
        elif isinstance(value, types.ModuleType):
            self.modules.add(value.__name__)
            yield value.__name__
        elif isinstance(value, types.CodeType):
            self.codes.add((value.co_filename, value.co_qualname))
            yield from _code(value, held)
        elif isinstance(value, types.CellType):
            with suppress(ValueError):  # not bound yet
                yield HeldValue(value.cell_contents, held.where, held.full)
        elif kind in _KINDS:
            for name in _KINDS[kind]:
                yield HeldValue(getattr(value, name), held.where, held.full)
        elif isinstance(value, _C_CALLABLES + _C_MEMBERS):
            module = getattr(value, "__module__", None)
            self.modules |= {module} if isinstance(module, str) else set()
            yield f"{module}.{getattr(value, '__qualname__', '')}"
            if not isinstance(owner := getattr(value, "__self__", None), types.ModuleType):
                yield HeldValue(owner, held.where, held.full)
        elif isinstance(value, weakref.ref):
            yield HeldValue(value(), held.where, held.full)
        elif isinstance(value, random.Random) or f"{kind.__module__}.".startswith(WITHOUT_CONTENT):
            yield "kind"
        elif isinstance(value, ctypes.CDLL) or kind.__module__.startswith("_cffi"):
            self.libraries = True
        elif kind in (dict, types.MappingProxyType, list, tuple, set, frozenset, bytearray, memoryview):
            yield from self._content(value, held)
        else:
            yield from self._instance(value, held)

    def _content(self, value: Any, held: HeldValue) -> Parts:
        if isinstance(value, bytearray | memoryview):
            yield repr(bytes(value))
        elif isinstance(value, dict) and all(type(k) is str and type(v) in PLAIN for k, v in value.items()):
            self._collect(chain.from_iterable(value.items()))
            yield repr(sorted(value.items(), key=itemgetter(0)))
        elif isinstance(value, list | tuple) and all(type(each) in PLAIN for each in value):
            self._collect(value)
            yield repr(value)
        elif isinstance(value, Mapping):
            yield str(len(value))
            for key, item in self._in_order(value.items(), held):
                yield HeldValue(key, held.where, held.full)
                yield HeldValue(
                    item, f"{held.where}[{key!r:.40}]"[:LONGEST] if isinstance(key, str) else held.where, held.full
                )
        elif isinstance(value, set | frozenset):
            yield from sorted(self.told(each, held.where, full=held.full) for each in value)
        else:
            for each in value:
                yield HeldValue(each, held.where, held.full)

    def _in_order(self, items: Any, held: HeldValue) -> list[tuple[Any, Any]]:
        """Pairs in an order that does not depend on how the dict was made."""
        return sorted(items, key=lambda pair: self.told(pair[0], held.where, full=held.full))

    def _function(self, function: types.FunctionType, held: HeldValue) -> Parts:
        yield f"{function.__module__}.{function.__qualname__}"
        where = f"{held.where}" if held.where.endswith(function.__name__) else f"{held.where} ({function.__name__})"
        yield HeldValue(function.__code__, where, held.full)
        yield HeldValue(function.__defaults__, f"a default of {where}", held.full)
        yield HeldValue(function.__kwdefaults__, f"a default of {where}", held.full)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            yield HeldValue(cell, f"{name} in the closure of {where}"[:LONGEST], held.full)
        for name, value in sorted(vars(function).items()):
            yield name
            yield HeldValue(value, f"{where}.{name}"[:LONGEST], held.full)
        known = function.__globals__
        module, file = known.get("__name__"), known.get("__file__")
        if isinstance(module, str) and module in sys.modules:
            self.modules.add(module)
        if isinstance(file, str) and not own_file(file):
            return
        if getattr(sys.modules.get(module or ""), "__dict__", None) is not known and isinstance(file, str):
            self.files.add(file)
        named = _names(function.__code__)
        if named & _OPEN_NAMES:
            named |= {name for name in known if not name.startswith("__")}
        for name in sorted(named - {"__file__"}):  # whose content counts, wherever it lies
            if name in known:
                yield name
                yield from self._reached(known[name], name, named, set())
            elif isinstance(builtin := getattr(builtins, name, None), types.FunctionType):
                yield HeldValue(builtin, name, False)

    def _reached(self, value: Any, name: str, named: set[str], seen: set[int]) -> Parts:
        """A global; of a module what the code names of it."""
        if not isinstance(value, types.ModuleType):
            yield HeldValue(value, name, False)
        elif id(value) not in seen:
            seen.add(id(value))
            yield HeldValue(value, name, False)
            mine = own_file(getattr(value, "__file__", None) or "<")
            for inner in sorted(named & set(vars(value))):
                found = vars(value)[inner]
                if mine or isinstance(found, (types.ModuleType, types.FunctionType, *PLAIN)):
                    yield inner
                    yield from self._reached(found, f"{name}.{inner}"[:LONGEST], named, seen)
                else:
                    yield f"{inner} {type(found).__qualname__}"

    def _class(self, value: type, held: HeldValue) -> Parts:
        yield f"{value.__module__}.{value.__qualname__}"
        self.modules.add(value.__module__)
        if not _is_own(value):
            return
        for base in (type(value), *value.__bases__):
            yield HeldValue(base, held.where, False)
        for name, found in sorted(vars(value).items()):
            if not (name.startswith("__") and name.endswith("__")) or isinstance(
                found, types.FunctionType | staticmethod | classmethod | property
            ):
                yield name
                yield HeldValue(found, f"{value.__qualname__}.{name}", False)

    def _instance(self, value: Any, held: HeldValue) -> Parts:
        kind = type(value)
        yield HeldValue(kind, held.where, False)
        if own := _is_own(kind):  # whose attributes are read as they are, for `__getattr__` may do anything
            state = _state(value)
        else:
            state, wrapped = {}, getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
            if isinstance(wrapped, types.FunctionType):  # numba's, lru_cache's
                yield HeldValue(wrapped, held.where, held.full)
                return
        for name in sorted(state):
            yield name
            yield HeldValue(state[name], f"{held.where}.{name}"[:LONGEST], held.full)
        in_python = own and _is_all_python(kind)
        if in_python and not any(vars(each).keys() & _REDUCES for each in kind.__mro__[:-1]):
            return  # its attributes are all there is
        try:
            made: Any = value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 - whatever a class does there
            if held.full and not in_python:
                self.unknown = (
                    self.unknown or f"{held.where} ({kind.__module__}.{kind.__qualname__}) has no plain content"
                )
            yield "opaque"
            return
        if isinstance(made, str):
            yield made
            return
        *before, listed, pairs = (list(made) + [None] * 3)[:5]
        for each in before:
            yield HeldValue(each, held.where, held.full)
        yield from self._content([] if listed is None else list(listed), held)
        yield from self._content({} if pairs is None else dict(pairs), held)


_KINDS: dict[type, tuple[str, ...]] = {
    types.MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords", "__dict__"),
    functools.partialmethod: ("func", "args", "keywords"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    types.MemberDescriptorType: ("__name__",),
}


def _add(digest: Any, text: str) -> None:
    digest.update(f"{len(text)}:{text}".encode(errors="surrogatepass"))


def _code(code: types.CodeType, held: HeldValue) -> Parts:
    numbers = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    yield f"{numbers} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
    yield repr(code.co_code)
    yield from (HeldValue(each, held.where, held.full) for each in code.co_consts)


def _names(code: types.CodeType) -> set[str]:
    """All names of globals and attributes in the code, and in the code within it."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, types.CodeType))
    return set(code.co_names).union(*inner)


def _is_own(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return own_file(file) if isinstance(file, str) else kind.__module__ == "__main__"


def _is_all_python(kind: type) -> bool:
    """Tell whether nothing of an object is hidden in C: it has room for its attributes and slots only."""
    pointer = tuple.__itemsize__
    return kind.__basicsize__ <= object.__basicsize__ + pointer * (2 + len(copyreg._slotnames(kind)))  # type: ignore[attr-defined]


def _state(value: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots among them."""
    slots = {name: getattr(value, name) for name in copyreg._slotnames(type(value)) if hasattr(value, name)}  # type: ignore[attr-defined]
    return slots | dict(getattr(value, "__dict__", {}))
