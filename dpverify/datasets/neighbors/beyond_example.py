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
from dpverify.datasets.examples.beyond import LARGE_ENDS, values_beyond
from dpverify.datasets.examples.container import container_of
from dpverify.datasets.examples.record_kinds import OneValue, Row
from dpverify.datasets.examples.value_kinds import Choice, FloatRange, IntRange, OrMissing, ValueKind
from dpverify.datasets.neighbors.of_example import FROM_EXAMPLE, OfExample

FEW, MOST_COLUMNS, WIDEST = 3, 8, 16
"""So many columns are named; up to so many are tried one by one, more all at once, and then the first of them one by
one; and of so many it is looked at each by itself which values their container holds."""

BOTH = frozenset((False, True))

MOST = 48
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
        return found if found.values or found.untried else None

    @cached_property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """Values outside, by the name of the column; only columns that have some."""
        columns = list(self._kinds.items())
        found = {name: values_beyond(kind, partial(self._fitting, name)) for name, kind in columns[:WIDEST]}
        wide = {name: values_beyond(kind, list) for name, kind in columns[WIDEST:]}
        first = {name: values[0] for name, values in (found | wide).items() if values}
        found |= wide if wide and self._fit(first) else {}
        return {name: values for name, values in found.items() if values}

    @cached_property
    def untried(self) -> tuple[str, ...]:
        """Columns of which nothing is stated, and no value is known that the example does not show."""
        listed = {name for name, kind in self._kinds.items() if isinstance(kind, Choice) and set(kind.values) - BOTH}
        return tuple(_called(name) for name in self._kinds if name in listed and name not in self.values)

    def headline(self, label: str) -> str:
        """What the pair with this label shows: ``false unless records lie in [0, 1]: clip, or state --bounds``."""
        found = self._labelled[label]
        name, value = next(iter(found.items()))
        if len(found) > 1:
            return (
                "false unless columns stay where the example's are: clip, map others, or state --bounds or --record "
                f"(it falls where {len(found)} of them leave their ranges at once)"
            )
        if value != value:
            where = _called(name) if name else "a record"
            return f"false where {where} is NaN: drop or replace NaN, which clipping lets pass, or state --bounds"
        states = "map the others to these, or state --record" if isinstance(value, str) else "clip, or state --bounds"
        lies = f"{_called(name)} {_inside(self._kinds[name], many=not name)}"
        return f"false unless {lies}: {states} (it falls at {value!r})"

    def has(self, label: str) -> bool:
        """Whether a pair has this label."""
        return label in self._labelled

    def large_end(self, label: str) -> bool:
        """Whether the pair with this label holds an integer that may end the process of a mechanism."""
        return not LARGE_ENDS.isdisjoint(self._labelled[label].values())

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The first of the listed pairs; where not every column has its own among them, all at once come first."""
        alone = [pair for pair, values in self._labelled_pairs if len(values) == 1]
        at_once = [pair for pair, values in self._labelled_pairs if len(values) > 1]
        few = len(self.values) <= min(limit, MOST_COLUMNS)
        return (alone if few else [*at_once[:1], *alone, *at_once[1:]])[:limit]

    @property
    def _kinds(self) -> dict[str, ValueKind]:
        """Kinds of the columns of which nothing is stated; a single value's has no name."""
        if isinstance(self.record, Row):
            return {name: self.record.kinds[name] for name in self.shown}
        return {"": self.record.kind} if isinstance(self.record, OneValue) and self.shown else {}

    def _fitting(self, name: str, values: list[Any]) -> list[Any]:
        """The values that the container holds as they are, in the column of this name."""
        each = [{name: value} for value in values]
        return values if self._fit(*each) else [found[name] for found in each if self._fit(found)]

    def _fit(self, *found: dict[str, Any]) -> bool:
        records = tuple(map(self._record, found))
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
    def _labelled_pairs(self) -> list[tuple[Pair, dict[str, Any]]]:
        return list(islice(self._listed(), MOST))

    @cached_property
    def _labelled(self) -> dict[str, dict[str, Any]]:
        return {pair.label: found for pair, found in self._labelled_pairs}

    def _listed(self) -> Iterator[tuple[Pair, dict[str, Any]]]:
        """By rounds of values, each with the values outside: each column alone, and all at once."""
        label, rest = next(each for each in self._rests() if each[0] != FROM_EXAMPLE)
        names = tuple(self.values)
        for values in zip_longest(*self.values.values()):
            found = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            alone = [{name: found[name]} for name in names[:MOST_COLUMNS] if name in found]
            for each in [*alone, *([found] if len(found) > 1 and self._fit(found) else [])]:
                value = next(iter(each.values()))
                where = "" if not next(iter(each)) else f"{', '.join(list(each)[:FEW])} = "
                told = f"{where}{value!r}{', ...' if len(each) > 1 else ''}"
                pair = self._pair(rest, self._record(each), self._plainest, label, added=False)
                words = f"a record of {told} {'replaced' if self.on_records.keeps_size else 'removed'} beside {label}"
                yield Pair(d0=pair.d0, d1=pair.d1, label=words), each


def _called(name: str) -> str:
    return "records" if not name else name if name.isidentifier() else f"column {name}"


def _inside(kind: ValueKind, *, many: bool) -> str:
    """In words that follow a name: ``lie in [0, 1]``, ``is one of 'f', 'm'``."""
    if isinstance(kind, OrMissing):
        return f"{_inside(kind.kind, many=many)} or {'are' if many else 'is'} missing"
    if isinstance(kind, FloatRange | IntRange):
        return f"{'lie' if many else 'lies'} in [{kind.low:g}, {kind.high:g}]"
    values = kind.values if isinstance(kind, Choice) else ()
    if all(type(value) in (int, float) for value in values):
        return f"{'lie' if many else 'lies'} in [{min(values):g}, {max(values):g}]"
    return f"{'are' if many else 'is'} one of {', '.join(map(repr, values))}"
