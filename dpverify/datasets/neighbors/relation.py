"""Relations as the registry's section ``relations`` has them: how one record changes, in words and in code.

An example's neighbours, words of reports and what else depends on a relation follow from this. A plug-in brings its own
with ``registry.add_relation(Relation(...))``, which registers the generator of its pairs, too: the same object.

Limits: the order of records plays no part, and neighbours of different sizes differ in what was added or removed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Dataset, Pair
from dpverify.core.watchdog_page import asked_to_stop
from dpverify.datasets.neighbors.continuum import Continuum
from dpverify.datasets.neighbors.plain_records import plain_records
from dpverify.datasets.neighbors.record_columns import both, only_in

ChangeOne = Callable[[Sequence[Any], int, Any], Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Relation(Continuum):
    """One relation.

    Attributes
    ----------
    name : str
        As claims and the command line write it.
    moved : str
        What happens to the record, in words that follow "is" and "are": ``replaced``.
    words : str
        What differs between neighbours, as a sentence; empty for "one record is" and `moved`.
    short : str
        Three letters for tables; empty for the name.
    keeps_size : bool
        Whether neighbours have equally many records. Otherwise one holds the other.
    change_one : callable or None
        ``change_one(records, place, new)`` returns the records of the neighbour in which the one at `place` has
        changed; `new` is a record that may stand there instead. Rows are tuples. None: no relation on single records.
    """

    name: str
    moved: str = ""
    words: str = ""
    short: str = ""
    keeps_size: bool = True
    change_one: ChangeOne | None = None

    def told(self) -> str:
        """What differs between neighbours, as a sentence."""
        return self.words or (f"one record is {self.moved}" if self.moved else self.name)

    @property
    def relation(self) -> str:
        """Its name: it is the generator that the relation has by default."""
        return self.name

    def changed(self, records: Sequence[Any], places: Sequence[int], new: Any) -> list[Any]:
        """The records after those at `places` have changed.

        Raises
        ------
        InputError
            For a plug-in's `change_one` that fails, makes records of another form, or changes their number where the
            relation keeps it.
        """
        assert self.change_one is not None
        found = list(records)
        for place in sorted(places, reverse=True):
            before = len(found)
            try:
                found = list(self.change_one(found, place, new))
            except BaseException as problem:
                if asked_to_stop(problem):
                    raise
                raise InputError(  # its text may hold records
                    f"the relation {self.name!r} cannot change record {place} of {before}: {type(problem).__name__}",
                    allowed="a change_one(records, place, new) that returns records",
                ) from None
            if self.keeps_size and len(found) != before:
                raise InputError(
                    f"the relation {self.name!r} makes {len(found)} records of {before}",
                    allowed="as many as before, or keeps_size=False",
                )
        forms = {_form(record) for record in (*records, new)}
        if strange := [record for record in found if _form(record) not in forms]:
            raise InputError(
                f"the relation {self.name!r} makes a record that is a {type(strange[0]).__name__} of another form",
                allowed="rows as tuples with all their fields, single values as they are",
            )
        return found

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """None when one is the other with one record changed, else why not."""
        records = both(d0, d1)
        if isinstance(records, str):
            return records
        for first, second in (records, records[::-1]):
            come = [second[place] for place in only_in(second, first)]
            for place in only_in(first, second) or range(len(first)):
                for new in come or first[place : place + 1]:
                    changed = both(self.changed(first, [place], new), second)
                    if not isinstance(changed, str) and not only_in(*changed) and not only_in(*changed[::-1]):
                        return None
        return f"no change of one record makes d1 of d0, or d0 of d1 ({self.told()})"

    def box(self, space: SearchSpace) -> None:
        """None: pairs are listed and drawn."""

    def decode(self, space: SearchSpace, vector: Any) -> Pair:
        """There is no box."""
        raise InputError(f"the relation {self.name!r} has no box of pairs", allowed="listed pairs")

    def listed(self, space: SearchSpace) -> Iterator[Pair]:
        """An extreme record among plain ones, and what it becomes."""
        for (old, rest), (new, _) in zip(plain_records(space), [*plain_records(space)][::-1], strict=True):
            yield self._pair([*map(float, rest), float(old)], float(new))

    def drawn(self, space: SearchSpace, attempts: int, *, rng: np.random.Generator) -> Iterator[Pair]:
        """Independent records."""
        for _ in range(attempts):
            *records, new = rng.uniform(space.low, space.high, space.size + 1).tolist()
            yield self._pair(records, new)

    def _pair(self, records: list[float], new: float) -> Pair:
        changed = self.changed(records, [len(records) - 1], new)
        return Pair(d0=np.array(records), d1=np.array(changed), label=f"{records[-1]:g} {self.moved}")


def _form(record: Any) -> int | None:
    """How many fields a row has; None of a single value."""
    return len(record) if isinstance(record, tuple) else None


def on_records() -> dict[str, Relation]:
    """Relations under which one record changes, by name."""
    relations: dict[str, Relation] = {each.name: each for each in registry().relations.in_order()}
    return {name: each for name, each in relations.items() if each.change_one is not None}


def keeps_size(relation: str) -> bool:
    """Whether neighbours under this relation have equally many records; one without a `Relation` keeps them."""
    known = registry().relations
    return relation not in known or bool(known.get(relation).keeps_size)
