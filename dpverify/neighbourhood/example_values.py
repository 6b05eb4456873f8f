"""The values of an example, looked for in all that is written: as they are, in texts, and rounded.

Values that tell nothing are never found: whole numbers below 100, true and false, texts of one or two characters.
"""

from __future__ import annotations

import dataclasses
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from dpverify.datasets.neighbors.record_columns import columns_of

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")

HIDDEN = "(a value of the example is not shown: show_records)"

FEWEST = 4
"""Digits of a rounded number from which on it tells the value."""

LONG = 5
"""Digits of a number in a text of our own, or among numbers of ours, that is no chance."""

_WORD = re.compile(r"\w+")


def leaves(value: Any) -> Iterator[Any]:
    """All numbers and texts of a data set in any form, however large."""
    columns = None if isinstance(value, Mapping | tuple | str | np.ndarray) else columns_of(value)
    if columns is not None:
        value = columns
    elif not isinstance(value, np.ndarray | np.generic) and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = np.unique(value).tolist() if value.dtype.kind in "iuf" else value.ravel().tolist()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, each.name) for each in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from leaves(each) if not isinstance(each, str | int | float) else (each,)
    else:
        yield value.item() if isinstance(value, np.generic) else value


class Values:
    """Numbers and texts that must not be shown."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._texts: dict[str, set[str]] = {}
        """By their first word."""
        self._numbers: set[float] = set()
        for value in values:
            if isinstance(value, str) and len(value) > 2:
                self._texts.setdefault(_first(value), set()).add(value)
            elif _tells(value):
                self._numbers.add(float(value))
        self._sorted: list[float] | None = None

    def __bool__(self) -> bool:
        return bool(self._texts or self._numbers)

    def but(self, shown: Iterable[Any]) -> Self:
        """Return the example without these values."""
        return self._less([each for each in shown if isinstance(each, str | int | float)])

    def but_those_of(self, text: str) -> Self:
        """Return the example without the numbers and texts that this text prints."""
        printed = [float(each) for each in NUMBER.findall(text)]
        texts = [each for some in self._texts.values() for each in some if _printed(each, text)]
        return self._less([*printed, *texts])

    def _less(self, shown: list[Any]) -> Self:
        kept = set(shown)
        made = type(self)(())
        made._texts = {word: texts - kept for word, texts in self._texts.items() if texts - kept}
        made._numbers = self._numbers - kept
        return made

    def held_by(self, text: str, *, rounded: bool = False, digits: int = 0) -> bool:
        """Tell whether the text prints one of the values; with `digits`, numbers of fewer digits are no sign of one."""
        if self._numbers:
            for printed in NUMBER.findall(text):
                number = float(printed)
                if number in self._numbers and _digits(printed) >= digits:
                    return True
                if rounded and self._near(number, printed):
                    return True
        words = {*_WORD.findall(text), ""} if self._texts else ()
        return any(_printed(each, text) for word in words for each in self._texts.get(word, ()))

    def _near(self, number: float, printed: str) -> bool:
        """Tell whether the printed number is one of the values, rounded."""
        if _digits(printed) < FEWEST or not math.isfinite(number):
            return False
        if self._sorted is None:
            self._sorted = sorted(self._numbers)
        mantissa, _, power = printed.partition("e")
        half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2])) * (1 + 1e-9)
        at = bisect_left(self._sorted, number - half)
        return at < len(self._sorted) and self._sorted[at] <= number + half

    def hidden_in(self, value: Any) -> Any:
        """The value, plain JSON, with texts that hold one of these left out, and with numbers that are one.

        These texts and numbers are our own, so that one of few digits is a chance.
        """
        if not self:
            return value
        if isinstance(value, Mapping):
            return {self._key(name): self.hidden_in(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.hidden_in(part) for part in value]
        if isinstance(value, str):
            return HIDDEN if self.held_by(value, digits=LONG) else value
        if isinstance(value, float) and value in self._numbers and _digits(repr(value)) >= LONG:
            return HIDDEN
        return value

    def _key(self, name: Any) -> Any:
        return HIDDEN if isinstance(name, str) and self.held_by(name, digits=LONG) else name


def _digits(printed: str) -> int:
    return len(printed.partition("e")[0].replace("-", "").replace(".", "").strip("0"))


def _first(text: str) -> str:
    found = _WORD.search(text)
    return found[0] if found else ""


def _printed(value: str, text: str) -> bool:
    return value in text and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _tells(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return not (float(value).is_integer() and abs(value) < 100) if math.isfinite(value) else False
