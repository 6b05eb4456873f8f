"""Whether a record's pair is one of its relation, as far as that can be read off plain JSON values.

Checked are the relations on records, add-remove and replace, of data sets that are lists or tables: what a generator of
that relation refuses is no pair of it. Other relations need the types of their own data sets, which a record lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpverify.core.relation_names import PRICED
from dpverify.core.subjects import NeighborGenerator

UNWRITTEN = "pairs that are not written down"
OTHER = "pairs of relations that cannot be read off plain values"


def pair_fault(record: Mapping[str, Any], neighbors: Iterable[NeighborGenerator]) -> tuple[str, str]:
    """Say what contradicts the relation, and what could not be checked; each may be empty."""
    witness, relation = record.get("witness") or {}, str(record["relation"])
    if "d0" not in witness or "d1" not in witness:
        return "", UNWRITTEN if record["evidence"] else ""
    sides = _records(witness["d0"]), _records(witness["d1"])
    of_relation = [each for each in neighbors if each.relation == relation]
    if relation not in PRICED or not of_relation:
        return "", OTHER
    if sides[0] is None or sides[1] is None:
        return "", UNWRITTEN
    said = []
    for generator in of_relation:
        try:
            reason = generator.check(*sides)
        except Exception:  # noqa: BLE001 - made for data sets of other types
            continue
        if reason is None:
            return "", ""
        said.append((generator.name == relation, reason))
    reasons = [reason for own, reason in said if own]
    return (f"the pair is no pair of {relation}: {reasons[0]}", "") if reasons else ("", OTHER)


def _records(data: Any) -> list[Any] | None:
    """The records of a list, or of a table by its columns; None of what is hidden, hashed or something else."""
    if isinstance(data, list):
        return data
    if not isinstance(data, Mapping) or not data or not all(isinstance(each, list) for each in data.values()):
        return None
    columns = list(data.values())
    if len({len(column) for column in columns}) != 1:
        return None
    return [list(row) for row in zip(*columns, strict=True)]
