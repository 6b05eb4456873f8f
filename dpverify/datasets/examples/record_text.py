"""Records and ranges as typed: ``--record 'float(0, 1)'``, ``--bounds 'age=0:120,income=0:1e6'``.

::

    float(0, 1)    int(0, 9)    bool    text    choice("a", "b")    missing(float(0, 1))      one value
    {"age": int(0, 120), "sex": choice("f", "m")}    (float(0, 1), int(0, 9))                 a row of fields
    row(10, float(-1, 1))    norm(1, row(10, float(-1, 1)))    row(10, norm<=1)               ten alike, in a ball
    norm<=1                                                                  in a ball, with the example's fields

Nothing is evaluated: the text is read as a tree of calls with plain values.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import shortened
from dpverify.datasets.examples.container import Container, places
from dpverify.datasets.examples.record_kinds import OneValue, RecordKind, Row, bounded
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, Text, ValueKind

LONGEST = 10_000
"""Characters."""

WIDEST = 10_000
"""Fields of a row."""

ALLOWED = (
    'float(low, high), int(low, high), bool, text, choice("a", "b"), missing(KIND), a tuple or a dict of these, '
    "row(fields, KIND), norm(radius, ROW), row(fields, norm<=RADIUS), norm<=RADIUS (L2)"
)


def record_kind_from_text(text: str, *, columns: Sequence[str] | None = None, named: bool = False) -> RecordKind:
    """What the text says a record is; InputError that names what cannot be read.

    ``norm<=RADIUS`` alone is said of rows with these `columns`, which have names of their own where they are `named`.
    """
    try:
        if len(text) > LONGEST:
            raise ValueError(f"longer than {LONGEST} characters")
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.Compare):
            if columns is None:
                raise ValueError("the norm of single values: say float(low, high), or row(FIELDS, norm<=RADIUS)")
            return _ball(_radius(node), columns, named=named)
        return _record(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        if isinstance(problem, InputError):
            raise
        why = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise InputError(f"record {shortened(text, most=80)!r}: {why}", allowed=ALLOWED) from None


def bounds_from_text(text: str) -> tuple[float, float] | dict[str, tuple[float, float]]:
    """``0:1``, or ``age=0:120,income=0:1e6``; InputError for anything else."""
    if "=" not in text:
        return _range(text, text)
    found: dict[str, tuple[float, float]] = {}
    for part in text.split(","):
        name, equals, ends = part.partition("=")
        if not equals or not name.strip():
            raise InputError(f"bounds {part!r}", allowed="COLUMN=LOW:HIGH, with commas between columns")
        found[name.strip()] = _range(ends, part)
    return found


def with_bounds(
    record: RecordKind, bounds: tuple[float, float] | Mapping[str, tuple[float, float]], container: Container
) -> RecordKind:
    """The record kind with the ranges that the user gives.

    Raises
    ------
    InputError
        For a column that there is not, bounds that do not fit the record, or a record of the example outside them.
    """
    if isinstance(record, OneValue) and not isinstance(bounds, Mapping):
        found: RecordKind = OneValue(kind=_bounded("data", record.kind, bounds))
    elif isinstance(record, Row):
        named = dict(bounds) if isinstance(bounds, Mapping) else dict.fromkeys(record.kinds, bounds)
        unknown = [name for name in named if name not in record.kinds]
        if unknown:
            raise InputError(f"bounds of {unknown[0]!r}", allowed=f"one of the columns {', '.join(record.kinds)}")
        kinds = {
            name: _bounded(f"field {name}", kind, named[name]) if name in named else kind
            for name, kind in record.kinds.items()
        }
        found = replace(record, kinds=kinds, norm=None if named else record.norm)
    else:
        raise InputError(
            f"bounds {bounds} for {record.text()}", allowed="LOW:HIGH for single values, COLUMN=LOW:HIGH for rows"
        )
    for place, each in enumerate(container.records):
        if not found.holds(each):
            raise InputError(
                f"record {place} of the example is outside the bounds {bounds}", allowed="bounds that hold all records"
            )
    return found


def _range(text: str, whole: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise InputError(f"bounds {whole!r}", allowed="LOW:HIGH, such as 0:1, or COLUMN=LOW:HIGH") from None
    if not colon or not ends[0] <= ends[1]:
        raise InputError(f"bounds {whole!r}", allowed="LOW:HIGH with LOW <= HIGH")
    return ends


def _bounded(where: str, kind: ValueKind, ends: Any) -> ValueKind:
    if isinstance(ends, str):
        ends = _range(ends, ends)
    if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(isinstance(each, int | float) for each in ends):
        raise InputError(f"bounds of {where}: {ends!r}", allowed="two numbers, (LOW, HIGH)")
    if isinstance(kind, OrMissing):
        return replace(kind, kind=_bounded(where, kind.kind, ends))
    number = isinstance(kind, FloatRange | IntRange)
    number = number or (isinstance(kind, Choice) and all(isinstance(value, int | float) for value in kind.values))
    if not number:
        raise InputError(f"bounds of {where}, which is {kind.text()}", allowed="bounds of numbers")
    if isinstance(kind, Choice):
        whole = all(isinstance(value, int) for value in kind.values)
        kind = IntRange(low=0, high=0) if whole else FloatRange(low=0.0, high=0.0)
    return bounded(kind, *ends)


def _record(node: ast.expr) -> RecordKind:
    if isinstance(node, ast.Dict):
        names = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        if len(names) < len(node.keys) or len(set(names)) < len(names) or not names:
            raise ValueError("fields need different names, as texts")
        return Row(kinds={name: _value(each) for name, each in zip(names, node.values, strict=True)})
    if isinstance(node, ast.Tuple):
        if not node.elts:
            raise ValueError("a row without fields")
        return Row(kinds=dict(zip(places(len(node.elts)), map(_value, node.elts), strict=True)), named=False)
    name, arguments = _call(node)
    if name == "row" and len(arguments) == 2:
        count = _plain(arguments[0])
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= WIDEST:
            raise ValueError(f"row({count}, ...): 1 to {WIDEST} fields")
        if isinstance(arguments[1], ast.Compare):
            return _ball(_radius(arguments[1]), places(count), named=False)
        return Row(kinds=dict.fromkeys(places(count), _value(arguments[1])), named=False)
    if name == "norm" and len(arguments) == 2:
        radius, row = _number(arguments[0]), _record(arguments[1])
        if not isinstance(row, Row) or not all(isinstance(kind, FloatRange) for kind in row.kinds.values()):
            raise ValueError("norm(radius, ROW) needs a row of floats")
        return replace(row, norm=radius)
    return OneValue(kind=_value(node))


def _ball(radius: float, columns: Sequence[str], *, named: bool) -> Row:
    """Rows of floats with an L2 norm of at most `radius`."""
    return Row(kinds=dict.fromkeys(columns, FloatRange(low=-radius, high=radius)), norm=radius, named=named)


def _radius(node: ast.Compare) -> float:
    """Of ``norm<=RADIUS``."""
    left, known = node.left, [type(each) for each in node.ops] == [ast.LtE]
    if not (known and isinstance(left, ast.Name) and left.id == "norm"):
        raise ValueError(f"{ast.unparse(node)[:40]!r}: norm<=RADIUS is the only comparison")
    return _number(node.comparators[0])


def _number(node: ast.expr) -> float:
    radius = _plain(node)
    if not isinstance(radius, int | float) or isinstance(radius, bool) or not 0 < radius < float("inf"):
        raise ValueError(f"a norm of {radius}: a radius above 0")
    return float(radius)


def _value(node: ast.expr) -> ValueKind:
    name, arguments = _call(node)
    if name == "missing" and len(arguments) == 1:
        kind = _value(arguments[0])
        return OrMissing(kind=kind, missing=math.nan if isinstance(kind, FloatRange) else None)
    make = _KINDS.get(name)
    if make is None:
        raise ValueError(f"unknown kind {name!r}")
    return make(*map(_plain, arguments))


def _call(node: ast.expr) -> tuple[str, list[ast.expr]]:
    if isinstance(node, ast.Name):
        return node.id, []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return node.func.id, node.args
    raise ValueError(f"{ast.unparse(node)[:40]!r} is no kind")


def _plain(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise ValueError(f"{ast.unparse(node)[:40]!r} is no plain value") from None


def _two(make: Callable[[Any, Any], ValueKind]) -> Callable[..., ValueKind]:
    def made(*ends: Any) -> ValueKind:
        if len(ends) != 2 or not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
            raise ValueError(f"{ends} where (low, high) is needed")
        return make(*ends)

    return made


def _whole(low: float, high: float) -> IntRange:
    if low != int(low) or high != int(high):
        raise ValueError(f"int({low}, {high}): whole numbers")
    return IntRange(low=int(low), high=int(high))


def _none(kind: ValueKind) -> Callable[..., ValueKind]:
    def made(*given: Any) -> ValueKind:
        if given:
            raise ValueError(f"{kind.text()} takes nothing")
        return kind

    return made


_KINDS: dict[str, Callable[..., ValueKind]] = {
    "float": _two(lambda low, high: FloatRange(low=float(low), high=float(high))),
    "int": _two(_whole),
    "bool": _none(Choice(values=(False, True))),
    "text": _none(Text()),
    "choice": lambda *values: Choice(values=values),
}
