"""Kinds of single values that a record is made of: ranges of numbers, choices, texts.

Each kind lists its plain values, the most extreme first, and maps [0, 1] onto its values, so that a search can walk.
Values are made up from the kind: no value of a user's data set is shown, but for those of a `Choice`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Finite

WORDS = ("a", "b", "made-up")
"""Texts that stand for any text."""


class ValueKind(Protocol):
    """One kind of value."""

    def text(self) -> str:
        """The kind as ``--record`` takes it, for example ``float(0, 1)``."""
        ...

    def plain(self) -> tuple[Any, ...]:
        """Values to try first: the ends, 0 where it is inside, the middle; all different."""
        ...

    def at(self, place: float) -> Any:
        """The value at `place` in [0, 1]."""
        ...

    def holds(self, value: Any) -> bool:
        """Whether `value` is of this kind."""
        ...


def digits(number: float) -> str:
    """Write a number in six digits where these are the number itself, in all of its digits otherwise."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatRange(Checked):
    """Numbers in [low, high]."""

    low: Finite
    high: Finite

    def validate(self) -> None:
        """The ends are in order."""
        if self.low > self.high:
            raise InputError(f"float({self.low:g}, {self.high:g})", allowed="float(low, high) with low <= high")

    def text(self) -> str:
        """``float(low, high)``."""
        return f"float({digits(self.low)}, {digits(self.high)})"

    def plain(self) -> tuple[float, ...]:
        """The ends, the one farther from 0 first; 0, the middle."""
        zero = (0.0,) if self.low < 0.0 < self.high else ()
        middle = self.low + 0.5 * (self.high - self.low)
        return tuple(dict.fromkeys((*_larger_first(self.low, self.high), *zero, middle)))

    def at(self, place: float) -> float:
        """Linear."""
        return float(min(max(self.low + place * (self.high - self.low), self.low), self.high))

    def holds(self, value: Any) -> bool:
        """A number inside."""
        return _number(value) and self.low <= value <= self.high


LARGEST = 10**300
"""The number of integers of a range is told in doubles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntRange(Checked):
    """Integers in [low, high]."""

    low: int
    high: int

    def validate(self) -> None:
        """The ends are in order, and not beyond doubles."""
        if max(abs(self.low), abs(self.high)) > LARGEST:
            raise InputError(f"int(low, high) with an end beyond {LARGEST:.0e}", allowed="nearer ones")
        if self.low > self.high:
            raise InputError(f"int({self.low}, {self.high})", allowed="int(low, high) with low <= high")

    def text(self) -> str:
        """``int(low, high)``."""
        return f"int({self.low}, {self.high})"

    def plain(self) -> tuple[int, ...]:
        """The ends, the one farther from 0 first; 0, the middle."""
        zero = (0,) if self.low < 0 < self.high else ()
        return tuple(dict.fromkeys((*_larger_first(self.low, self.high), *zero, (self.low + self.high) // 2)))

    def at(self, place: float) -> int:
        """In equal steps."""
        count = self.high - self.low + 1
        return self.low + min(int(place * count), count - 1)

    def holds(self, value: Any) -> bool:
        """A whole number inside."""
        return _number(value) and value == int(value) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Checked):
    """One of a few values."""

    values: tuple[Any, ...]

    def validate(self) -> None:
        """There is one."""
        if not self.values:
            raise InputError("choice() without a value", allowed='one value or more, such as choice("a", "b")')

    def text(self) -> str:
        """``choice("f", "m")``; ``bool`` for both truth values."""
        if self.values in ((False, True), (True, False)) and all(isinstance(each, bool) for each in self.values):
            return "bool"
        return f"choice({', '.join(map(repr, self.values))})"

    def plain(self) -> tuple[Any, ...]:
        """All of them; the last and the first come first."""
        return tuple(dict.fromkeys((self.values[-1], self.values[0], *self.values)))

    def at(self, place: float) -> Any:
        """In equal steps."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]

    def holds(self, value: Any) -> bool:
        """One of them."""
        return any(value == each for each in self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Any text; a few made-up words stand for all."""

    def text(self) -> str:
        """``text``."""
        return "text"

    def plain(self) -> tuple[str, ...]:
        """Made-up words."""
        return WORDS

    def at(self, place: float) -> str:
        """In equal steps."""
        return WORDS[min(int(place * len(WORDS)), len(WORDS) - 1)]

    def holds(self, value: Any) -> bool:
        """A text."""
        return isinstance(value, str)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrMissing:
    """A kind whose value may be missing (None or NaN, as `missing` says)."""

    kind: ValueKind
    missing: Any = None

    def text(self) -> str:
        """``missing(KIND)``."""
        return f"missing({self.kind.text()})"

    def plain(self) -> tuple[Any, ...]:
        """Those of the kind, then the missing value."""
        return (*self.kind.plain(), self.missing)

    def at(self, place: float) -> Any:
        """The missing value at the upper end."""
        return self.missing if place >= 1.0 else self.kind.at(place)

    def holds(self, value: Any) -> bool:
        """A missing value, or one of the kind."""
        return value is None or value != value or self.kind.holds(value)


def _larger_first(low: Any, high: Any) -> tuple[Any, Any]:
    """The ends, the one farther from 0 first: a record of that value moves sums most."""
    return (high, low) if abs(high) >= abs(low) else (low, high)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
