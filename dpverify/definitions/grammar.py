"""The grammar of claims: ``ApproxDP(epsilon=log(3), delta=1e-5)``, read by hand and never evaluated as code.

    guarantee := NAME "(" [keyword ("," keyword)* [","]] ")"          keyword := NAME "=" value
    value     := item | "(" [item ("," item)* [","]] ")" | the same in "[" "]"          item := STRING | product
    product   := factor (("*" | "/") factor)*
    factor    := ["+" | "-"] (NUMBER | "inf" | "nan" | ("log" | "ln" | "sqrt") "(" product ")")

Tuples need a comma, as in Python: ``(2,)``. Names of guarantees are those of the definitions that are given, so a new
definition needs no change here. Python's own syntax beyond this (positional values, sums, comments) is refused.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import shortened
from dpverify.core.registry import Registry, registers
from dpverify.core.subjects import Guarantee
from dpverify.definitions.text_reader import FUNCTIONS, TextReader

Definitions = Mapping[str, Callable[..., Any]]
_CONSTANTS = {"inf": math.inf, "nan": math.nan}


def parse_guarantee(text: str, definitions: Definitions | None = None) -> Guarantee:
    """The guarantee that `text` says.

    Parameters
    ----------
    text : str
        Such as ``PureDP(epsilon=1)``, ``RDP(orders=(2, 4), epsilons=(0.5, 1))``; what every ``text()`` writes.
    definitions : mapping of str to callable, optional
        What may be claimed, by name; the definitions of this package when left out (plug-ins' are then unknown).

    Raises
    ------
    InputError
        One line, for text that does not parse (with the position), an unknown guarantee (with near names), unknown,
        missing or repeated parameters (with the signature), and values out of range.
    """
    known = built_in() if definitions is None else definitions
    try:
        name, parameters = _Reader(text).guarantee()
    except InputError as problem:
        if meant := with_names(text, known):
            raise InputError(problem.what, allowed=problem.allowed, remedy=f"write {meant}") from problem
        raise
    if name not in known:
        folded = {other.casefold(): other for other in known}
        near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3)]
        raise InputError(f"no guarantee is called {shortened(name)!r}", allowed=", ".join(near or sorted(known)))
    definition = known[name]
    _fit(name, definition, parameters)
    try:
        result = definition(**parameters)
    except DpverifyError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputError(f"{name}: {one_line(str(error))}", allowed=_signature(name, definition)) from error
    if not isinstance(result, Guarantee):
        raise InputError(f"{name} made a {type(result).__name__}", allowed="a guarantee, with text() and measures()")
    return result


def with_names(text: str, known: Definitions) -> str:
    """The claim that a text with positional values means, ``PureDP(epsilon=1)`` for ``PureDP(1)``; empty for none."""
    name, _, rest = str(text).strip().partition("(")
    takes = _parameters(known[name]) if name in known else None
    if not takes or not rest.endswith(")"):
        return ""
    parts, depth = [""], 0
    for sign in rest[:-1]:
        depth += (sign in "([") - (sign in ")]")
        parts = [*parts, ""] if sign == "," and depth == 0 else [*parts[:-1], parts[-1] + sign]
    values = [part.strip() for part in parts if part.strip()]
    named = [value for value in values if "=" in value]
    free = [key for key in takes if not any(value.startswith(f"{key}=") for value in named)]
    bare = [value for value in values if "=" not in value]
    if not 0 < len(bare) <= len(free):
        return ""
    words = [f"{key}={value}" for key, value in zip(free, bare, strict=False)]
    try:
        return parse_guarantee(f"{name}({', '.join([*words, *named])})", known).text()
    except InputError:
        return ""


def built_in() -> dict[str, Callable[..., Any]]:
    """The definitions of this package, by name, found by walking its modules."""
    registry = Registry()
    registers("dpverify.definitions")(registry)
    return dict(registry.definitions.items())


def _fit(name: str, definition: Callable[..., Any], parameters: Mapping[str, object]) -> None:
    """Refuse unknown and missing parameters before the definition is called."""
    known = _parameters(definition)
    if known is None or any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    unknown = [key for key in parameters if key not in known]
    missing = [key for key, item in known.items() if item.default is item.empty and key not in parameters]
    if unknown or missing:
        what = f"unknown parameter {shortened(unknown[0])!r}" if unknown else f"missing parameter {missing[0]!r}"
        raise InputError(f"{name}: {what}", allowed=_signature(name, definition))


def _parameters(definition: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    """What the definition takes; None where Python cannot tell (built-in callables)."""
    try:
        return inspect.signature(definition).parameters
    except (TypeError, ValueError):
        return None


def _signature(name: str, definition: Callable[..., Any]) -> str:
    """``SensitivityBound(bound=..., norm='l2')``."""
    items = (_parameters(definition) or {}).items()
    shown = (f"{key}={'...' if item.default in (item.empty, None, ()) else repr(item.default)}" for key, item in items)
    return f"{name}({', '.join(shown)})"


class _Reader(TextReader):
    """Claims: one call; numbers are floats."""

    subject = "a claim"
    example = "ApproxDP(epsilon=1, delta=1e-5)"

    def guarantee(self) -> tuple[str, dict[str, object]]:
        """The name and the parameters of the whole text."""
        found = self.call("the name of a guarantee")
        self.finish("nothing after the closing ')'")
        return found

    def product(self) -> float:
        """A float, rounded after each operation."""
        result = self.factor()
        while self.follows("*/"):
            where, sign = self.next, self.advance()
            other = self.factor()
            if sign == "/" and other == 0:
                self.next = where
                raise self.error("a divisor other than 0")
            result = result * other if sign == "*" else result / other
        return result

    def factor(self) -> float:
        """A number, a constant or a function's value, with its sign."""
        sign = -1.0 if self.follows("+-") and self.advance() == "-" else 1.0
        if self.kind == "number":
            return sign * float(self.advance())
        if self.kind == "name" and self.token in _CONSTANTS:
            return sign * _CONSTANTS[self.advance()]
        if self.kind == "name" and self.token in FUNCTIONS:
            return sign * self.function()
        raise self.error("a number, such as 1e-5, 1/3, log(3) or inf")
