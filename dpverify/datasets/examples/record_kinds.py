"""What a record is: one value, a row of values, or anything that a hypothesis strategy draws.

A search needs three things of a record kind: plain records to try first, a number of coordinates, and the record at a
point of the unit cube. Records are in normal form here: a single value, or a tuple of one value a field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.datasets.examples.value_kinds import FloatRange, IntRange, ValueKind, digits

MOST_PLAIN = 12
"""Plain records of a row."""

CORNERS = 5
"""Of a ball, among the plain records."""

ROUNDING = 1e-6
"""A norm may be larger by this share: rows of norm 1 in 32 bits are."""


class RecordKind(Protocol):
    """What a record may be."""

    @property
    def dimension(self) -> int:
        """How many coordinates name a record."""
        ...

    def text(self) -> str:
        """In words; as ``--record`` takes it, where that can be."""
        ...

    def plain(self) -> tuple[Any, ...]:
        """Records to try first, the most extreme first, all different."""
        ...

    def at(self, point: Float) -> Any:
        """The record at a point of the unit cube, shape (dimension,)."""
        ...

    def holds(self, record: Any) -> bool:
        """Whether `record`, in normal form, is of this kind."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OneValue:
    """A record that is a single value."""

    kind: ValueKind

    @property
    def dimension(self) -> int:
        """1."""
        return 1

    def text(self) -> str:
        """The value's kind."""
        return self.kind.text()

    def plain(self) -> tuple[Any, ...]:
        """The value's."""
        return self.kind.plain()

    def at(self, point: Float) -> Any:
        """The value's."""
        return self.kind.at(float(point[0]))

    def holds(self, record: Any) -> bool:
        """Whether the value is of its kind."""
        return self.kind.holds(record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A record of several fields."""

    kinds: Mapping[str, ValueKind]
    """The kind of each field, by its name (``"[0]"``, ``"[1]"``, ... where fields have places only)."""
    norm: float | None = None
    """The largest L2 norm of a record whose fields are all numbers; made-up records beyond it are scaled down."""
    named: bool = True
    """Whether the fields have names of their own."""

    @property
    def dimension(self) -> int:
        """One coordinate a field."""
        return len(self.kinds)

    def text(self) -> str:
        """The fields, with the bound on their norm."""
        kinds = list(self.kinds.values())
        if self.norm is not None and not self.named and set(kinds) == {FloatRange(low=-self.norm, high=self.norm)}:
            return f"row({len(kinds)}, norm<={digits(self.norm)})"
        if not self.named and len(kinds) > 3 and all(kind == kinds[0] for kind in kinds):
            told = f"row({len(kinds)}, {kinds[0].text()})"
        elif self.named:
            told = "{" + ", ".join(f"{name!r}: {kind.text()}" for name, kind in self.kinds.items()) + "}"
        else:
            told = "(" + ", ".join(kind.text() for kind in kinds) + ("," if len(kinds) == 1 else "") + ")"
        return told if self.norm is None else f"norm({digits(self.norm)}, {told})"

    def plain(self) -> tuple[tuple[Any, ...], ...]:
        """All fields at one end, then one field at its other end at a time, then by turns.

        In a ball the ends are scaled down to it; its own corners, with one field alone, and 0 come after the first two.
        """
        values = [kind.plain() for kind in self.kinds.values()]
        most = max(map(len, values), default=0)
        rows = [tuple(each[min(place, len(each) - 1)] for each in values) for place in range(most)]
        rows.append(tuple(each[(i % 2) % len(each)] for i, each in enumerate(values)))
        rows.append(tuple(each[((i + 1) % 2) % len(each)] for i, each in enumerate(values)))
        alone = (
            tuple(e[min(1, len(e) - 1)] if i == j else e[0] for i, e in enumerate(values)) for j in range(len(values))
        )
        rows += islice(alone, MOST_PLAIN)
        if self.norm is not None:
            rows[2:2] = filter(self.holds, islice(self._axes(), CORNERS))
        return tuple(islice(_different(map(self._within, rows)), MOST_PLAIN))

    def at(self, point: Float) -> tuple[Any, ...]:
        """The row at a point of the unit cube."""
        places = [float(place) for place in point]
        return self._within(tuple(kind.at(place) for kind, place in zip(self.kinds.values(), places, strict=True)))

    def holds(self, record: Any) -> bool:
        """Whether each value is of its kind, and the norm is within its bound."""
        if self.norm is not None:
            if not all(isinstance(value, int | float) for value in record):
                return False
            if not math.hypot(*record) <= self.norm * (1 + ROUNDING):
                return False
            record = self._within(record)
        return all(kind.holds(value) for kind, value in zip(self.kinds.values(), record, strict=True))

    def _axes(self) -> Iterator[tuple[float, ...]]:
        """0, then one field at the radius and at minus the radius, the others at 0."""
        fields = len(self.kinds)
        yield (0.0,) * fields
        for place in range(fields):
            for end in (self.norm, -self.norm) if self.norm is not None else ():
                yield tuple(end if i == place else 0.0 for i in range(fields))

    def _within(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.norm is None:
            return row
        size = math.hypot(*row)
        return row if size <= self.norm else tuple(value * (self.norm / size) for value in row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Whole records that a user's hypothesis strategy drew."""

    records: tuple[Any, ...]
    told: str

    @property
    def dimension(self) -> int:
        """1: which of them."""
        return 1

    def text(self) -> str:
        """The strategy's own words."""
        return self.told

    def plain(self) -> tuple[Any, ...]:
        """The first of them; the plainest first."""
        return self.records[:MOST_PLAIN]

    def at(self, point: Float) -> Any:
        """In equal steps."""
        return self.records[min(int(point[0] * len(self.records)), len(self.records) - 1)]

    def holds(self, record: Any) -> bool:
        """One of them."""
        return any(repr(record) == repr(each) for each in self.records)


def bounded(kind: ValueKind, low: float, high: float) -> ValueKind:
    """The kind with this range: of integers where both ends and the kind are whole, else of floats."""
    if isinstance(kind, IntRange) and low == int(low) and high == int(high):
        return IntRange(low=int(low), high=int(high))
    return FloatRange(low=low, high=high)


def drawn(strategy: Any, normal: Callable[[Any], Any]) -> Drawn:
    """Records of a hypothesis strategy: 64 examples, the same each time, the plainest first.

    `normal`: brings a record into normal form.

    InputError for what is no strategy, or one that draws nothing.
    """
    from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
    from hypothesis.errors import HypothesisException
    from hypothesis.strategies import SearchStrategy

    if not isinstance(strategy, SearchStrategy):
        raise InputError(
            f"records = {type(strategy).__name__}",
            allowed="a hypothesis strategy for one record, or text such as 'float(0, 1)'",
        )
    records: list[Any] = []

    @seed(0)
    @settings(
        max_examples=64,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(strategy)
    def collect(record: Any) -> None:
        records.append(record)

    try:
        collect()
    except HypothesisException as problem:
        raise InputError(f"records = {strategy}: {problem}", allowed="a strategy that draws records") from problem
    different = tuple(_different(map(normal, records)))
    if not different:
        raise InputError(f"records = {strategy} draws nothing", allowed="a strategy that draws records")
    return Drawn(records=different, told=f"drawn by {strategy}")


def _different(records: Any) -> Any:
    """Those that did not come before, told apart by their text."""
    seen: set[str] = set()
    for record in records:
        key = repr(record)
        if key not in seen:
            seen.add(key)
            yield record
