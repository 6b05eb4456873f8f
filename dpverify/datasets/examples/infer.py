"""What a record of an example data set is: kinds and ranges read off its values.

The ranges are those of the example: the least and the largest value that occur. Narrower than the real ones, they lose
witnesses and never make one up. An assumption goes beyond the example all the same: that any mixture of its fields'
values is a record of the real domain. So rows of numbers (an array's) keep within the largest norm that occurs, numbers
of two values only stay two values, and whatever was inferred is printed beside the verdict.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.datasets.examples.container import Container
from dpverify.datasets.examples.record_kinds import OneValue, RecordKind, Row
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, Text, ValueKind

FEW_TEXTS = 16
"""So many different texts at the most are a choice among them, where some of them come twice."""

LARGEST = int(sys.float_info.max)

REMEDY = "say what a record is: records='float(0, 1)' (--record)"


def record_kind_of(container: Container) -> RecordKind:
    """What a record of the example is.

    InputError for an example without records, or a field whose values are of no known kind.
    """
    if not container.records:
        raise InputError("data without a record", allowed="an example with one record at least", remedy=REMEDY)
    if container.names is None:
        return OneValue(kind=value_kind_of("data", container.records))
    if len(set(container.names)) < len(container.names):
        names = ", ".join(container.names)
        raise InputError(f"fields {names}", allowed="names that differ as text", remedy="rename one of them")
    columns = zip(*container.records, strict=True)
    kinds = {
        name: value_kind_of(f"field {name}", values) for name, values in zip(container.names, columns, strict=True)
    }
    return Row(kinds=kinds, norm=_norm(container, kinds), named=container.named)


def value_kind_of(where: str, values: Sequence[Any]) -> ValueKind:
    """The kind of the values of one field; InputError, which begins with `where`, for values of no known kind."""
    if any(isinstance(value, np.ndarray | list) for value in values):
        raise InputError(f"{where}: lists of values", allowed="one value a field and record", remedy=REMEDY)
    present = [value for value in values if value is not None and value == value]
    if not present:
        raise InputError(f"{where}: all values are missing", allowed="a value", remedy=REMEDY)
    kind = _kind_of(where, present)
    missing = next((value for value in values if value is None or value != value), present)
    return kind if missing is present else OrMissing(kind=kind, missing=missing)


def _kind_of(where: str, values: list[Any]) -> ValueKind:
    different = list(dict.fromkeys(values)) if all(_hashable(value) for value in values) else values
    if all(isinstance(value, bool) for value in values):
        return Choice(values=(False, True))
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        if not all(isinstance(value, float) or abs(value) <= LARGEST for value in values):
            raise InputError(
                f"{where}: an integer beyond all doubles", allowed="at most 1.8e308 in size", remedy=REMEDY
            )
        if not all(math.isfinite(value) for value in values):
            raise InputError(f"{where}: an infinite value", allowed="finite numbers", remedy=REMEDY)
        whole = all(isinstance(value, int) for value in values)
        if len(different) == 2 and len(values) > 2 and (whole or all(value == int(value) for value in different)):
            return Choice(values=tuple(sorted(different)))  # labels, flags: what lies between may be no record at all
        low, high = min(values), max(values)
        return IntRange(low=low, high=high) if whole else FloatRange(low=float(low), high=float(high))
    if all(isinstance(value, str) for value in values):
        few = len(different) <= FEW_TEXTS and len(different) < len(values)
        return Choice(values=tuple(sorted(different))) if few else Text()
    if all(_hashable(value) for value in values):
        with suppress(TypeError):  # dates, decimals: whatever has an order
            return Choice(values=tuple(dict.fromkeys((min(values), max(values)))))
    kinds = ", ".join(sorted({type(value).__name__ for value in values}))
    raise InputError(
        f"{where}: values of the types {kinds}", allowed="numbers, texts, truth values, dates", remedy=REMEDY
    )


def _norm(container: Container, kinds: Mapping[str, ValueKind]) -> float | None:
    """The largest L2 norm of a row of floats; None for rows with names, or of other kinds."""
    if container.named or not all(isinstance(kind, FloatRange) for kind in kinds.values()):
        return None
    return max(math.hypot(*record) for record in container.records)


def _hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None and not isinstance(value, tuple)
