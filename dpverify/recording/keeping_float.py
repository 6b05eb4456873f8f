"""A function's twin in which ``float(x)`` keeps the account of a noisy number.

``return float(total + rng.laplace())`` is how people write it, and Python lets no object answer ``float`` with anything
but a bare float. So a recorded function runs as a twin, with the functions of its module beside it, in a copy of its
module's names where ``float`` is a stand-in. The original is not touched. Methods, and functions of other modules, keep
the plain ``float``: there a conversion is a hidden coin, which costs findings and never makes one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from dpverify.recording.traced import Traced


class _FloatKind(type):
    """Of the stand-in: asked for types, it answers as ``float`` does."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, float | Traced)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, float)

    def __getattr__(cls, name: str) -> Any:
        return getattr(float, name)


class KeepingFloat(metaclass=_FloatKind):
    """``float``, but a noisy number stays one. As a dtype it is float64."""

    dtype = np.dtype(np.float64)

    def __new__(cls, value: Any = 0.0) -> Any:
        """The number."""
        if isinstance(value, np.ndarray) and value.dtype == object and value.size == 1:
            value = value.item()
        return value if isinstance(value, Traced) else float(value)


def keeping_float(function: Callable[..., Any]) -> Callable[..., Any]:
    """The twin of a plain function (or of a partial one), made anew each time; anything else as it is."""
    if isinstance(function, functools.partial):
        return functools.partial(keeping_float(function.func), *function.args, **function.keywords)
    if not isinstance(function, FunctionType) or "float" in function.__globals__:
        return function
    names = dict(function.__globals__)
    names["float"] = KeepingFloat
    for name, each in function.__globals__.items():
        if isinstance(each, FunctionType) and each.__globals__ is function.__globals__:
            names[name] = _twin(each, names)
    return _twin(function, names)


def _twin(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    twin = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    twin.__dict__.update(function.__dict__)
    twin.__wrapped__ = function  # type: ignore[attr-defined]  # for inspect.signature
    return twin
