"""Classes whose fields are given by name say so when one is given without."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from dpverify.core.errors import InputError


@cache
def with_hint(kind: type) -> type:
    """The class itself; ``PureDP(1)`` becomes an InputError that shows ``PureDP(epsilon=1)``."""
    names = [*inspect.signature(kind).parameters]

    def made(cls: type, *given: Any, **named: Any) -> Any:
        if given:
            told = [f"{name}={value!r}" for name, value in zip(names, given, strict=False)]
            told += [f"{name}={value!r}" for name, value in named.items()]
            values = [*map(repr, given), *(f"{name}={value!r}" for name, value in named.items())]
            raise InputError(
                f"{cls.__name__}({', '.join(values)})", allowed=f"names, such as {cls.__name__}({', '.join(told)})"
            )
        return object.__new__(cls)

    kind.__new__ = made  # type: ignore[method-assign,assignment]
    return kind
