"""An auditor's event on rows of numbers in the words of the mechanism: its keys, its labels, its forms.

Auditors see rows, and name an event by their columns: ``output[1] > 0.5``, ``output in {0}``. Here the columns get the
names of the output (``output['mean'] > 0.5``), and codes become what they stand for (``the output is 'yes'``). The set
of outputs is the same; the record's statistics keep the auditor's numbers.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from dpverify.adapters.encoding import INFINITY, NAN
from dpverify.adapters.output_columns import Column

SHOWN = 4
"""Most values that a text lists; of more it gives the number and some."""

NAMED = 6
"""Most numbers that are named where an event uses all of them together."""

_NUMBER = r"-?(?:inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_NEGATIVE_ZERO = re.compile(r"-(?:2\.2250\d*e-308|1\.1754\d*e-38)")  # what auditors of doubles and of singles read
_NAME = re.compile(r"output\[(\d+)\]")
_SIDE = re.compile(rf"output(?:\[(\d+)\])? (>|<=|==) ({_NUMBER})")
_NOT = re.compile(r"not \((output.*)\)")
_SPANS = re.compile(r"output(?:\[(\d+)\])? in ([\[{][-+\d.,einf \[\]{}()]*[)}])(?: and (\d+) more)?")
_SPAN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)|\{{({_NUMBER})\}}")
_LISTED = re.compile(r"output(?:\[(\d+)\.\.(\d+)\])? (not )?in \{(.*)\}(?: and (\d+) more)?")
_TOGETHER = re.compile(r" in output |coordinates|logistic regression|steps above|bins of a learned score")

ROUNDED = 1e-6
"""An event's text rounds its threshold."""

LARGEST_USUAL = 1e59
"""No number of an output is expected above, but infinity."""

Inside = Callable[[float], bool]


def event_in_words(event: str, columns: Sequence[Column]) -> str:
    """The event's text with names and values of the output; unchanged where the columns are not known.

    `event`: an auditor's text of an event on rows. `columns`: what each number of a row stands for.
    """
    told = _NEGATIVE_ZERO.sub("-0.0", _in_words(_in_plain_words(event), columns))
    return f"{told} (here -0.0 is below 0.0)" if "-0.0" in told else told


def _in_words(event: str, columns: Sequence[Column]) -> str:
    if not columns:
        return event
    turned = _NOT.fullmatch(event)
    found = _of_values(turned[1] if turned else event, columns, turned=turned is not None) or _of_rows(event, columns)
    if (whole := _of_odd(event, columns)) or found:
        return found or whole
    return _NAME.sub(lambda name: _named(name, columns), event) + _order(event, columns)


def _in_plain_words(event: str) -> str:
    """An event on equal numbers, which has a sign only in its text."""
    return {
        "ties in output <= 0": "no two neighbouring numbers of the output are equal",
        "ties in output > 0": "two neighbouring numbers of the output are equal",
    }.get(event, event)


def _of_odd(event: str, columns: Sequence[Column]) -> str:
    """An event that says whether one number is a number at all; empty for another event."""
    turned = _NOT.fullmatch(event)
    found = _SIDE.fullmatch(turned[1] if turned else event)
    if found is None:
        return ""
    place, limit = int(found[1] or 0), float(found[3])
    if place >= len(columns) or columns[place].values or (found[1] is None and len(columns) > 1):
        return ""
    above = (found[2] == ">") != (turned is not None)
    name = "the output" if columns[place].name == "output" else columns[place].name
    if found[2] != "==" and NAN * (1.0 + ROUNDED) <= limit < -INFINITY * (1.0 + ROUNDED):
        return f"{name} is {'not ' if above else ''}NaN"
    if found[2] != "==" and LARGEST_USUAL < limit < INFINITY * (1.0 - ROUNDED):
        return f"{name} is {'' if above else 'not '}infinite"
    return ""


def _order(event: str, columns: Sequence[Column]) -> str:
    """The names of all numbers, where an event uses them together and they have names."""
    names = [column.name for column in columns]
    if _NAME.search(event) or not any(map(_has_name, columns)) or not _TOGETHER.search(event):
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f" (the numbers of an output, in order: {', '.join(names[:NAMED])}{more})"


def _has_name(column: Column) -> bool:
    return column.name != "output" and not _NAME.fullmatch(column.name)


def _named(name: re.Match[str], columns: Sequence[Column]) -> str:
    place = int(name[1])
    return columns[place].name if place < len(columns) else name[0]


def _of_values(event: str, columns: Sequence[Column], *, turned: bool) -> str:
    """An event on one column of codes; empty for any other."""
    found = _condition(event, columns)
    if found is None:
        return ""
    column, inside, more = found
    held = [text for code, text in column.values.items() if inside(code) != turned]
    left = [text for code, text in column.values.items() if inside(code) == turned]
    if not held and not left:
        return ""
    if more and not turned:
        return f"{_subject(column)} {_one_of(held, 'and others') if held else 'one of many values'}"
    if column.hashed:
        seen = f"{len(held)} of those seen, such as {', '.join(held[:SHOWN])}" if held else "none of those seen"
        return f"{_subject(column)} a text in a set that is told by hashes: {seen}"
    if column.verb != "is":
        return f"{_subject(column)} {_listed(held, 'or')}" if held else ""
    if held and len(held) <= max(len(left), 1):
        return f"{_subject(column)} {_one_of(held)}"
    return (
        f"{_subject(column)} not {left[0]}" if len(left) == 1 else f"{_subject(column)} none of {_listed(left, 'and')}"
    )


