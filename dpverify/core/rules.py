"""What a field may hold: ranges of numbers, tuples of them, words; and the annotated types that say so.

``sigma: Positive`` is a ``float`` for a type checker, and a finite number > 0 for
:class:`~dpverify.core.fields.Checked`, which looks at the fields of dataclasses. A rule checks single values, too:
``POSITIVE.number("sigma", sigma)``.

Rules are part of what a definition says: a ledger's row is out of date when a rule changes that its subject uses.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any, Final, Literal, NoReturn

import numpy as np

from dpverify.core.errors import InputError

_LARGEST = int(np.finfo(float).max)

REFUSED: Final = object()
"""What a rule returns for a value that it does not allow."""


class Rule(ABC):
    """A rule for the values of one field."""

    def read(self, value: Any) -> Any:
        """The value, in a form that can be looked at more than once."""
        return value

    @abstractmethod
    def kept(self, value: Any) -> Any:
        """Return the value that the field holds when it is given `value`, mostly the same; REFUSED when not allowed."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """Messages name the allowed values like this: ``a finite number > 0``."""

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Raise the InputError for `value`, which was refused; `where` names it."""
        raise InputError(f"{where} = {allowed_text(value)}", allowed=self.allowed)

    def checked(self, where: str, value: Any) -> Any:
        """Return the value that is kept of `value`; InputError, which calls it `where`, when it is refused."""
        value = self.read(value)
        kept = self.kept(value)
        return self.refuse(where, value) if kept is REFUSED else kept


@dataclass(frozen=True, slots=True)
class Between(Rule):
    """Numbers from `low` to `high`: Python's and NumPy's, but no truth values and no nan."""

    low: float
    high: float
    """`low`, `high`: the ends; they belong to the range unless `open` says otherwise."""
    open: Literal["", "low", "high", "both"] = ""
    """Which of the ends are left out."""
    remedy: str = ""
    """What messages advise beside the range."""
    whole: bool = False
    """Whole numbers only. An ``Annotated[int, Between(...)]`` sets it."""
    plain: bool = False
    """Keep a Python float (or int, where `whole`) whatever kind of number comes; False keeps the number as it came.
    With it, a whole number may come as a float. `Checked.plain_numbers` sets it."""

    def kept(self, value: Any) -> Any:
        """The number, as it came or plain."""
        kind = type(value)
        if kind is not float and kind is not int and (isinstance(value, bool) or not isinstance(value, Real)):
            return REFUSED
        if kind is int and not self.whole and not -_LARGEST <= value <= _LARGEST:
            return REFUSED  # no double holds it
        if self.plain and not self.whole and kind is not float:
            try:
                value = float(value)
            except OverflowError:
                return REFUSED
        if not self.low <= value <= self.high:
            return REFUSED
        if self.open and ((value == self.low and self.open != "high") or (value == self.high and self.open != "low")):
            return REFUSED
        if self.whole:
            if self.plain:
                return int(value) if value % 1 == 0 else REFUSED
            return value if kind is int or isinstance(value, Integral) else REFUSED
        return value

    @property
    def allowed(self) -> str:
        """Such as ``a finite number >= 0``, ``a whole number >= 1`` or ``a number in [0, 1)``."""
        noun = "whole number" if self.whole else "number"
        left, right = self.open in ("low", "both"), self.open in ("high", "both")
        if self.high == math.inf:
            finite = "" if self.whole or not right else "finite "
            if self.low == -math.inf:
                return f"a {finite}{noun}"
            return f"a {finite}{noun} {'>' if left else '>='} {self.low:.6g}"
        ends = f"{'(' if left else '['}{self.low:.6g}, {self.high:.6g}{')' if right else ']'}"
        return f"a {noun} in {ends}"

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Refuse as any rule does, with the remedy."""
        raise InputError(f"{where} = {allowed_text(value)}", allowed=self.allowed, remedy=self.remedy)

    def number(self, where: str, value: Any) -> float:
        """`value` as a Python float; InputError, which calls it `where`, for anything out of range or no number."""
        return float(self.checked(where, value))


@dataclass(frozen=True, slots=True)
class Each(Rule):
    """A tuple of plain numbers, each within `item`; any iterable but a text may come."""

    item: Between

    def read(self, value: Any) -> Any:
        """Iterators give their items once only: as a tuple."""
        return tuple(value) if isinstance(value, Iterator) else value

    def kept(self, value: Any) -> Any:
        """The field holds a tuple of floats."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            return REFUSED
        plain = dataclasses.replace(self.item, plain=True)
        items = tuple(plain.kept(item) for item in value)
        return REFUSED if REFUSED in items else items

    @property
    def allowed(self) -> str:
        """Such as ``a tuple, each a number in [0, 1]``."""
        return f"a tuple, each {self.item.allowed}"

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Names the first item that is refused."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise InputError(f"{where} = {allowed_text(value)}", allowed=self.allowed, remedy="write (2, 4, 8)")
        items = list(value)
        place, item = next((i, item) for i, item in enumerate(items) if self.item.kept(item) is REFUSED)
        self.item.refuse(where if len(items) == 1 else f"{where}[{place}]", item)


