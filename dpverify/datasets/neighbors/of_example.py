"""Neighbours made from one example data set: its container, its size, and records of the kind that it holds.

Data sets have the size n of the example, or n + 1 (with ``add-remove``); one pair lies between the example and the same
less a record. Most are made up: plain records, all alike, in two halves or at three places, beside one extreme record
that is added, removed or replaced. The example's own records come last, since a pair of made-up records may be shown
to anybody.

With `unit` a column names whose record it is, and neighbours differ in all records of one user: as many as the busiest
user of the example has.

Limits: other sizes are not tried, for a mechanism may know the size; fields that depend on one another in the real
domain are mixed freely here (see `dpverify.datasets.examples.infer`).

A record as its values: which are numbers, the record with all of them scaled, and a value that is nobody's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset, Float, Pair
from dpverify.datasets.examples.container import Container, container_of
from dpverify.datasets.examples.record_kinds import RecordKind
from dpverify.datasets.neighbors.continuum import Continuum, distinct
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.relation import Relation, on_records

BASES = 5
"""Plain records that fill the rest of a made-up data set."""

THIRD = 3
"""Rests that come before the counterweight and the records apart: these are tried where few pairs are."""

NEAR = 1 / 8
"""Where in the range the records stand that are near one end."""

FROM_EXAMPLE = "the example's own records"
"""In the label of pairs that show records of the user."""


@dataclass(frozen=True, kw_only=True)
class OfExample(Continuum):
    """Pairs of neighbouring data sets like the example.

    The box, shape (2 k + 3, 2) of [0, 1]: which records fill the rest, two records with k coordinates each (the one
    added, or the old and the new), how many of the rest are of a second kind, and the direction.
    """

    container: Container
    """The example, taken apart."""
    record: RecordKind
    """What a record is."""
    change: str = "add-remove"
    """The relation, which says what happens to a record."""
    unit: str = ""
    """The column that says whose record it is; empty where each record is somebody else's."""
    shown: tuple[str, ...] = ()
    """The columns whose range is read off the example, and not stated; ``("",)`` for single values."""
    small: tuple[int, ...] = ()
    """Records beside the one that is added, in data sets that are as small as can be: of (0, 1), with
    ``add-remove``."""

    def __post_init__(self) -> None:
        if self.change not in (known := on_records()):
            raise InputError(
                f"neighbours of an example under {self.change!r}",
                allowed=" or ".join(known),
                remedy="for other relations give the pair: d0, d1 (--d0, --d1)",
            )
        if self.unit and self.unit not in (self.container.names or ()):
            raise InputError(
                f"unit {self.unit!r}", allowed=f"a column: {', '.join(self.container.names or ('(there is none)',))}"
            )

    @property
    def on_records(self) -> Relation:
        """The relation itself."""
        return on_records()[self.change]

    @property
    def relation(self) -> str:
        """``add-remove``, ``replace``; ``add-remove by COLUMN`` where all records of one user change."""
        return f"{self.change} by {self.unit}" if self.unit else self.change

    @property
    def name(self) -> str:
        """The relation's, and ``/example``."""
        return f"{self.relation}/example"

    @property
    def size(self) -> int:
        """Records of the example."""
        return len(self.container.records)

    @cached_property
    def busiest(self) -> int:
        """Records of the user who has most."""
        return max(Counter(map(self._user, self.container.records)).values()) if self.unit else 1

    @property
    def _place(self) -> int:
        names = self.container.names
        assert names is not None
        return names.index(self.unit)

    def words(self) -> tuple[str, ...]:
        """What is assumed of the data, one line each."""
        who = f"all records of one {self.unit} (at most {self.busiest})" if self.unit else "one record"
        change = "is" if not self.unit else "are"
        moved = f"{change} {self.on_records.moved}"
        sizes = [str(size) for size in self._sizes()]
        told = " or ".join([", ".join(sizes[:-1]), sizes[-1]] if len(sizes) > 1 else sizes)
        return (
            f"a record is {self.record.text()}",
            f"a data set is a {self.container.word} of {told} records, and between neighbours {who} {moved}",
        )

    def _sizes(self) -> list[int]:
        """Of all data sets that are made: the example's, with what is added, and with what is removed of it."""
        if self.on_records.keeps_size:
            return [self.size]
        less = [self.size - (len(self._records_with(row)) if self.unit else 1) for row in self._ends()]
        small = {size for count in self.small for size in (count, count + self.busiest)}
        return sorted({self.size, self.size + self.busiest, *(size for size in less if size), *small})

    def _ends(self) -> list[Any]:
        """The last and the first record of the example: those that are removed from it."""
        return [self.container.records[-1], self.container.records[0]]

    def shows_records(self, label: str) -> bool:
        """Whether a pair of this label holds records of the user's example."""
        return FROM_EXAMPLE in label

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when they are neighbours, else why not."""
        from dpverify.datasets.neighbors.record_columns import both, only_in

        records = both(d0, d1)
        if isinstance(records, str):
            return records
        first, second = records
        gone, come = len(only_in(first, second)), len(only_in(second, first))
        most = self.busiest
        if self.on_records.keeps_size and len(first) != len(second):
            return f"d0 has {len(first)} records and d1 has {len(second)}: the sizes must be equal"
        if not self.on_records.keeps_size and min(gone, come) > 0:
            return f"{gone} records of d0 are not in d1 and {come} of d1 not in d0: one of them must hold the other"
        if max(gone, come) > most:
            return f"{max(gone, come)} records differ: {most} may"
        return None

    def outside(self, d0: Dataset, d1: Dataset) -> str | None:
        """None where neighbours have the sizes and the kind of records that are assumed, else one line with the reason.

        Side of the error: a value outside the inferred range is outside, whether or not the real domain has it.
        """
        sides = container_of(d0), container_of(d1)
        largest = max(len(side.records) for side in sides)
        small = () if self.on_records.keeps_size else (self.size + self.busiest, self.busiest, self.busiest + 1)
        if largest not in (self.size, *small):
            return f"{largest} records, where the example has {self.size}"
        for record in (record for side in sides for record in side.records):
            known = [record]
            if self.unit:  # users may have any name
                known = [self._named(record, 0), self._with(record, self.container.records[0][self._place])]
            if not any(map(self.record.holds, known)):
                return f"a record that is not {self.record.text()}"
        return None

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """At most `limit` different pairs: made-up ones, a quarter with the example's own records, then random ones."""
        own = distinct(self._with_own_records(), limit // 4, ordered=False, content=_content)
        listed = chain(islice(self._made_up(), limit - len(own)), own, self._made_up())
        return distinct(chain(listed, self.drawn(space, 4 * limit, rng=rng)), limit, ordered=False, content=_content)

    def box(self, space: SearchSpace) -> Float:
        """The unit cube."""
        return np.array([[0.0, 1.0]] * (2 * self.record.dimension + 3))

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box."""
        point = np.clip(np.asarray(vector, dtype=np.float64), 0.0, 1.0)
        k = self.record.dimension
        old, new = self.record.at(point[1 : k + 1]), self.record.at(point[k + 1 : 2 * k + 1])
        rests = list(self._rests())
        label, rest = rests[min(int(point[0] * len(rests)), len(rests) - 1)]
        if label != FROM_EXAMPLE:
            cut = int(point[2 * k + 1] * len(rest))
            rest = [*rest[: len(rest) - cut], *self._users([new] * cut, first=len(rest) - cut)]
        return self._pair(rest, old, new, label, added=bool(point[2 * k + 2] >= 0.5))

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """Made-up pairs, then those of the example's own records."""
        yield from self._made_up()
        yield from self._with_own_records()

    def _made_up(self) -> Iterator[Pair]:
        """Extreme records beside plain ones; early on what is missing, and the smallest data sets. Some pairs recur."""
        made = self._extremes([each for each in self._rests() if each[0] != FROM_EXAMPLE])
        first, small = list(islice(made, THIRD + 2)), list(self._small())
        third = self._missing() or first[2:THIRD]
        yield from [*first[:2], *third, *small[:1], *first[THIRD + 1 :], *small, *first]  # the counterweight is fifth
        yield from made

    def _missing(self) -> list[Pair]:
        """A record with a missing value, where there may be one, beside the plainest."""
        plain = self.record.plain()
        lacking = [record for record in plain if any(value is None or value != value for value in values_of(record))]
        label, rest = next(self._rests())
        return [self._pair(rest, record, plain[0], label, added=False) for record in lacking[:1]]

    def _small(self) -> Iterator[Pair]:
        """The most extreme record added to no record, and to one."""
        plain = self.record.plain()
        for count in self.small:
            rest = self._users([plain[-1 if len(plain) < 2 else 1]] * count)
            label = f"{self._told(rest[0])} alone" if rest else "an empty data set"
            yield self._pair(rest, plain[0], plain[0], label, added=True)

    def smallest(self, count: int) -> Dataset:
        """A data set of so many plain records."""
        return self.container.build(self._users([self.record.plain()[0]] * count))

    def _with_own_records(self) -> Iterator[Pair]:
        """The example, its last or first record (with a unit, all of that user) removed or replaced; then extremes."""
        rows, plain = list(self.container.records), self.record.plain()
        for place in dict.fromkeys((self.size - 1, 0)):
            mine = self._records_with(rows[place]) if self.unit else {place}
            who = f"one user among {FROM_EXAMPLE}" if self.unit else f"record {place} of {FROM_EXAMPLE}"
            if not self.on_records.keeps_size:
                rest = self.on_records.changed(rows, [*mine], plain[0])
                yield from [self._of(rows, rest, f"{who} removed")] if rest else []
                continue
            for new in plain[:2]:
                changed = self.on_records.changed(rows, [*mine], *self._theirs([new]))
                yield self._of(rows, changed, f"{who} {self.on_records.moved}")
        yield from self._extremes([each for each in self._rests() if each[0] == FROM_EXAMPLE])

    def _extremes(self, rests: list[tuple[str, list[Any]]]) -> Iterator[Pair]:
        """Each plain record beside each rest: the two most extreme ones, then the most extreme beside every rest."""
        plain = self.record.plain()
        ranked = sorted((i == j, j + i * i * (j + 1), i, j) for i in range(len(plain)) for j in range(len(rests)))
        for turn in range(1 + self.on_records.keeps_size):
            for _, _, i, j in ranked:
                label, rest = rests[j]
                others = [other for other in plain if repr(other) != repr(plain[i])] or [plain[i]]
                for other in others[turn : turn + 1]:
                    yield self._pair(rest, plain[i], other, label, added=False)

    def _rests(self) -> Iterator[tuple[str, list[Any]]]:
        """What stands beside the record that changes, with words for it; of neighbours of one size one record less."""
        count = max(self.size - self.busiest, 0) if self.on_records.keeps_size else self.size
        plain = self.record.plain()
        alike = [(f"{count} plain records", [each] * count) for each in plain[:BASES]]
        if (apart := self._apart(count)) is not None:
            alike.insert(THIRD, (f"{count} records at both ends and near one", apart))
        for half, zero in self._counterweights()[: min(count, 1)]:
            words = f"{count} plain records, one of them half of {self._told(plain[1])}"
            alike.insert(THIRD, (words, [half] + [zero] * (count - 1)))
        for words, records in alike:
            yield words, self._users(records)
        if len(plain) > 1 and count > 1:
            half = (count + 1) // 2
            yield f"{count} plain records of two kinds", self._users([plain[1]] * half + [plain[0]] * (count - half))
        own = list(self.container.records)
        yield FROM_EXAMPLE, self._without_last(own) if self.on_records.keeps_size else own

    def _apart(self, count: int) -> list[Any] | None:
        """As many records at one end as at the other, and one or two between, nearer to one; None where none is there.

        What ranks records has its middle in the wide gap, and a record more turns it around in the narrow one.
        """
        plain, near = self.record.plain(), self.record.at(np.full(self.record.dimension, NEAR))
        half = (count - 1) // 2
        if half == 0 or len(plain) < 2 or repr(near) in map(repr, plain[:2]):
            return None
        return [plain[1]] * half + [near] * (count - 2 * half) + [plain[0]] * half

    def _counterweights(self) -> list[tuple[Any, Any]]:
        """Half of the record that is opposite to the most extreme one, and 0; nothing where records have no sign.

        Beside it an extreme record turns the sign of the sum around: what clips a sum and not its parts shows there.
        """
        plain = self.record.plain()
        if len(plain) < 2 or not any(a * b < 0 for a, b in zip(*map(numbers, plain[:2]), strict=True)):
            return []
        half, zero = (scaled(plain[1], factor) for factor in (0.5, 0.0))
        return [(half, zero)] if half != zero and self.record.holds(half) and self.record.holds(zero) else []

    def _pair(self, rest: list[Any], old: Any, new: Any, label: str, *, added: bool) -> Pair:
        first = [*rest, *self._theirs([old] * self.busiest)]
        second = self.on_records.changed(first, range(len(rest), len(first)), *self._theirs([new]))
        if not self.on_records.keeps_size:
            words = f"{self._told(old)} {'added to' if added else 'removed beside'} {label}"
            return self._of(second, first, words) if added else self._of(first, second, words)
        words = f"{self._told(old)} replaced by {self._told(new if self.unit else second[-1])} beside {label}"
        return self._of(first, second, words)

    def _of(self, first: Sequence[Any], second: Sequence[Any], label: str) -> Pair:
        return Pair(d0=self.container.build(first), d1=self.container.build(second), label=label)

    def _told(self, record: Any) -> str:
        text = repr(record)
        return text if len(text) <= 40 else text[:37] + "..."

    def _user(self, record: Any) -> Any:
        return record[self._place]

    def _records_with(self, record: Any) -> set[int]:
        """Places of all records of this one's user."""
        return {i for i, each in enumerate(self.container.records) if self._user(each) == self._user(record)}

    def _users(self, records: list[Any], *, first: int = 0) -> list[Any]:
        """Made-up records in users' names, as many each as the busiest has."""
        if not self.unit:
            return records
        return [self._named(record, 1 + (first + i) // self.busiest) for i, record in enumerate(records)]

    def _theirs(self, records: list[Any]) -> list[Any]:
        """The records of the one user whose records change: a user whom nobody else is."""
        return [self._named(record, 0) for record in records] if self.unit else records

    def _named(self, record: Any, number: int) -> Any:
        return self._with(record, made_up_user(self.container.records[0][self._place], number))

    def _with(self, record: Any, user: Any) -> Any:
        return (*record[: self._place], user, *record[self._place + 1 :])

    def _without_last(self, rows: list[Any]) -> list[Any]:
        """The example less its last record; with a unit, less that user's records, and with room for the busiest."""
        others = [row for row in rows if self._user(row) != self._user(rows[-1])] if self.unit else rows
        return others[: max(len(rows) - self.busiest, 0)]


def _content(side: Any) -> str:
    return repr(plain_dataset(side))


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
