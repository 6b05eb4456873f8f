"""The grammar of claims: ``ApproxDP(epsilon=log(3), delta=1e-5)``, read by hand and never evaluated as code.

    guarantee := NAME "(" [keyword ("," keyword)* [","]] ")"          keyword := NAME "=" value
    value     := STRING | product | "(" [product ("," product)* [","]] ")" | the same in "[" "]"
    product   := factor (("*" | "/") factor)*
    factor    := ["+" | "-"] (NUMBER | "inf" | "nan" | ("log" | "ln" | "sqrt") "(" product ")")

Tuples need a comma, as in Python: ``(2,)``. Names of guarantees are those of the definitions that are given, so a new
definition needs no change here. Python's own syntax beyond this (positional values, sums, comments) is refused.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import shortened
from dpverify.core.registry import Registry, register_modules
from dpverify.core.subjects import Guarantee

Definitions = Mapping[str, Callable[..., Any]]
LONGEST = 20_000  # characters: a curve of hundreds of vertices
DEEPEST = 30  # functions inside one another
# Possessive throughout, so that no character is looked at again after another: linear in the text.
_TOKEN = re.compile(
    r"""(?P<number>(?>\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+(?!\w))"""
    r"""|(?P<name>[A-Za-z_]\w*+)|(?P<string>"[^"]*+"|'[^']*+')|(?P<sign>[()\[\],=*/+-])""",
    re.ASCII,
)
_BLANK = re.compile(r"\s*+")
_FUNCTIONS: dict[str, Callable[[float], float]] = {"log": math.log, "ln": math.log, "sqrt": math.sqrt}
_CONSTANTS = {"inf": math.inf, "nan": math.nan}
_CLOSING = {"(": ")", "[": "]"}


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
    name, parameters = _Reader(text).guarantee()
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


def built_in() -> dict[str, Callable[..., Any]]:
    """The definitions of this package, by name, found by walking its modules."""
    registry = Registry()
    register_modules(sys.modules[__package__ or "dpverify.definitions"], registry)
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


class _Reader:
    """One pass over one text, a token at a time."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InputError(f"a claim of type {type(text).__name__}", allowed="text such as 'PureDP(epsilon=1)'")
        if len(text) > LONGEST:
            raise InputError(f"a claim of {len(text)} characters", allowed=f"at most {LONGEST}")
        self.text, self.end = text.rstrip(), 0
        self.kind, self.token, self.at, self.depth = "", "", 0, 0
        self.advance()

    def advance(self) -> str:
        """Step to the next token and return the one before."""
        before = self.token
        self.at = _BLANK.match(self.text, self.end).end()  # type: ignore[union-attr]  # it matches nothing, too
        if self.at >= len(self.text):
            self.kind, self.token = "end", ""
            return before
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            self.kind, self.token = "bad", self.text[self.at]
            raise self.error("a number, a name, a string or one of ( ) [ ] , = * / + -")
        self.kind = match.lastgroup or ""
        self.token, self.end = match.group(self.kind), match.end()
        return before

    def error(self, expected: str) -> InputError:
        """What stands where something else was expected, with its position counted from 1."""
        found = "the text ends" if self.kind == "end" else f"{shortened(self.token)!r} stands"
        start = max(0, self.at - 30)
        excerpt = f"{'...' if start else ''}{self.text[start : self.at + 30]}"
        return InputError(
            f"cannot read {one_line(excerpt)!r}: {found} at position {self.at + 1}",
            allowed=expected,
            remedy="write claims like ApproxDP(epsilon=1, delta=1e-5)",
        )

    def take(self, sign: str, expected: str) -> None:
        if self.token != sign or self.kind != "sign":
            raise self.error(expected)
        self.advance()

    def guarantee(self) -> tuple[str, dict[str, object]]:
        """The name and the parameters of the whole text."""
        name = self.name("the name of a guarantee")
        self.take("(", "'(' after the name")
        parameters: dict[str, object] = {}
        while self.token != ")":
            key = self.name("parameter=value")
            if key in parameters:
                raise InputError(f"{name}: parameter {shortened(key)!r} twice", allowed="each parameter once")
            self.take("=", f"'=' after {shortened(key)}")
            parameters[key] = self.value()
            if self.token != ")":
                self.take(",", "',' or ')'")
        self.advance()
        if self.kind != "end":
            raise self.error("nothing after the closing ')'")
        return name, parameters

    def name(self, expected: str) -> str:
        if self.kind != "name":
            raise self.error(expected)
        return self.advance()

    def value(self) -> object:
        if self.kind == "string":
            return self.advance()[1:-1]
        if self.token not in _CLOSING:
            return self.product()
        closing, items, commas = _CLOSING[self.advance()], list[float](), 0
        while self.token != closing:
            items.append(self.product())
            if self.token != closing:
                self.take(",", f"',' or '{closing}'")
                commas += 1
        self.advance()
        if closing == ")" and items and not commas:
            return items[0]
        return tuple(items)

    def product(self) -> float:
        result = self.factor()
        while self.kind == "sign" and self.token in "*/":
            where, sign = self.at, self.advance()
            other = self.factor()
            if sign == "/" and other == 0:
                raise InputError(f"a division by 0 at position {where + 1}", allowed="another divisor")
            result = result * other if sign == "*" else result / other
        return result

    def factor(self) -> float:
        sign = 1.0
        if self.kind == "sign" and self.token in "+-":
            sign = -1.0 if self.advance() == "-" else 1.0
        if self.kind == "number":
            return sign * float(self.advance())
        if self.kind == "name" and self.token in _CONSTANTS:
            return sign * _CONSTANTS[self.advance()]
        if self.kind == "name" and self.token in _FUNCTIONS:
            return sign * self.function()
        raise self.error("a number, such as 1e-5, 1/3, log(3) or inf")

    def function(self) -> float:
        where, name = self.at, self.advance()
        self.depth += 1
        if self.depth > DEEPEST:
            raise InputError("a claim nested too deeply to read", allowed="numbers such as log(3)")
        self.take("(", f"'(' after {name}")
        argument = self.product()
        self.take(")", "')'")
        self.depth -= 1
        try:
            return _FUNCTIONS[name](argument)
        except ValueError:
            what = f"{name}({argument}) at position {where + 1}"
            raise InputError(what, allowed=f"{name} of a number in its range") from None
