"""Functions that are declared to add noise of a law to a value, and the generator that stands in for theirs.

Where the code runs beside its proof, the noise is chosen: a declared function then adds noise from that generator. It
is called itself as well, each time, with copies: for the form of what it returns, whether it leaves them alone, and
whether what it returned before stays as it was.
"""

from __future__ import annotations

import copy
import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpverify.core.numpy_random import PUBLISHED, standing_in_numpy

LAWS = {"gaussian": "normal", "laplace": "laplace"}
"""Methods of numpy's generator, by the name of the law."""

REMEMBERED, MOST_REMEMBERED = 1 << 25, 64
"""Bytes and number of earlier results that are kept, to see whether a later call changes them."""

_stand_in: ContextVar[np.random.Generator | None] = ContextVar("stand_in", default=None)


class DeclaredNoiseError(Exception):
    """Says that a function does not do what it is declared to do."""


@dataclass(frozen=True, eq=False)
class DeclaredNoise:
    """Says which parameters of a function hold the value and the scale of the noise that it adds."""

    law: str
    value_arg: str
    scale_arg: str
    signature: inspect.Signature
    module: str
    qualname: str
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """The name of the function with its module's."""
        return f"{self.module}.{self.qualname}"

    def read(self, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, Any, list[Any]]:
        """(value, scale, all other arguments) of a call; TypeError where they are not the function's."""
        bound = self.signature.bind(*given, **named)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        value, scale = arguments.pop(self.value_arg), arguments.pop(self.scale_arg)
        return value, scale, list(arguments.values())

    @property
    def as_bound(self) -> bool:
        """True where Python binds the function's arguments as its signature said when it was declared."""
        function = self.function
        if type(function) is not FunctionType or type(function.__dict__) is not dict or function.__dict__:
            return False
        now, then = inspect.signature(function).parameters.values(), self.signature.parameters.values()
        same = [(each.name, each.kind) for each in now] == [(each.name, each.kind) for each in then]
        return same and all(one.default is other.default for one, other in zip(now, then, strict=True))

    def around(self, function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The value with noise from the generator that stands in.

        DeclaredNoiseError where the function itself returns something else than a double or an array of doubles of the
        value's shape, or changes what it was given.
        """
        value, scale, _ = self.read(given, named)
        self._look(function, given, named)
        rng = stand_in()
        assert rng is not None
        return value + getattr(rng, LAWS[self.law])(0.0, scale, size=np.shape(value) or None)

    def _look(self, function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> None:
        bound = self.signature.bind(*given, **named)
        bound.apply_defaults()
        arguments = bound.arguments
        for name, each in arguments.items():
            own = isinstance(each, np.random.Generator)
            arguments[name] = PUBLISHED["default_rng"](0) if own else copy.deepcopy(each)
        before = [np.array(arguments[name]) for name in (self.value_arg, self.scale_arg)]
        with standing_in_numpy(PUBLISHED):  # beside a proof there are others
            found = function(*bound.args, **bound.kwargs)
        shape = before[0].shape
        array = type(found) is np.ndarray and found.shape == shape and found.dtype == np.float64
        if not (array if shape else type(found) in (float, np.float64)):
            told = f"{self.name} returns a {type(found).__name__}, and no {'array of doubles' if shape else 'double'}"
            raise DeclaredNoiseError(f"{told} of the value's shape")
        if array:
            _remember(self.name, found)
        after = [np.array(arguments[name]) for name in (self.value_arg, self.scale_arg)]
        if any(one.tobytes() != other.tobytes() for one, other in zip(before, after, strict=True)):
            raise DeclaredNoiseError(f"{self.name} changes what it is given")


_declared: WeakKeyDictionary[Callable[..., Any], DeclaredNoise] = WeakKeyDictionary()


_results: deque[tuple[np.ndarray, bytes]] = deque()


def begin() -> None:
    """Forget what functions returned beside an earlier proof."""
    _results.clear()


def _remember(name: str, found: np.ndarray) -> None:
    """Keep an array that a function returned; DeclaredNoiseError where it is no new one, or an earlier one changed."""
    if found.base is not None or not found.flags.owndata or any(found is one for one, _ in _results):
        raise DeclaredNoiseError(f"{name} returns an array that is another one's, or one that it returned before")
    if any(one.tobytes() != before for one, before in _results):
        raise DeclaredNoiseError(f"{name} changes what was returned before")
    _results.append((found, found.tobytes()))
    while sum(one.nbytes for one, _ in _results) > REMEMBERED or len(_results) > MOST_REMEMBERED:
        _results.popleft()


def declare(function: Callable[..., Any], noise: DeclaredNoise) -> None:
    """Note what a function is declared to do."""
    _declared[function] = noise


def declared(function: Any) -> DeclaredNoise | None:
    """The declaration of this very function; None for all others."""
    return _declared.get(function) if type(function) is FunctionType else None


def stand_in() -> np.random.Generator | None:
    """The generator that declared noise comes from, None outside of `standing_in`."""
    return _stand_in.get()


@contextmanager
def standing_in(rng: np.random.Generator) -> Iterator[None]:
    """Take the noise of declared functions from this generator."""
    token = _stand_in.set(rng)
    try:
        yield
    finally:
        _stand_in.reset(token)