@dataclass(frozen=True, slots=True)
class OneOf(Rule):
    """One of some words or numbers; what a ``Literal`` stands for."""

    options: tuple[Any, ...]

    def kept(self, value: Any) -> Any:
        """The field holds the value itself."""
        for option in self.options:
            truth = isinstance(option, bool)
            kind: type = Real if isinstance(option, Real) and not truth else type(option)
            alike = isinstance(value, kind) and isinstance(value, bool | np.bool_) == truth
            if alike and value == option:
                return value
        return REFUSED

    @property
    def allowed(self) -> str:
        """Messages list the options, with commas."""
        return ", ".join(option if isinstance(option, str) and option else repr(option) for option in self.options)


@dataclass(frozen=True, slots=True)
class OrNone(Rule):
    """A field that holds None, or a value that another rule allows."""

    rule: Rule

    def read(self, value: Any) -> Any:
        """Read the text as the other rule does."""
        return None if value is None else self.rule.read(value)

    def kept(self, value: Any) -> Any:
        """Keep None, or the value that the other rule keeps."""
        return None if value is None else self.rule.kept(value)

    @property
    def allowed(self) -> str:
        """Messages name both."""
        return f"{self.rule.allowed}, or None"

    def refuse(self, where: str, value: Any) -> NoReturn:
        """Refuse as the other rule does."""
        self.rule.refuse(where, value)


def allowed_text(value: Any) -> str:
    """A value as messages show it: NumPy's numbers like Python's."""
    try:
        return repr(value.item() if isinstance(value, np.generic) else value)
    except ValueError:  # a whole number of thousands of digits, which Python does not write
        return "a huge number"


FINITE = Between(-math.inf, math.inf, open="both")
POSITIVE = Between(0, math.inf, open="both")
NON_NEGATIVE = Between(0, math.inf, open="high")
PROBABILITY = Between(0, 1)
BELOW_ONE = Between(0, 1, open="high")
OPEN_UNIT = Between(0, 1, open="both")
SHARE = Between(0, 1, open="low")

Finite = Annotated[float, FINITE]
"""A finite number."""
Positive = Annotated[float, POSITIVE]
"""A finite number > 0."""
NonNegative = Annotated[float, NON_NEGATIVE]
"""A finite number >= 0."""
Probability = Annotated[float, PROBABILITY]
"""A number in [0, 1]."""
BelowOne = Annotated[float, BELOW_ONE]
"""A number in [0, 1): what a delta may be."""
OpenUnit = Annotated[float, OPEN_UNIT]
"""A number in (0, 1)."""
Share = Annotated[float, SHARE]
"""A number in (0, 1]: a sampling rate, say."""
Count = Annotated[int, Between(1, math.inf)]
"""A whole number >= 1."""
Whole = Annotated[int, Between(0, math.inf)]
"""A whole number >= 0."""
