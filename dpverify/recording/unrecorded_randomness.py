"""Detects randomness that is not recorded: compares the states of other generators before and after a run.

Covered are the module `random`, numpy's global generator, and generators among the function's globals, defaults,
closure and attributes of its object. Not covered are the operating system's randomness, generators that the function
makes, and those of other modules.
"""

from __future__ import annotations

import _random
import ctypes
import functools
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import MT19937
from numpy.random.mtrand import get_bit_generator

_MT19937_BYTES = 624 * 4 + 4
"""Key and position: 624 words of 32 bits, and one more."""

_KINDS = (np.random.Generator, np.random.RandomState, random.Random, np.random.BitGenerator)


class Watch:
    """Keeps the states of generators, to compare them later.

    Parameters
    ----------
    function : callable or None
        Function whose generators are watched; None for the process-wide ones alone.
    """

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self._sources: list[Any] = []
        self._before = self._states()
        if function is not None:
            self.also(function)

    def also(self, function: Callable[..., Any]) -> None:
        """Watch the generators of one more function, from their present state."""
        for each in _known(function):
            kind: Any = type(each)
            if _is_generator(kind):
                self._sources.append(each)
                self._before.append(_state(each))

    def moved(self) -> bool:
        """Tell whether any of them was used since."""
        return self._states() != self._before

    def _states(self) -> list[Any]:
        return [_python_state(), _NUMPY.state(), *map(_state, self._sources)]


_PYTHON_BYTES = 4 + 624 * 4
"""Position and key."""


def _words(made: random.Random) -> bytes:
    """Position and key where CPython keeps them, without 625 Python numbers of them."""
    return ctypes.string_at(id(made) + object.__basicsize__, _PYTHON_BYTES)


def _words_are_there() -> bool:
    """Tell whether this Python keeps them there, by the words of a state that is known."""
    if sys.implementation.name != "cpython" or _random.Random.__basicsize__ < object.__basicsize__ + _PYTHON_BYTES:
        return False
    made = random.Random(1)
    for _ in range(3):
        *key, position = made.getstate()[1]
        if _words(made) != np.array([position, *key], dtype=np.uint32).tobytes():
            return False
        made.random()
    return True


_GLOBAL = getattr(random, "_inst", None)
_DIRECT = isinstance(_GLOBAL, random.Random) and _words_are_there()


def _python_state() -> Any:
    """The state of the module `random`; of a short recorded run, a tenth was spent on asking for it."""
    return (_words(_GLOBAL), _GLOBAL.gauss_next) if _DIRECT and _GLOBAL is not None else random.getstate()


class _NumpyGlobal:
    """Reads the state of numpy's global generator: whole, most of a short recorded run, only where it moved."""

    def __init__(self) -> None:
        self._settled: bytes | None = None

    def state(self) -> Any:
        """The words, and the second of a pair of normal draws where it is kept."""
        bits = get_bit_generator()
        if type(bits) is not MT19937:
            return repr(np.random.get_state(legacy=False))  # noqa: NPY002 - it is this one that is watched
        words = ctypes.string_at(bits.ctypes.state_address, _MT19937_BYTES)
        if words == self._settled:
            return words, None
        _, _, _, kept, number = np.random.get_state(legacy=True)  # noqa: NPY002
        self._settled = None if kept else words  # what is kept is used up without a change of the words
        return words, number if kept else None


_NUMPY = _NumpyGlobal()


@functools.lru_cache(maxsize=4096)
def _is_generator(kind: Any) -> bool:
    """Tell whether it is the type of a generator; remembered, since every run asks it of all names of a module."""
    return issubclass(kind, _KINDS)


def _known(function: Any) -> Iterator[Any]:
    if isinstance(function, functools.partial):
        yield from (*function.args, *function.keywords.values())
        yield from _known(function.func)
        return
    owner = getattr(function, "__self__", function)
    yield from list(getattr(owner, "__dict__", {}).values())
    code = getattr(function, "__func__", function)
    if not hasattr(code, "__globals__"):
        code = getattr(type(function), "__call__", None)  # noqa: B004 - the method of an object that is called
    yield from list(getattr(code, "__globals__", {}).values())
    yield from getattr(code, "__defaults__", None) or ()
    yield from (getattr(code, "__kwdefaults__", None) or {}).values()
    for cell in getattr(code, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty closure cell
            continue


def _state(source: Any) -> Any:
    if isinstance(source, np.random.Generator):
        return repr(source.bit_generator.state)
    if isinstance(source, np.random.RandomState):
        return repr(source.get_state(legacy=False))
    if isinstance(source, random.SystemRandom):
        return None
    return source.getstate() if isinstance(source, random.Random) else repr(source.state)
