"""Functions that are declared to add noise of a law to a value, and the generator that stands in for theirs.

Where the code runs beside its proof, the noise is chosen: a declared function then adds noise from that generator. It
is called itself as well, a few times, with copies: for the form of what it returns, and whether it leaves them alone.
"""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

LAWS = {"gaussian": "normal", "laplace": "laplace"}
"""Methods of numpy's generator, by the name of the law."""

DEFAULT_RNG = np.random.default_rng

LOOKED_AT = 64
"""Calls beside one proof in which the function itself is called, too."""

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

    def around(self, function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The value with noise from the generator that stands in.

        DeclaredNoiseError where the function itself returns something else than a double or an array of doubles of the
        value's shape, or changes what it was given.
        """
        value, scale, _ = self.read(given, named)
        _looked[self] += 1
        if _looked[self] <= LOOKED_AT:
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
            arguments[name] = DEFAULT_RNG(0) if own else copy.deepcopy(each)
        before = [np.array(arguments[name]) for name in (self.value_arg, self.scale_arg)]
        beside, np.random.default_rng = np.random.default_rng, DEFAULT_RNG  # beside a proof it is another
        try:
            found = function(*bound.args, **bound.kwargs)
        finally:
            np.random.default_rng = beside
        shape = before[0].shape
        number = shape == () and type(found) in (float, np.float64)
        if not number and not (type(found) is np.ndarray and found.shape == shape and found.dtype == np.float64):
            told = (
                f"{self.name} returns a {type(found).__name__}, and no double or array of doubles of the value's shape"
            )
            raise DeclaredNoiseError(told)
        after = [np.array(arguments[name]) for name in (self.value_arg, self.scale_arg)]
        if any(one.tobytes() != other.tobytes() for one, other in zip(before, after, strict=True)):
            raise DeclaredNoiseError(f"{self.name} changes what it is given")


_declared: WeakKeyDictionary[Callable[..., Any], DeclaredNoise] = WeakKeyDictionary()


_looked: Counter[DeclaredNoise] = Counter()


def begin() -> None:
    """Forget how often functions were called beside an earlier proof: each proof has calls of its own."""
    _looked.clear()


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
