"""Classes whose fields are given by name say so when one is given without."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from dpverify.core.errors import InputError


@functools.cache
def with_hint(kind: type) -> type:
    """The class itself; ``PureDP(1)`` becomes an InputError that shows ``PureDP(epsilon=1)``."""
    names, plain = [*inspect.signature(kind).parameters], kind.__init__  # type: ignore[misc]

    @functools.wraps(plain)
    def made(self: Any, *given: Any, **named: Any) -> None:
        if given:
            told = [f"{name}={value!r}" for name, value in [*zip(names, given, strict=False), *named.items()]]
            values = [*map(repr, given), *(f"{name}={value!r}" for name, value in named.items())]
            raise InputError(
                f"{kind.__name__}({', '.join(values)})", allowed=f"names, such as {kind.__name__}({', '.join(told)})"
            )
        plain(self, **named)

    kind.__init__ = made  # type: ignore[misc]
    return kind
