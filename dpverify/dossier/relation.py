"""A record's relation, taken apart: its kind, and the column whose records change together."""

from __future__ import annotations

from dpverify.datasets.neighbors.relation import on_records


def parts_of(relation: str) -> tuple[str, str]:
    """The kind, and the column of ``add-remove by user_id``: empty where records change one by one."""
    kind, _, column = relation.partition(" by ")
    return (kind, column) if kind in on_records() else (relation, "")


def unit_of(relation: str) -> str:
    """Say in words what differs between neighbours; empty where the relation is not one of records."""
    kind, column = parts_of(relation)
    if column:
        return f"all records with one {column}"
    return "one record, of whomever it is" if kind in on_records() else ""
