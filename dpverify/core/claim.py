"""A claim: a guarantee about a subject under a neighbour relation, with its source, its readings and its search space.

A claim carries no expected verdict: auditors see it whole, and none may read an expectation from it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count, Finite
from dpverify.core.subjects import Guarantee, Scalable


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The place where a claim was made: a paper's short name (or a package, a standard benchmark), and where in it."""

    paper: str
    locus: str

    def text(self) -> str:
        """Paper and place, such as ``BLSGD Thm 3``."""
        return f"{self.paper} {self.locus}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSpace(Checked):
    """The data sets (and the parameters of the subject) that an auditor may try.

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
    sizes : tuple of int
        Data set sizes that the claim is for and that are searched in turn, strictly increasing; empty when `size` is
        the only one. `size` stays the one that goes with the claim's own parameters.
    proportional : str
        The searched parameter that every claimed number is proportional to (a theorem that promises ``order * rho``
        at any rho); empty when the claimed numbers stay as they are.
    unit : str
        A property of the subject (the scale of its noise, say) that `low` and `high` are multiples of, whatever the
        parameters; empty for 1.
    """

    size: Count = 1
    low: Finite = -1.0
    high: Finite = 1.0
    data: str | None = None
    generator: str | None = None
    parameters: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    proportional: str = ""
    unit: str = ""

    def called(self) -> str:
        """A message calls it ``search space``."""
        return "search space"

    def validate(self) -> None:
        """Ranges have their ends in order, and a number that all is proportional to is searched above 0."""
        if any(size < 1 for size in self.sizes) or any(after <= before for before, after in pairwise(self.sizes)):
            raise InputError(f"search sizes {self.sizes}", allowed="strictly increasing integers >= 1")
        if self.low > self.high:
            raise InputError(f"search range [{self.low}, {self.high}]", allowed="low <= high")
        for name, (low, high) in self.parameters.items():
            if not low <= high:
                raise InputError(f"parameter box {name} = [{low}, {high}]", allowed="low <= high")
        if self.proportional and not self.parameters.get(self.proportional, (0.0, 0.0))[0] > 0:
            raise InputError(
                f"claimed numbers proportional to {self.proportional!r}",
                allowed="a searched parameter whose box lies above 0",
                remedy="give its box in `parameters`",
            )

    @property
    def demands(self) -> frozenset[str]:
        """The fields, beyond one box at one size, without which an auditor would look at another claim."""
        return frozenset(name for name in ("sizes", "proportional", "unit") if getattr(self, name))

    def at(self, size: int) -> SearchSpace:
        """The part of the space that has this size."""
        return dataclasses.replace(self, size=size, sizes=())

    def scaled(self, subject: object) -> SearchSpace:
        """The space for this subject, its range in the subject's own units."""
        if not self.unit:
            return self
        unit = float(getattr(subject, self.unit))
        return dataclasses.replace(self, low=self.low * unit, high=self.high * unit, unit="")

    def stated(self) -> SearchSpace:
        """The part at the claim's own parameters and size."""
        return dataclasses.replace(self, parameters={}, sizes=(), proportional="")

    def record(self) -> dict[str, Any]:
        """Plain JSON values: the fields that are not at their defaults."""
        given = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        plain = SearchSpace()
        kept = {name: value for name, value in given.items() if value != getattr(plain, name)}
        return {name: _plain(value) for name, value in kept.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


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
class Claim(Checked):
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
    streams : str
        The name that the claim's random streams go by, where the id (or the subject in it) has been renamed since its
        records were made: what was drawn stays what it was. Empty for the id.
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
    streams: str = ""

    def validate(self) -> None:
        """An id in one word, distinct readings, and numbers that can be proportional where they are said to be."""
        if not self.id or any(character.isspace() for character in self.id):
            raise InputError(f"claim id {self.id!r}", allowed="a non-empty word without blanks")
        keys = [reading.key for reading in self.readings]
        if len(set(keys)) != len(keys):
            raise InputError(f"readings {keys} of {self.id}", allowed="distinct keys")
        name = self.space.proportional
        if name and not self.readings:
            base = self.parameters.get(name)
            if not (isinstance(base, int | float) and math.isfinite(base) and base > 0):
                raise InputError(
                    f"{self.id}: claimed numbers proportional to {name} = {base}",
                    allowed="a finite number > 0 among the claim's own parameters",
                )
            if not isinstance(self.guarantee, Scalable):
                raise InputError(
                    f"{self.id}: {self.guarantee.text()} cannot be proportional to {name}",
                    allowed="a guarantee that can be scaled, such as PureDP or RDP",
                )

    @property
    def stream_name(self) -> str:
        """The claim's random streams have this name."""
        return self.streams or self.id

    def guarantee_at(self, parameters: Mapping[str, Any]) -> Guarantee:
        """Return the promise at these values of the searched parameters: the guarantee itself, or a multiple."""
        name = self.space.proportional
        if not name or name not in parameters or not isinstance(self.guarantee, Scalable):
            return self.guarantee
        factor = float(parameters[name]) / float(self.parameters[name])
        return self.guarantee if factor == 1.0 else self.guarantee.scaled(factor)

    def single(self) -> tuple[Claim, ...]:
        """One claim for each reading (or the claim itself), each with a verdict of its own."""
        if not self.readings:
            return (self,)
        return tuple(
            dataclasses.replace(
                self,
                id=f"{self.id}.{reading.key}",
                streams=f"{self.streams}.{reading.key}" if self.streams else "",
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
