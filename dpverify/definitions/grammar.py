"""The grammar of claims: ``ApproxDP(epsilon=log(3), delta=1e-5)``, read by hand and never evaluated as code.

    guarantee := NAME "(" [keyword ("," keyword)* [","]] ")"          keyword := NAME "=" value
    value     := item | "(" [item ("," item)* [","]] ")" | the same in "[" "]"          item := STRING | product
    product   := factor (("*" | "/") factor)*
    factor    := ["+" | "-"] (NUMBER | "inf" | "nan" | ("log" | "ln" | "sqrt") "(" product ")")

Tuples need a comma, as in Python: ``(2,)``. Names of guarantees are those of the definitions that are given, so a new
definition needs no change here. Python's own syntax beyond this (positional values, sums, comments) is refused.

Claims and compositions are read by hand, a token at a time, and never as code. What is shared: tokens, arguments,
tuples, functions of numbers, and errors that say what stands where. What a value and a product are, each grammar says
itself. Linear in the text. Not to be confused with Python's own syntax, of which this is a small part.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from dpverify.core.errors import DpverifyError, InputError, one_line
from dpverify.core.read_untrusted import shortened
from dpverify.core.registry import Registry, registers
from dpverify.core.subjects import Guarantee

Definitions = Mapping[str, Callable[..., Any]]
_CONSTANTS = {"inf": math.inf, "nan": math.nan}


LONGEST = 20_000
"""Characters: a curve of hundreds of vertices; longer compositions belong in a file."""

DEEPEST = 30
"""Functions, or steps, inside one another."""

FUNCTIONS: dict[str, Callable[[float], float]] = {"log": math.log, "ln": math.log, "sqrt": math.sqrt}
_CLOSING = {"(": ")", "[": "]"}


def token_pattern(word: str) -> re.Pattern[str]:
    """Tokens, where names look like `word`; possessive throughout, so that no character is looked at twice."""
    return re.compile(
        r"""\s*+(?:(?P<number>(?>\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+(?!\w))"""
        rf"""|(?P<name>{word})|(?P<string>"[^"]*+"|'[^']*+')|(?P<sign>[()\[\],=*/+-])|(?P<bad>\S))""",
        re.ASCII,
    )


class TextReader(ABC):
    """One pass over one text.

    Attributes
    ----------
    subject, example : str, of the class
        What the text is (``a claim``), and how one is written, for messages.
    tokens_like : pattern, of the class
        Of `token_pattern`.
    """

    subject: ClassVar[str]
    example: ClassVar[str]
    tokens_like: ClassVar[re.Pattern[str]] = token_pattern(r"[A-Za-z_]\w*+")

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InputError(f"{self.subject} of type {type(text).__name__}", allowed=f"text such as '{self.example}'")
        if len(text) > LONGEST:
            raise InputError(f"{self.subject} of {len(text)} characters", allowed=f"at most {LONGEST}")
        self.text = text.rstrip()
        self.tokens = list[tuple[str, str, int]]()  # kind, text, position
        self.next, self.depth, end = 0, 0, 0
        while end < len(self.text) and (match := self.tokens_like.match(self.text, end)):
            kind, end = match.lastgroup or "", match.end()
            self.tokens.append((kind, match[kind], match.start(kind)))
            if kind == "bad":  # nobody reads beyond it
                break

    @property
    def kind(self) -> str:
        """Of the next token: ``number``, ``name``, ``string``, ``sign``, ``bad`` or ``end``."""
        return self.tokens[self.next][0] if self.next < len(self.tokens) else "end"

    @property
    def token(self) -> str:
        """The next token's text; empty at the end."""
        return self.tokens[self.next][1] if self.next < len(self.tokens) else ""

    def follows(self, signs: str) -> bool:
        """Whether one of these signs comes next."""
        return self.kind == "sign" and self.token in signs

    def advance(self) -> str:
        """Step to the next token and return the one before."""
        before = self.token
        self.next += 1
        return before

    def error(self, expected: str) -> InputError:
        """What stands where something else was expected, with its position counted from 1."""
        ended = self.kind == "end"
        at = len(self.text) if ended else self.tokens[self.next][2]
        start = max(0, at - 30)
        excerpt = f"{'...' if start else ''}{self.text[start : at + 30]}"
        return InputError(
            f"cannot read {one_line(excerpt)!r}: {'the text ends' if ended else f'{shortened(self.token)!r} stands'}"
            f" at position {at + 1}",
            allowed=expected,
            remedy=f"write {self.subject} like '{self.example}'",
        )

    def take(self, sign: str, expected: str) -> None:
        """Pass over a sign that must come next."""
        if not self.follows(sign):
            raise self.error(expected)
        self.next += 1

    def finish(self, expected: str) -> None:
        """Nothing may come any more."""
        if self.kind != "end":
            raise self.error(expected)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Inside something that may nest."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise InputError(f"{self.subject} nested too deeply to read", allowed=f"at most {DEEPEST} deep")
        yield
        self.depth -= 1

    def name(self, expected: str) -> str:
        """A name that must come next."""
        if self.kind != "name":
            raise self.error(expected)
        return self.advance()

    def call(self, expected: str) -> tuple[str, dict[str, object]]:
        """``Name(argument=value, ...)``: the name and the arguments, each once."""
        name = self.name(expected)
        self.take("(", f"'(' after {shortened(name)}")
        arguments: dict[str, object] = {}
        while not self.follows(")"):
            key = self.name("argument=value")
            if key in arguments:
                what = f"{shortened(name)}: argument {shortened(key)!r} twice"
                raise InputError(what, allowed="each argument once")
            self.take("=", f"'=' after {shortened(key)}")
            arguments[key] = self.value()
            if not self.follows(")"):
                self.take(",", "',' or ')'")
        self.advance()
        return name, arguments

    def value(self) -> object:
        """What an argument may be: a tuple of items in brackets, or an item."""
        if not self.follows("(["):
            return self.item()
        closing, items, commas = _CLOSING[self.advance()], list[object](), 0
        while not self.follows(closing):
            items.append(self.item())
            if not self.follows(closing):
                self.take(",", f"',' or '{closing}'")
                commas += 1
        self.advance()
        return items[0] if closing == ")" and items and not commas else tuple(items)

    def item(self) -> object:
        """A string or a product."""
        return self.advance()[1:-1] if self.kind == "string" else self.product()

    @abstractmethod
    def product(self) -> object:
        """Numbers and functions of them, multiplied and divided."""

    def function(self) -> float:
        """The value of a function of a product; its name comes next."""
        where, name = self.next, self.advance()
        self.take("(", f"'(' after {name}")
        with self.deeper():
            argument: Any = self.product()
        self.take(")", "')'")
        try:
            return FUNCTIONS[name](float(argument))
        except ValueError:
            self.next = where
            raise self.error(f"{name} of a number in its range, not of {float(argument)!r}") from None


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
