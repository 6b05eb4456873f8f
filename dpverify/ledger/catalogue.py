"""The catalogue: every claim of the five papers that is to be decided, whether or not it is a Claim in code yet.

A row holds id, paper, locus, relation and the claim in our words; never a verdict and never an expectation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PAPERS = ("BLSGD", "ADADP", "ADPSGD", "RSGD", "DISS")

TITLES = {
    "BLSGD": "Chen & Lee 2020, Stochastic Adaptive Line Search for Differentially Private Optimization",
    "ADADP": "Koskela & Honkela 2020, Learning Rate Adaptation for Federated and Differentially Private Learning",
    "ADPSGD": "Adaptive Differentially Private Empirical Risk Minimization",
    "RSGD": "Chen, Lee & Kifer 2019, Renyi Differentially Private ERM for Smooth Objectives",
    "DISS": "Chen 2020, dissertation: RSGD-AR, ADMM, line search, private ranking",
}


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
