"""Two readings of one claim about data sets: a record is added, or a record is replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpverify.adapters.libraries.offered import Mechanism, Offered
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP

Rows = Sequence[Any]

Builds = Callable[[Any], Callable[[], Mechanism]]
"""Makes, of one release, a function that makes the mechanism."""


def pairs_of(bases: Sequence[Rows], extremes: Rows, relation: str) -> list[Pair]:
    """Neighbours of each base: with one of the extreme records more, or in the place of the first record."""
    found = []
    for place, base in enumerate(bases):
        for each in extremes:
            other = [*base, each] if relation == ADD_REMOVE else [each, *base[1:]]
            if other != list(base):
                found.append(Pair(d0=list(base), d1=other, label=f"base {place}, {relation} of {each}"))
    return found


def both_readings(
    name: str,
    once: Any,
    bases: Sequence[Rows],
    extremes: Rows,
    *,
    epsilon: float,
    words: Mapping[str, Any],
    builds: Builds,
    single: Builds | None = None,
    twin: Callable[[], Any] | None = None,
    quick: bool = True,
    fault: str = "twice the epsilon that is claimed",
    faulty: str = REPLACE,
) -> list[Offered]:
    """The claim under both relations, and a twin under one of them."""
    found = []
    for relation in (REPLACE, ADD_REMOVE):
        told = "".join(f":{key}={value}" for key, value in words.items() if not isinstance(value, list | tuple | dict))
        reading = f"{name}{told}".replace(" ", "")
        claim = Offered(
            id=f"{reading}:{relation}",
            constructor=name,
            guarantee=PureDP(epsilon=epsilon),
            source=f"epsilon = {epsilon:g}; the library names no relation",
            relation=relation,
            pairs=pairs_of(bases, extremes, relation),
            build=builds(once),
            single=None if single is None else single(once),
            parameters={key: str(value) for key, value in words.items()},
            profile="quick" if quick else "full",
            reading=reading,
        )
        found.append(claim)
        if twin is not None and relation == faulty:
            wrong = twin()
            found.append(
                replace(
                    claim,
                    id=f"{claim.id}:twin-epsilon",
                    build=builds(wrong),
                    single=None if single is None else single(wrong),
                    twin=fault,
                    reading="",
                )
            )
    return found
