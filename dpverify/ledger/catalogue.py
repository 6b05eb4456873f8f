"""The catalogue: every claim of the five papers that is to be decided, whether or not it is a Claim in code yet.

A row holds id, paper, locus, relation and the claim in our words; never a verdict and never an expectation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PAPERS = ("BLSGD", "ADADP", "ADPSGD", "RSGD", "DISS")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueRow:
    """One row of the ledger as the papers give it."""

    id: str
    paper: str
    locus: str
    relation: str
    claim: str


@cache
def catalogue() -> tuple[CatalogueRow, ...]:
    """All rows, in the papers' order."""
    text = files("dpverify.ledger").joinpath("catalogue.json").read_text(encoding="utf-8")
    return tuple(CatalogueRow(**row) for row in json.loads(text))
