"""``float``, ``int``, ``max`` and ``min`` that keep a noisy number traced, put into the user's modules during a run.

``return float(total + rng.laplace())`` and ``max(count + noise, 0)`` are how people write it, and Python lets no object
answer these with anything but a bare number. So for the time of a recorded run, the modules that the function and its
class were written in see stand-ins under these four names; with plain numbers they do what the originals do. Modules
that have such a name of their own, and the modules of others, are left alone: there a conversion is a hidden coin,
which costs findings and never makes one. What is believed of a recorded run is borne out by the untouched program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import CellType, FunctionType
from typing import Any

import numpy as np

from dpverify.recording.traced_number import Traced, rough


class _Kind(type):
    """Of the stand-ins for types: asked for types, they answer as the originals do."""

    plain: type
    of_traced: Callable[[Any], bool]

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.plain) or (isinstance(instance, Traced) and cls.of_traced(instance.value))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.plain)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls.plain, name)


class KeepingFloat(metaclass=_Kind):
    """``float``, but a noisy number stays one. As a dtype it is float64."""

    plain = float
    of_traced = staticmethod(lambda value: isinstance(value, float))
    dtype = np.dtype(np.float64)

    def __new__(cls, value: Any = 0.0) -> Any:
        """The float of `value`; a noisy number stays noisy."""
        value = _alone(value)
        return value if isinstance(value, Traced) else float(value)


class KeepingInt(metaclass=_Kind):
    """``int``, but a noisy number stays a noisy number, cut off. As a dtype it is numpy's own integer."""

    plain = int
    of_traced = staticmethod(lambda value: isinstance(value, int))
    dtype = np.dtype(np.int_)

    def __new__(cls, value: Any = 0, *base: Any, **named: Any) -> Any:
        """The int of `value`; a noisy number stays noisy."""
        value = _alone(value)
        return rough(value, int, "converted to an int") if isinstance(value, Traced) else int(value, *base, **named)


def _alone(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) and value.dtype == object and value.size == 1 else value


def _extreme(original: Callable[..., Any]) -> Callable[..., Any]:
    """``max`` or ``min`` of one noisy number and bounds that have no noise; of anything else, the original."""

    @functools.wraps(original)
    def extreme(*given: Any, **named: Any) -> Any:
        noisy = [each for each in given if isinstance(each, Traced)]
        if len(given) < 2 or len(noisy) != 1 or named:
            return original(*given, **named)

        def cut(value: float) -> Any:
            return original(*(value if each is noisy[0] else each for each in given))

        return rough(noisy[0], cut, "compared")

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
def keeping(function: Callable[..., Any]) -> Iterator[None]:
    """Lend the stand-ins to the modules of a function while it runs."""
    homes = homes_of(function)
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


def homes_of(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """The names of the modules that a function was written in, but for this package's and numpy's."""
    homes = {id(home): home for home in _homes(function, set())}
    return [home for home in homes.values() if not _ours(home)]


def _ours(home: dict[str, Any]) -> bool:
    return str(home.get("__name__", "")).partition(".")[0] in ("dpverify", "numpy", "builtins", "functools")


def _homes(function: Any, seen: set[int]) -> Iterator[dict[str, Any]]:
    """The names of the modules that a callable was written in: its own, its class's, and those of what it wraps."""
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
    except ValueError:  # not filled yet
        return None
