"""The grammar of compositions: ``gaussian(sigma=1)*10 + laplace(scale=2)``, read by hand and never evaluated as code.

    composition := term ("+" term)*                     term := step ["*" COUNT]
    step        := NAME "(" [argument ("," argument)* [","]] ")"        argument := NAME "=" value
    value       := STRING | step | product | "(" [item ("," item)* [","]] ")" | the same in "[" "]"
    item        := STRING | product                     product := factor (("*" | "/") factor)*
    factor      := ["+" | "-"] (NUMBER | "inf" | ("log" | "ln" | "sqrt") "(" product ")")

Names may have hyphens, as steps' names do. Quotients are exact: 1/3 reaches a step that can use it as the fraction, and
256/50000 as the nearest double. What a step's ``text()`` writes reads back as that step. Not to be confused with the
grammar of claims, whose names are guarantees and which has no sums.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import shortened

LONGEST = 20_000
"""Characters: longer compositions belong in a file."""

DEEPEST = 30
"""Steps, or functions, inside one another."""

EXACT = 4096
"""Bits of the largest numerator or denominator that is kept exact: with more factors a fraction only grows."""

# Possessive throughout, so that no character is looked at again after another: linear in the text.
_TOKEN = re.compile(
    r"""\s*+(?:(?P<number>(?>\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+(?!\w))"""
    r"""|(?P<name>[A-Za-z_]\w*+(?:-\w++)*+)|(?P<string>"[^"]*+"|'[^']*+')|(?P<sign>[()\[\],=*/+-])|(?P<bad>\S))""",
    re.ASCII,
)
_FUNCTIONS: dict[str, Callable[[float], float]] = {"log": math.log, "ln": math.log, "sqrt": math.sqrt}
_CLOSING = {"(": ")", "[": "]"}
Exact = Fraction | float


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenStep:
    """A step as somebody wrote it, before anything is known of its name.

    Attributes
    ----------
    name : str
        Of a registered step, supposedly.
    arguments : mapping
        Numbers, texts, tuples of these, and written steps.
    count : object
        How often it is run, unchecked.
    """

    name: str
    arguments: Mapping[str, object]
    count: object = 1


def parse_steps(text: str) -> list[WrittenStep]:
    """The steps that `text` names, in order; InputError (one line, with the position) when it does not parse."""
    return _Reader(text).composition()


def parse_number(text: str, where: str) -> float:
    """A number such as ``0.01`` or ``256/50000`` as a float; InputError naming `where` otherwise."""
    try:
        reader = _Reader(text)
        value = reader.product()
        reader.finish()
    except InputError:
        raise InputError(f"{where} = {shortened(text)!r}", allowed="a number such as 1.1, 1e-5 or 256/50000") from None
    return float(value)


class _Reader:
    """One pass over one text, a token at a time."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            what = f"a composition of {len(text)} characters"
            raise InputError(what, allowed=f"at most {LONGEST}", remedy="put it into a file")
        self.text = text
        self.tokens = list[tuple[str, str, int]]()  # kind, text, position
        self.next, self.depth, end = 0, 0, 0
        while end < len(text) and (match := _TOKEN.match(text, end)):
            kind, end = match.lastgroup or "", match.end()
            self.tokens.append((kind, match[kind], match.start(kind)))
            if kind == "bad":  # nobody reads beyond it
                break

    @property
    def kind(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else "end"

    @property
    def token(self) -> str:
        return self.tokens[self.next][1] if self.next < len(self.tokens) else ""

    def follows(self, signs: str) -> bool:
        return self.kind == "sign" and self.token in signs

    def advance(self) -> str:
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
            remedy="write compositions like 'gaussian(sigma=1)*10 + laplace(scale=2)'",
        )

    def take(self, sign: str, expected: str) -> None:
        if not self.follows(sign):
            raise self.error(expected)
        self.next += 1

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Inside a step or a function."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise InputError("a composition nested too deeply to read", allowed="a step in a step or two")
        yield
        self.depth -= 1

    def finish(self) -> None:
        if self.kind != "end":
            raise self.error("nothing more, '+' and a step, or '*' and a count")

    def composition(self) -> list[WrittenStep]:
        steps = [self.term()]
        while self.follows("+"):
            self.advance()
            steps.append(self.term())
        self.finish()
        return steps

    def term(self) -> WrittenStep:
        step = self.step()
        if not self.follows("*"):
            return step
        self.advance()
        if self.kind != "number":
            raise self.error("a count, such as 10000")
        return WrittenStep(name=step.name, arguments=step.arguments, count=float(self.advance()))

    def step(self) -> WrittenStep:
        name = self.name("the name of a step")
        self.take("(", f"'(' after {shortened(name)}")
        arguments: dict[str, object] = {}
        while not self.follows(")"):
            key = self.name("argument=value")
            if key in arguments:
                what = f"{shortened(name)}: argument {shortened(key)!r} twice"
                raise InputError(what, allowed="each argument once")
            self.take("=", f"'=' after {shortened(key)}")
            with self.deeper():
                arguments[key] = self.value()
            if not self.follows(")"):
                self.take(",", "',' or ')'")
        self.advance()
        return WrittenStep(name=name, arguments=arguments)

    def name(self, expected: str) -> str:
        if self.kind != "name":
            raise self.error(expected)
        return self.advance()

    def value(self) -> object:
        if self.kind == "name" and self.token not in _FUNCTIONS and self.token != "inf":
            return self.step()
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
        return self.advance()[1:-1] if self.kind == "string" else self.product()

    def product(self) -> Exact:
        """Exact where only numbers were multiplied and divided; a float where a float says the same."""
        result = self.factor()
        while self.follows("*/"):
            where, sign = self.next, self.advance()
            other = self.factor()
            try:
                result = result * other if sign == "*" else result / other
                float(result)
            except (ZeroDivisionError, OverflowError):
                self.next = where
                raise self.error("a product or quotient that is a double") from None
            if _bits(result) > EXACT:
                result = float(result)
        return float(result) if _decimal(float(result)) == result else result

    def factor(self) -> Exact:
        negative = self.follows("+-") and self.advance() == "-"
        if self.kind == "number":
            value = _decimal(float(self.advance()))
        elif self.kind == "name" and self.token == "inf":
            value = float(self.advance())
        elif self.kind == "name" and self.token in _FUNCTIONS:
            value = self.function()
        else:
            raise self.error("a number, such as 1e-5, 1/3, log(3) or inf")
        return -value if negative else value

    def function(self) -> float:
        where, name = self.next, self.advance()
        self.take("(", f"'(' after {name}")
        with self.deeper():
            argument = self.product()
        self.take(")", "')'")
        try:
            return _FUNCTIONS[name](float(argument))
        except ValueError:
            self.next = where
            raise self.error(f"{name} of a number in its range") from None


def _bits(value: Exact) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) if isinstance(value, Fraction) else 0


def _decimal(value: float) -> Exact:
    """The decimal that a double prints as, exactly: 0.3 is 3/10."""
    return Fraction(repr(value)) if math.isfinite(value) else value
