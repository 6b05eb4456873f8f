"""A record as its values: which are numbers, the record with all of them scaled, and a value that is nobody's."""

from __future__ import annotations

from typing import Any


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numbers(record: Any) -> list[float]:
    """The values of a record; 0 for what is no number."""
    return [float(value) if _is_number(value) else 0.0 for value in values_of(record)]


def values_of(record: Any) -> tuple[Any, ...]:
    """The values of a row, or the one value."""
    return record if isinstance(record, tuple) else (record,)


def scaled(record: Any, factor: float) -> Any:
    """The record with its numbers multiplied, whole ones to a whole number."""
    if isinstance(record, tuple):
        return tuple(scaled(value, factor) for value in record)
    return type(record)(record * factor + 0) if _is_number(record) else record


def made_up_user(one: Any, number: int) -> Any:
    """A name that is nobody's, of the type of `one`."""
    return f"user {number}" if isinstance(one, str) else type(one)(-1 - number)
