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
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import shortened
from dpverify.definitions.grammar import FUNCTIONS, TextReader, token_pattern

EXACT = 4096
"""Bits of the largest numerator or denominator that is kept exact: with more factors a fraction only grows."""

_END = "nothing more, '+' and a step, or '*' and a count"
Exact = Fraction | float


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenStep:
    """A step as written, before its name is looked up."""

    name: str
    """Of a registered step, supposedly."""
    arguments: Mapping[str, object]
    """Numbers, texts, tuples of these, and written steps."""
    count: object = 1
    """How often it is run, unchecked."""


def parse_steps(text: str) -> list[WrittenStep]:
    """The steps that `text` names, in order; InputError (one line, with the position) when it does not parse."""
    return _Reader(text).composition()


def parse_number(text: str, where: str) -> float:
    """A number such as ``0.01`` or ``256/50000`` as a float; InputError naming `where` otherwise."""
    try:
        reader = _Reader(text)
        value = reader.product()
        reader.finish(_END)
    except InputError:
        raise InputError(f"{where} = {shortened(text)!r}", allowed="a number such as 1.1, 1e-5 or 256/50000") from None
    return float(value)


class _Reader(TextReader):
    """Compositions: sums of steps with counts; numbers are exact where they can be."""

    subject = "a composition"
    example = "gaussian(sigma=1)*10 + laplace(scale=2)"
    tokens_like = token_pattern(r"[A-Za-z_]\w*+(?:-\w++)*")

    def composition(self) -> list[WrittenStep]:
        steps = [self.term()]
        while self.follows("+"):
            self.advance()
            steps.append(self.term())
        self.finish(_END)
        return steps

    def term(self) -> WrittenStep:
        """A step, and how often it is run."""
        name, arguments = self.call("the name of a step")
        if not self.follows("*"):
            return WrittenStep(name=name, arguments=arguments)
        self.advance()
        if self.kind != "number":
            raise self.error("a count, such as 10000")
        return WrittenStep(name=name, arguments=arguments, count=float(self.advance()))

    def value(self) -> object:
        """A step in a step, or what any argument may be."""
        if self.kind != "name" or self.token in FUNCTIONS or self.token == "inf":
            return super().value()
        with self.deeper():
            name, arguments = self.call("the name of a step")
        return WrittenStep(name=name, arguments=arguments)

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
        """A number, exact as it is written, inf or a function's value, with its sign."""
        negative = self.follows("+-") and self.advance() == "-"
        if self.kind == "number":
            value = _decimal(float(self.advance()))
        elif self.kind == "name" and self.token == "inf":
            value = float(self.advance())
        elif self.kind == "name" and self.token in FUNCTIONS:
            value = self.function()
        else:
            raise self.error("a number, such as 1e-5, 1/3, log(3) or inf")
        return -value if negative else value


def _bits(value: Exact) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) if isinstance(value, Fraction) else 0


def _decimal(value: float) -> Exact:
    """The decimal that a double prints as, exactly: 0.3 is 3/10."""
    return Fraction(repr(value)) if math.isfinite(value) else value
