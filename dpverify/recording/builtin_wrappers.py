"""``float``, ``int``, ``max`` and ``min`` that keep a noisy number traced, put into the user's modules during a run.

Programs often contain ``return float(total + rng.laplace())`` or ``max(count + noise, 0)``, and Python allows only
plain numbers as results of these functions. So during a recorded run, these four names are replaced in the modules that
define the function and its class. With plain numbers the replacements do what the originals do. Modules that define
such a name themselves, and all other modules, stay unchanged: a conversion there is a hidden coin, which can lose
findings but never creates one. Findings of a recorded run are confirmed with the unchanged program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import CellType, FunctionType
from typing import Any

import numpy as np

from dpverify.recording.traced_number import Traced, after_monotone


class _Kind(type):
    """Metaclass of the replaced types: ``isinstance`` and ``issubclass`` behave as for the originals."""

    plain: type
    of_traced: Callable[[Any], bool]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.plain) or (isinstance(instance, Traced) and cls.of_traced(instance.value))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.plain)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.plain, name)


class KeepingFloat(metaclass=_Kind):
    """``float`` that keeps a noisy number traced. As a dtype it is float64."""

    plain = float
    of_traced = staticmethod(lambda value: isinstance(value, float))
    dtype = np.dtype(np.float64)

    def __new__(cls, value: Any = 0.0) -> Any:
        """The float of `value`; a noisy number stays noisy."""
        value = _alone(value)
        return value if isinstance(value, Traced) else float(value)


class KeepingInt(metaclass=_Kind):
    """``int`` that truncates a noisy number and keeps it traced. As a dtype it is numpy's default integer."""

    plain = int
    of_traced = staticmethod(lambda value: isinstance(value, int))
    dtype = np.dtype(np.int_)

    def __new__(cls, value: Any = 0, *base: Any, **named: Any) -> Any:
        """The int of `value`; a noisy number stays noisy."""
        value = _alone(value)
        return (
            after_monotone(value, int, "converted to an int")
            if isinstance(value, Traced)
            else int(value, *base, **named)
        )


def _alone(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) and value.dtype == object and value.size == 1 else value


def _extreme(original: Callable[..., Any]) -> Callable[..., Any]:
    """``max`` or ``min`` of one noisy number and noise-free bounds; the original function for anything else."""

    @functools.wraps(original)
    def extreme(*given: Any, **named: Any) -> Any:
        noisy = [each for each in given if isinstance(each, Traced)]
        if len(given) < 2 or len(noisy) != 1 or named:
            return original(*given, **named)

        def cut(value: float) -> Any:
            return original(*(value if each is noisy[0] else each for each in given))

        return after_monotone(noisy[0], cut, "compared")

    return extreme


STAND_INS: dict[str, Any] = {
    "float": KeepingFloat,
    "int": KeepingInt,
    "max": _extreme(max),
    "min": _extreme(min),
}
_lent: dict[int, int] = {}
_lock = Lock()


@contextmanager
def wrapped_builtins(function: Callable[..., Any]) -> Iterator[None]:
    """Replace the functions in the modules of `function` while it runs."""
    homes = defining_modules(function)
    with _lock:
        for home in homes:
            _lent[id(home)] = _lent.get(id(home), 0) + 1
            for name, each in STAND_INS.items():
                home.setdefault(name, each)
    try:
        yield
    finally:
        with _lock:
            for home in homes:
                _lent[id(home)] -= 1
                if not _lent[id(home)]:
                    del _lent[id(home)]
                    for name, each in STAND_INS.items():
                        if home.get(name) is each:
                            del home[name]


def defining_modules(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Names of the modules that define a function, without those of this package and numpy."""
    homes = {id(home): home for home in _homes(function, set())}
    return [home for home in homes.values() if not _ours(home)]


def _ours(home: dict[str, Any]) -> bool:
    return str(home.get("__name__", "")).partition(".")[0] in ("dpverify", "numpy", "builtins", "functools")


def _homes(function: Any, seen: set[int]) -> Iterator[dict[str, Any]]:
    """Names of the modules that define a callable, its class, and the functions that it wraps."""
    if id(function) in seen:
        return
    seen.add(id(function))
    if isinstance(function, functools.partial):
        yield from _homes(function.func, seen)
        return
    if isinstance(function, FunctionType):
        yield function.__globals__
        for cell in function.__closure__ or ():
            yield from _homes(_content(cell), seen)
        yield from _homes(getattr(function, "__wrapped__", None), seen)
        return
    if not callable(function):
        return
    owner = getattr(function, "__self__", function)
    for base in (owner if isinstance(owner, type) else type(owner)).__mro__:
        for each in vars(base).values():
            if isinstance(each, FunctionType):
                yield each.__globals__


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty closure cell
        return None
