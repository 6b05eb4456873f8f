"""Divides an output into parts, each with its place, its kind, and its numbers and labels.

Known types are read completely; any other is refused, since `list` of an object may omit data (a table iterates over
its column names).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dpverify.adapters.copies import short_repr
from dpverify.adapters.scalars import read_scalar
from dpverify.adapters.unpacked_arrays import read_array
from dpverify.adapters.unpacked_containers import Member, read_container
from dpverify.adapters.unpacked_tables import read_table
from dpverify.adapters.unpacked_value import MOST_NUMBERS, Atoms, CannotReadError, TooManyError, Unpacked
from dpverify.core.errors import InputError, one_line

DEEPEST = 64
"""Deepest nesting of containers."""


class Part(NamedTuple):
    """A part of an output: `place` ("" for the whole), kind, and its direct numbers and labels."""

    place: str
    kind: str
    atoms: Atoms


Form = tuple[tuple[str, str], ...]
"""Place and kind of every part; two outputs of one form differ only in numbers and labels."""


def parts_of(output: Any, name: str) -> list[Part]:
    """The parts of an output of the callable `name`, the whole first.

    Raises
    ------
    InputError
        When a part cannot be read completely.
    """
    found: list[Part] = []
    try:
        _walk(output, "", found, ())
    except CannotReadError as problem:
        raise refusal(output, name, problem) from None
    return found


class UnreadableError(InputError):
    """An output that cannot be read completely."""


def refusal(output: Any, name: str, problem: CannotReadError) -> UnreadableError:
    """The error for an output that cannot be read, in one line."""
    shown = f"a {type(output).__name__}" if isinstance(problem, TooManyError) else short_repr(output)
    return UnreadableError(
        f"{name} returned {shown}, {problem.why}",
        allowed="numbers, labels, arrays and tables, and lists, tuples, sets, dicts and dataclasses of these",
        remedy=problem.remedy,
    )


def form_of(parts: list[Part]) -> Form:
    """The form of an output: place and kind of each of its parts."""
    return tuple((part.place, part.kind) for part in parts)


def _walk(value: Any, place: str, found: list[Part], above: tuple[int, ...]) -> None:
    whole = unpacked(value)
    while whole.wraps is not None:
        inner = unpacked(whole.wraps)
        kind, inside = f"{whole.kind}, {inner.kind}", [*whole.inside, *inner.inside]
        whole = Unpacked(kind, [*whole.atoms, *inner.atoms] if len(whole.atoms) else inner.atoms, inside, inner.wraps)
    found.append(Part(place, whole.kind, whole.atoms))
    if len(found) > MOST_NUMBERS:
        raise TooManyError(len(found))
    if not whole.inside:
        return
    if id(value) in above:
        raise CannotReadError("which holds itself", "return what it says as plain values")
    if len(above) == DEEPEST:
        raise CannotReadError(f"which is nested more than {DEEPEST} deep", "return a flat value")
    for below, item in whole.inside:
        _walk(item, place + below, found, (*above, id(value)))


def unpacked(value: Any) -> Unpacked:
    """Unpack a value by the reader of its type; CannotReadError without one."""
    if isinstance(value, Member):
        return Unpacked("in the set")
    try:
        for read in (read_scalar, read_table, read_array, read_container):
            found = read(value)
            if found is not None:
                return found
    except CannotReadError:
        raise
    except RecursionError:
        raise
    except Exception as problem:  # code of another library may raise anything
        line = one_line(f"{type(problem).__name__}: {problem}")
        raise CannotReadError(f"but the type {type(value).__name__} could not be read ({line})", _PLAIN) from problem
    raise CannotReadError(_unknown(value), _PLAIN)


_PLAIN = "return it as plain values: float(...), list(...), np.asarray(...) or str(...)"


def _unknown(value: Any) -> str:
    kind = type(value).__name__
    if hasattr(value, "__next__"):
        return f"but the type {kind} can be read only once"
    return f"but the type {kind} is not known here, so that it might be read in part"