def _subject(column: Column) -> str:
    name = "the output" if column.name == "output" else column.name
    return f"{name} {column.verb}".strip()


def _one_of(texts: Sequence[str], more: str = "") -> str:
    """``'a'``, ``'a' or 'b'``, ``one of 9 values, such as 'a', 'b'``."""
    if not more and len(texts) <= SHOWN:
        return _listed(texts, "or")
    many = f"one of {len(texts)} values" if len(texts) > 1 else texts[0]
    such = f", such as {', '.join(texts[:SHOWN])}" if len(texts) > 1 else ""
    return f"{many} {more}{such}" if more else f"{many}{such}"


def _listed(texts: Sequence[str], word: str) -> str:
    """``a, b or c``; of many the first, and how many more."""
    if len(texts) > SHOWN:
        return f"{', '.join(texts[:SHOWN])} {word} {len(texts) - SHOWN} more"
    return f" {word} ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def _condition(event: str, columns: Sequence[Column]) -> tuple[Column, Inside, bool] | None:
    """The column of codes, which codes are in the event, and whether its text is cut; None for another event."""
    for pattern, read in ((_SIDE, _side), (_SPANS, _spans), (_LISTED, _members)):
        found = pattern.fullmatch(event)
        if found is None or (pattern is _LISTED and found[1] is not None):
            continue
        place = 0 if pattern is _LISTED or found[1] is None else int(found[1])
        if place >= len(columns) or not columns[place].values or (found[1] is None and len(columns) > 1):
            continue
        said = read(found)
        if said is not None:
            return columns[place], *said
    return None


def _side(found: re.Match[str]) -> tuple[Inside, bool]:
    limit, sign = float(found[3]), found[2]
    return (lambda code: code > limit if sign == ">" else code <= limit if sign == "<=" else code == limit), False


def _spans(found: re.Match[str]) -> tuple[Inside, bool] | None:
    spans = [
        (float(low or only), float(high) if high else math.nextafter(float(only), math.inf))
        for low, high, only in _SPAN.findall(found[2])
    ]
    if not spans:
        return None
    return (lambda code: any(low <= code < high for low, high in spans)), found[3] is not None


def _members(found: re.Match[str]) -> tuple[Inside, bool] | None:
    rows = _rows(found[4])
    if not rows or not all(isinstance(row, int | float) for row in rows):
        return None
    return (lambda code: (code in rows) != bool(found[3])), found[5] is not None


def _of_rows(event: str, columns: Sequence[Column]) -> str:
    """A list of whole outputs, or of neighbouring numbers of them; empty for another event."""
    found = _LISTED.fullmatch(event)
    rows = _rows(found[4]) if found else []
    if found is None or not rows or not all(isinstance(row, list) for row in rows):
        return ""
    first = int(found[1] or 0)
    these = columns[first : first + len(rows[0])]
    if len(these) != len(rows[0]) or not any(_has_name(each) or each.values for each in these):
        return ""
    told = [" and ".join(_entry(column, code) for column, code in zip(these, row, strict=True)) for row in rows]
    left = len(told) - SHOWN + int(found[5] or 0) if len(told) > SHOWN else int(found[5] or 0)
    more = f"; or {left} more" if left else ""
    return f"{'none of these: ' if found[3] else ''}{'; or '.join(told[:SHOWN])}{more}"


def _entry(column: Column, code: float) -> str:
    if column.values:
        return f"{_subject(column)} {column.values.get(float(code), 'a value that is known by its hash')}"
    return f"{column.name} is {code:.9g}"


def _rows(text: str) -> list[Any]:
    try:
        return list(ast.literal_eval(f"[{text}]"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return []


_EVENT = re.compile(r"form of the result is (.*?) on one data set and (.*?) on the other(.*)", re.DOTALL)
_NAMES = re.compile(r"\('((?:[^'\\]|\\.)*)', (?=['(])")
MAPPING = "mapping"


def form_event_in_words(event: str) -> str:
    """``the result is a dict of 'a', 'b' on one data set and a dict of 'b' on the other``; other events unchanged."""
    found = _EVENT.fullmatch(event)
    if found is None:
        return event
    return f"the result is {_read(found[1])} on one data set and {_read(found[2])} on the other{found[3]}"


def _read(text: str) -> str:
    """Words for the text of a form, which the event may have cut."""
    try:
        return _words(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, LookupError):
        names = [name for name in _NAMES.findall(text) if name != MAPPING]
        return f"a dict of {', '.join(map(repr, names))} and more" if names and text.endswith("...") else text


def _words(form: Any) -> str:
    if form == "value":
        return "a single value"
    kind, inside = form
    if kind == "array":
        return f"an array of shape {tuple(inside)}"
    if kind != MAPPING:
        return f"a {kind} of {len(inside)}"
    told = [repr(name) if part == "value" else f"{name!r} ({_words(part)})" for name, part in inside]
    return f"a dict of {', '.join(told)}" if told else "an empty dict"
