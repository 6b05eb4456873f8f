"""The neighbouring data sets of one audit: a pair that the user brings, or pairs made from one example."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.dependence import DependentError
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.relation_names import PRICED
from dpverify.core.subjects import NeighborGenerator, Pair
from dpverify.datasets.neighbors.add_remove import infer_relation, not_neighbours
from dpverify.datasets.neighbors.beyond_example import BeyondExample
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.datasets.neighbors.relation import on_records
from dpverify.neighbourhood.neighbours import Bounds, neighbours_of
from dpverify.sampling.streams import stream

TRIED = 12
"""Pairs of an example on which the mechanism is tried out, until it returns on one."""

PATIENCE = 2.0
"""Seconds after which a failure on one pair is not tried on the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The neighbourhood in which an audit looks."""

    generator: NeighborGenerator
    """Of the pairs."""
    plain: tuple[Pair, ...]
    """The first of them, on one of which the mechanism is tried out."""
    inferred: bool
    """Whether nobody named the relation."""
    assumed: tuple[str, ...] = ()
    """What was read off an example, one line each; empty for a pair that the user brought."""
    beyond: BeyondExample | None = None
    """Pairs outside of what the example shows, where nothing else is stated."""

    def returning(self, subject: CallableMechanism, *, stream: Callable[..., np.random.Generator]) -> Pair:
        """The first plain pair on which the subject returns at all; InputError where it does on none.

        A pair that the user brought is taken as it is.
        """
        if len(self.plain) == 1:
            return self.plain[0]
        problem: InputError | None = None
        for place, pair in enumerate(self.plain):
            begun = time.monotonic()
            try:
                for side, data in enumerate((pair.d0, pair.d1)):
                    subject.look(data, 1, rng=stream("returns", place, side))  # the form is settled later, by many
            except DependentError:
                raise
            except InputError as raised:
                problem = problem or raised
                if time.monotonic() - begun > PATIENCE:  # it hangs, and will on all of them
                    raise
            else:
                return pair
        assert problem is not None
        raise problem

    def with_small(self, subject: CallableMechanism, *, stream: Callable[..., np.random.Generator]) -> Neighbourhood:
        """Add data sets of no, one and two records, as far as the subject returns on them: nobody said it need not.

        Neighbours of one size (replace) stay at the example's, which a mechanism may know.
        """
        if not isinstance(self.generator, OfExample) or self.generator.on_records.keeps_size:
            return self
        sizes = (0, 1, 2)
        good = [size for size in sizes if self._returns(subject, self.generator.smallest(size), stream("small", size))]
        found = replace(self.generator, small=tuple(size for size in (0, 1) if {size, size + 1} <= {*good}))
        bad = " or ".join(str(size) for size in sizes if size not in good)
        more = (f"no data set has {bad} records: the mechanism raises on these",) if bad else ()
        return replace(self, generator=found, assumed=(*found.words(), *more))

    def _returns(self, subject: CallableMechanism, data: Any, rng: np.random.Generator) -> bool:
        try:
            subject.look(data, 1, rng=rng)
        except DependentError:
            raise
        except InputError:
            return False
        return True

    @property
    def relation(self) -> str:
        """The relation's name."""
        return self.generator.relation

    def own_code(self) -> tuple[Any, ...]:
        """The code of a plug-in's relation; after a change of it nothing that was kept is used again."""
        name = self.relation.partition(" by ")[0]
        found = on_records().get(name)
        return () if found is None or name in PRICED else (found.change_one,)

    def shows_records(self, label: str) -> bool:
        """Tell whether the pair of this label was made of the user's own records."""
        return isinstance(self.generator, OfExample) and self.generator.shows_records(label)

    def tells_beyond(self, label: str) -> bool:
        """Tell whether the pair of this label lies outside of what the example shows."""
        return self.beyond is not None and self.beyond.has(label)


def of_pair(d0: Any, d1: Any, *, relation: str | None, known: Registry) -> Neighbourhood:
    """One pair, under the relation that is named or can be read off it.

    InputError for data sets that are the same, or are no neighbours.
    """
    if plain_dataset(d0) == plain_dataset(d1):
        raise InputError("d0 and d1 are the same", allowed="two different neighbours", remedy="change one record")
    found = relation or infer_relation(d0, d1)
    if found is None:
        relations = dict.fromkeys(each.relation for _, each in known.neighbors.items())
        raise InputError(
            f"d0 and d1 are not neighbours under any relation that can be read off a pair: {not_neighbours(d0, d1)}",
            allowed="one record more or less (add-remove), or one record replaced (replace)",
            remedy=f"name the relation with --relation: {', '.join(relations)}",
        )
    reason = known.neighbors.get(found).check(d0, d1)
    if reason is not None:
        raise InputError(
            f"d0 and d1 are not neighbours under {found}: {reason}",
            allowed="a neighbouring pair",
            remedy="correct the pair, or name another relation",
        )
    pair = FixedPair(d0=d0, d1=d1, relation=found)
    return Neighbourhood(generator=pair, plain=(Pair(d0=d0, d1=d1),), inferred=relation is None)


def of_example(
    data: Any, *, relation: str | None, records: Any, bounds: Bounds | str | None, unit: str | None
) -> Neighbourhood:
    """Pairs made from one example; what is read off it is said in `assumed`.

    InputError for an example whose records cannot be read, and one of which no two different neighbours can be made.
    """
    generator = neighbours_of(data, relation=relation, records=records, bounds=bounds, unit=unit)
    pairs = generator.candidates(SearchSpace(), limit=TRIED, rng=stream(0, "first pair"))
    if not pairs:
        raise InputError(
            f"no two different neighbours under {generator.relation}: a record is {generator.record.text()}",
            allowed="records that can differ",
            remedy="give an example with different records, or their bounds: bounds=(0, 1) (--bounds 0:1)",
        )
    return Neighbourhood(
        generator=generator,
        plain=tuple(pairs),
        inferred=relation is None,
        assumed=generator.words(),
        beyond=BeyondExample.of(generator),
    )
