"""Neighbours of an example that differ in a record outside of what the example shows, where nothing else is stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Pair
from dpverify.datasets.examples.beyond import values_beyond
from dpverify.datasets.examples.container import container_of
from dpverify.datasets.examples.record_kinds import OneValue, Row
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, ValueKind
from dpverify.datasets.neighbors.of_example import FROM_EXAMPLE, OfExample

FEW, MOST_COLUMNS, WIDEST = 3, 8, 16
"""Up to so many columns are tried one by one before all at once; so many are tried one by one at all; and so many are
tried."""

MOST = 24
"""Pairs."""


@dataclass(frozen=True, kw_only=True)
class BeyondExample(OfExample):
    """The pairs: one record outside of the example's ranges beside plain ones, which a pair's label tells.

    Only listed values are tried (`candidates`): the box is that of the pairs inside.
    """

    @classmethod
    def of(cls, inside: OfExample) -> BeyondExample | None:
        """Of the neighbours inside; None where everything is stated, or the types have no other values."""
        found = cls(**{each.name: getattr(inside, each.name) for each in fields(inside)})
        return found if found.values else None

    @cached_property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """Values outside, by the name of the column; only columns that have some."""
        columns = islice(self._kinds.items(), WIDEST)
        found = {name: values_beyond(kind, partial(self._fitting, name)) for name, kind in columns}
        return {name: values for name, values in found.items() if values}

    def condition(self, label: str) -> str:
        """What the records of the pair with this label violate: ``records lie in [0, 1]``."""
        names = self._labelled[label][0]
        told = [f"{_called(name)} {_inside(self._kinds[name], many=not name)}" for name in names[:FEW]]
        return " and ".join([*told, *(["the other columns in their ranges"] if len(names) > FEW else [])])

    def has(self, label: str) -> bool:
        """Whether a pair has this label."""
        return label in self._labelled

    def value(self, label: str) -> Any:
        """The value outside in the pair with this label; NaN where it is one."""
        return self._labelled[label][1]

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The first of the listed pairs."""
        return [pair for pair, _ in self._labelled_pairs[:limit]]

    @property
    def _kinds(self) -> dict[str, ValueKind]:
        """Kinds of the columns of which nothing is stated; a single value's has no name."""
        if isinstance(self.record, Row):
            return {name: self.record.kinds[name] for name in self.shown}
        return {"": self.record.kind} if isinstance(self.record, OneValue) and self.shown else {}

    def _fitting(self, name: str, values: list[Any]) -> list[Any]:
        """The values that the container holds as they are, in the column of this name."""
        return values if self._fit(name, values) else [value for value in values if self._fit(name, [value])]

    def _fit(self, name: str, values: list[Any]) -> bool:
        records = tuple(self._record({name: value}) for value in values)
        try:
            return repr(container_of(self.container.build(records)).records) == repr(records)
        except Exception:  # noqa: BLE001 - what a container cannot hold, it says in errors of its own
            return False

    @cached_property
    def _plainest(self) -> Any:
        return self.record.plain()[0]

    def _record(self, values: dict[str, Any]) -> Any:
        """The plainest record with these values in its columns."""
        if not isinstance(self.record, Row):
            return values[""]
        return tuple(values.get(name, old) for name, old in zip(self.record.kinds, self._plainest, strict=True))

    @cached_property
    def _labelled_pairs(self) -> list[tuple[Pair, tuple[tuple[str, ...], Any]]]:
        return list(islice(self._listed(), MOST))

    @cached_property
    def _labelled(self) -> dict[str, tuple[tuple[str, ...], Any]]:
        return {pair.label: told for pair, told in self._labelled_pairs}

    def _listed(self) -> Iterator[tuple[Pair, tuple[tuple[str, ...], Any]]]:
        """By rounds of values: each column alone, and all at once."""
        label, rest = next(each for each in self._rests() if each[0] != FROM_EXAMPLE)
        names = tuple(self.values)
        for values in zip_longest(*self.values.values()):
            found = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            alone = [{name: found[name]} for name in names[:MOST_COLUMNS] if name in found]
            together = [found] if len(found) > 1 else []
            for each in [*alone, *together] if len(names) <= FEW else [*together, *alone]:
                value = next(iter(each.values()))
                where = "" if not next(iter(each)) else f"{', '.join(list(each)[:FEW])} = "
                told = f"{where}{value!r}{', ...' if len(each) > 1 else ''}"
                pair = self._pair(rest, self._record(each), self._plainest, label, added=False)
                words = f"a record of {told} {'removed' if self.change == 'add-remove' else 'replaced'} beside {label}"
                yield Pair(d0=pair.d0, d1=pair.d1, label=words), (tuple(each), value)


def _called(name: str) -> str:
    return "records" if not name else name if name.isidentifier() else f"column {name}"


def _inside(kind: ValueKind, *, many: bool) -> str:
    """In words that follow a name: ``lie in [0, 1]``, ``is one of 'f', 'm'``."""
    if isinstance(kind, OrMissing):
        return f"{_inside(kind.kind, many=many)} or {'are' if many else 'is'} missing"
    if isinstance(kind, FloatRange | IntRange):
        return f"{'lie' if many else 'lies'} in [{kind.low:g}, {kind.high:g}]"
    values = kind.values if isinstance(kind, Choice) else ()
    return f"{'are' if many else 'is'} one of {', '.join(map(repr, values))}"
