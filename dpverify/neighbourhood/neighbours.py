"""Neighbours for an audit that was given one example data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.relation_names import DEFAULT_RELATION
from dpverify.datasets.examples.container import Container, container_of, in_normal_form
from dpverify.datasets.examples.infer import record_kind_of
from dpverify.datasets.examples.record_kinds import OneValue, RecordKind, Row, drawn
from dpverify.datasets.examples.record_text import bounds_from_text, record_kind_from_text, with_bounds
from dpverify.datasets.examples.value_kinds import Choice
from dpverify.datasets.neighbors.of_example import OfExample, made_up_user

Bounds = tuple[float, float] | Mapping[str, tuple[float, float]]

INSIDE = 0.3
"""A place of the unit cube at which a record is neither plain nor whole, where it need not be."""

ROUNDED = 1e-2
"""Floats of 16 bits round less."""


def neighbours_of(
    data: Any,
    *,
    relation: str | None = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
) -> OfExample:
    """Neighbours of data sets like the example.

    Parameters
    ----------
    data : object
        The example: a list, an array, a table, ``(X, y)`` (`dpverify.datasets.examples.container`).
    relation : str or None
        ``add-remove`` (the default), ``replace``, or a plug-in's.
    records : str, hypothesis strategy or None
        What a record is; None reads it off the example.
    bounds : tuple, mapping, str or None
        ``(low, high)`` of single values, or of columns by name; they overrule the ranges of the example.
    unit : str or None
        The column that says whose record it is.

    Raises
    ------
    InputError
        For an example whose records cannot be read, and for settings that do not fit it.
    """
    container = container_of(data)
    columns = container.names if container.names is not None else ("",)
    if records is None:
        record = record_kind_of(container)
    elif isinstance(records, str):
        record = record_kind_from_text(records, columns=container.names, named=container.named)
        _check_fits(record, container, records)
    else:
        record = drawn(records, partial(in_normal_form, container=container))
    stated: set[str] = {unit} if unit else set()
    if bounds is not None:
        bounds = bounds_from_text(bounds) if isinstance(bounds, str) else bounds
        record = with_bounds(record, bounds, container)
        stated |= set(bounds) if isinstance(bounds, Mapping) else set(columns)
    if bounds is not None or isinstance(records, str):
        _check_held(record, container)
    if unit and records is None:
        record = _nobodys(record, container, unit)
    return OfExample(
        container=container,
        record=record,
        change=relation or DEFAULT_RELATION,
        unit=unit or "",
        shown=() if records is not None else tuple(name for name in columns if name not in stated),
    )


def _nobodys(record: RecordKind, container: Container, unit: str) -> RecordKind:
    """The kind of record with a made-up user: what is printed of the kind names no user of the example."""
    if not isinstance(record, Row) or unit not in (names := container.names or ()):
        return record
    place = names.index(unit)
    user = Choice(values=(made_up_user(container.records[0][place], 0),))
    kinds = {name: user if i == place else kind for i, (name, kind) in enumerate(record.kinds.items())}
    return replace(record, kinds=kinds)


def _check_held(record: RecordKind, container: Container) -> None:
    """InputError where data sets like the example cannot hold the numbers of such records, or round them."""
    wanted = record.at(np.full(record.dimension, INSIDE))
    try:
        (held,) = container_of(container.build((wanted,))).records
    except Exception:  # noqa: BLE001 - tables have errors of their own for what they cannot hold
        held = None
    each = zip(*(row if isinstance(row, tuple) else (row,) for row in (wanted, held)), strict=False)
    numbers = [pair for pair in each if all(type(value) in (int, float) for value in pair)]
    if held is None or not all(math.isclose(one, two, rel_tol=ROUNDED, abs_tol=ROUNDED) for one, two in numbers):
        raise InputError(
            f"the example cannot hold a record {wanted!r} of the kind {record.text()}",
            allowed="records that data sets like the example hold as they are",
            remedy="give the example's numbers as floats, such as 1.0",
        )


def _check_fits(record: RecordKind, container: Container, text: str) -> None:
    """InputError where the example's own records are not of the kind that was typed."""
    fields = len(container.names) if container.names is not None else None
    if (fields is None) != isinstance(record, OneValue) or (fields is not None and record.dimension != fields):
        told = "single values" if fields is None else f"rows of {fields} fields"
        raise InputError(f"records {text!r} for a {container.word}", allowed=f"a kind of {told}")
    if isinstance(record, Row) and record.named and container.named and tuple(record.kinds) != container.names:
        raise InputError(f"records {text!r}", allowed=f"the fields in their order: {', '.join(container.names or ())}")
    for place, each in enumerate(container.records):
        if not record.holds(each):
            raise InputError(f"record {place} of the example is not {text!r}", allowed="a kind that holds all records")
