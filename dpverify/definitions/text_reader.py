"""Reading ``Name(argument=value, ...)`` by hand, a token at a time, and never as code: for claims and for compositions.

What is shared: tokens, arguments, tuples, functions of numbers, and errors that say what stands where. What a value and
a product are, each grammar says itself. Linear in the text. Not to be confused with Python's own syntax, of which this
is a small part.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import shortened

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
