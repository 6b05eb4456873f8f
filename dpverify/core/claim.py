"""A claim: a guarantee about a subject under a neighbour relation, with its source, its readings and its search space.

A claim carries no expected verdict: auditors see it whole, and none may read an expectation from it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.protocols import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a claim was made: a paper's short name (or a package, a standard benchmark) and the place in it."""

    paper: str
    locus: str

    def text(self) -> str:
        """``BLSGD Thm 3``."""
        return f"{self.paper} {self.locus}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSpace:
    """Which data sets (and which parameters of the subject) an auditor may try.

    Attributes
    ----------
    size : int
        Number of queries, records or categories, as the relation means it.
    low, high : float
        Range of a query answer or a record's values, in the subject's own units.
    data : str or None
        Name of a registered data set that the pairs are made from.
    generator : str or None
        Registry name of the neighbour generator; None takes the one that the relation has by default.
    parameters : mapping of str to (low, high)
        Boxes of the subject's public parameters that are searched beside the data.
    """

    size: int = 1
    low: float = -1.0
    high: float = 1.0
    data: str | None = None
    generator: str | None = None
    parameters: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"search space of size {self.size}", allowed="an integer >= 1")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise InputError(f"search range [{self.low}, {self.high}]", allowed="finite low <= high")
        for name, (low, high) in self.parameters.items():
            if not low <= high:
                raise InputError(f"parameter box {name} = [{low}, {high}]", allowed="low <= high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of an ambiguous claim; each has a verdict of its own under id + '.' + key.

    What is None here stays as the claim has it.
    """

    key: str
    text: str
    guarantee: Guarantee | None = None
    relation: str | None = None
    subject: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    space: SearchSpace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A privacy (or sensitivity) claim about a subject.

    Attributes
    ----------
    id : str
        Ledger id, or subject and guarantee for suite entries.
    guarantee : Guarantee
        What is promised.
    relation : str
        Neighbour relation: ``add-remove``, ``replace``, ``labels``, ``all-queries``, ``one-query``, ``value`` ...
    subject : str
        Registry name of the mechanism.
    parameters : mapping
        Plain values with which the subject is built.
    space : SearchSpace
        Where witnesses may be looked for.
    source : Source
        Who claims it, and where.
    statement : str
        The claim in one line of our own words.
    readings : tuple of Reading
        Empty when there is nothing to read in two ways.
    """

    id: str
    guarantee: Guarantee
    relation: str
    subject: str
    source: Source
    parameters: Mapping[str, Any] = field(default_factory=dict)
    space: SearchSpace = field(default_factory=SearchSpace)
    statement: str = ""
    readings: tuple[Reading, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or any(character.isspace() for character in self.id):
            raise InputError(f"claim id {self.id!r}", allowed="a non-empty word without blanks")
        keys = [reading.key for reading in self.readings]
        if len(set(keys)) != len(keys):
            raise InputError(f"readings {keys} of {self.id}", allowed="distinct keys")

    def single(self) -> tuple[Claim, ...]:
        """One claim for each reading (or the claim itself), each with a verdict of its own."""
        if not self.readings:
            return (self,)
        return tuple(
            dataclasses.replace(
                self,
                id=f"{self.id}.{reading.key}",
                statement=f"{self.statement} [{reading.text}]",
                guarantee=reading.guarantee or self.guarantee,
                relation=reading.relation or self.relation,
                subject=reading.subject or self.subject,
                parameters={**self.parameters, **reading.parameters},
                space=reading.space or self.space,
                readings=(),
            )
            for reading in self.readings
        )
