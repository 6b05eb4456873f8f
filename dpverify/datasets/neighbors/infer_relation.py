"""Which relation a user's pair of data sets can be read under, for command lines that name none.

Only the relations on records can be read off a pair; anything else (query answers, say) needs the relation's name.
"""

from __future__ import annotations

from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.subjects import Dataset
from dpverify.datasets.neighbors.add_remove import AddRemove
from dpverify.datasets.neighbors.record_columns import both, only_in


def infer_relation(d0: Dataset, d1: Dataset) -> str | None:
    """The relation that the pair can be read under; None where there is none (`not_neighbours` says why).

    ``add-remove`` when one data set is the other plus a record, ``replace`` when exactly one record of equally many
    differs. The order of the records plays no part.
    """
    if AddRemove().check(d0, d1) is None:
        return ADD_REMOVE
    records = both(d0, d1)
    if isinstance(records, str):
        return None
    first, second = records
    return REPLACE if len(first) == len(second) and len(only_in(first, second)) == 1 else None


def not_neighbours(d0: Dataset, d1: Dataset) -> str:
    """Why a pair can be read under neither relation on records, in one line."""
    records = both(d0, d1)
    if isinstance(records, str):
        return records
    first, second = records
    foreign = len(only_in(first, second)), len(only_in(second, first))
    return (
        f"of {len(first)} records of d0, {foreign[0]} are not in d1; of {len(second)} of d1, {foreign[1]} are not in d0"
    )
