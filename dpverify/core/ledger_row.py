"""A row of the ledger: one sentence of a paper that is to be decided, and the claims that decide it.

A row holds id, paper, locus, relation and the sentence in our words; never a verdict and never an expectation.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper whose claims the ledger decides.

    Attributes
    ----------
    name : str
        The short name that claims and the command line use.
    title : str
        Authors, year and title.
    place : int
        Papers are shown by increasing place.
    """

    name: str
    title: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One sentence of a paper, with the place where it stands.

    Attributes
    ----------
    id, paper, locus, relation, says : str
        `says` is the paper's sentence in our words; `relation` is in the paper's words.
    claims : tuple of str
        Ids of the claims that decide it, in the order to be shown: the sentence itself, its variants, its repairs.
    """

    id: str
    paper: str
    locus: str
    relation: str
    says: str
    claims: tuple[str, ...] = ()
