"""The ledger's committed records, without looking whether code has changed since: that takes a quarter of a minute."""

from __future__ import annotations

from typing import Any

from dpverify.core.plugins import registry
from dpverify.ledger.committed_records import read_record
from dpverify.ledger.rows import objection_record


def committed() -> list[dict[str, Any]]:
    """The records of all readings that have one, in the order of their claims; not of statements about figures."""
    return [item for item in _records() if item["subject"] not in registry().experiments]


def statements() -> list[dict[str, Any]]:
    """The records of what the papers say about figures and tables."""
    return [item for item in _records() if item["subject"] in registry().experiments]


def _records() -> list[dict[str, Any]]:
    claims = [single.id for claim in registry().claims.in_order() for single in claim.single()]
    found = (read_record(claim_id) for claim_id in claims)
    return [item for item in found if item is not None]


def rows_by_claim() -> dict[str, str]:
    """The ledger's row that each reading of a claim decides."""
    known = registry()
    return {
        single.id: row.id
        for row in known.rows.in_order()
        for name in row.claims
        for single in known.claims.get(name).single()
    }


def placed() -> list[dict[str, Any]]:
    """The committed records of claims with their places and objections, as pages are made of them."""
    known, rows = registry(), rows_by_claim()
    return [
        item
        | {
            "ledger": {
                "paper": known.rows.get(rows[item["id"]]).paper,
                "row": rows[item["id"]],
                "stale": "",
                "replayed": "",
                "objection": objection_record(known, item["id"], item["verdict"]),
            }
        }
        for item in committed()
    ]
