"""Functions that are declared to add noise of a law to a value, and the generator that stands in for theirs.

Where the code runs beside its proof, the noise is chosen: a declared function then adds noise from that generator.
"""

from __future__ import annotations

import inspect
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

_stand_in: ContextVar[np.random.Generator | None] = ContextVar("stand_in", default=None)


@dataclass(frozen=True)
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

    def around(self, value: Any, scale: Any, rng: np.random.Generator) -> Any:
        """The value with noise from a generator of numpy's."""
        return value + getattr(rng, LAWS[self.law])(0.0, scale, size=np.shape(value) or None)


_declared: WeakKeyDictionary[Callable[..., Any], DeclaredNoise] = WeakKeyDictionary()


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
