"""The relations that claims are made under, in words; those on records with what they do to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpverify.core.registry import Registry
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.datasets.neighbors.relation import Relation


def _removed(records: Sequence[Any], place: int, new: Any) -> list[Any]:
    return [*records[:place], *records[place + 1 :]]


def _replaced(records: Sequence[Any], place: int, new: Any) -> list[Any]:
    return [*records[:place], new, *records[place + 1 :]]


RELATIONS = (
    Relation(name=ADD_REMOVE, moved="added or removed", short="A/R", keeps_size=False, change_one=_removed),
    Relation(
        name=REPLACE,
        moved="replaced",
        words="one record is replaced by another",
        short="REP",
        change_one=_replaced,
    ),
    Relation(name="labels", words="the label of one record is replaced", short="LAB"),
    Relation(name="all-queries", words="every answer differs by at most 1", short="ALL"),
    Relation(name="one-query", words="one answer differs by at most 1", short="ONE"),
    Relation(name="value", short="VAL"),
    Relation(name="numbers", short="NUM"),
)


def register(registry: Registry) -> None:
    """Put them into the registry; generators of their pairs have files of their own."""
    for relation in RELATIONS:
        registry.relations.add(relation.name, relation)
