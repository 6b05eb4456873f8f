"""What calibration knows of one class of algorithms: its knob, its price, and what its paper would have said.

One file for each idea of pricing (`reference_impls/calibration/`), registered by the name of the class; subclasses
inherit it. A user's own class of algorithms may have an attribute ``family`` instead.

Sides: `priced` is a bound on what the algorithm really does, seen whole (all that its transcript releases); `attained`
is below it; `printed` is a paper's formula as it stands, and neither.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from dpverify.core.composition import Composed, Composition
from dpverify.core.relation_names import PRICED

Accounted = Literal["now", "then"]
"""By a sound accountant, or as a paper accounted."""
Cost = Composition | Composed
"""Steps for the accountants, or a closed form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The budget, and for whom.

    Attributes
    ----------
    epsilon, delta : float
        The budget; where only a price is asked for, `epsilon` is the algorithm's own or 1.
    relation : str
        ``add-remove``, ``replace``, or ``labels`` for rankings.
    rows : int
        Number of records (sessions of a ranking), public.
    """

    epsilon: float
    delta: float
    relation: str
    rows: int


class Family(ABC):
    """One way to set noise and to price it.

    Attributes
    ----------
    knob : str
        The field that is set.
    budget : bool
        False where more of the knob is more noise, True where it is a budget, of which more is less noise.
    relations : tuple of str
        Under which of them a bound is known here.
    then : str
        The paper's own accounting, in words.
    never : str
        Why there are no relations, where there are none.
    """

    knob: ClassVar[str] = "noise_multiplier"
    budget: ClassVar[bool] = False
    relations: ClassVar[tuple[str, ...]] = PRICED
    then: ClassVar[str] = ""
    never: ClassVar[str] = "no bound is known"

    def start(self, algorithm: Any, asked: Asked) -> float:
        """The search begins here: at the asked epsilon for a budget, at the algorithm's own noise where it has some."""
        own = asked.epsilon if self.budget else getattr(algorithm, self.knob)
        return float(own) if own else 1.0

    def refuses(self, algorithm: Any, asked: Asked) -> str | None:
        """Return None where a bound is known, else why not and what has one, in one line."""
        return None

    def public(self, algorithm: Any, asked: Asked) -> Any:
        """The algorithm with the public number of records in its fields: the same run on a table of so many."""
        return algorithm

    def settled(self, algorithm: Any, asked: Asked) -> Any:
        """`public`, with the fields for epsilon, delta and relation as asked; the knob is turned from here."""
        return self.public(algorithm, asked)

    def with_knob(self, algorithm: Any, value: float) -> Any:
        """The algorithm with another noise, and nothing else that a user chose."""
        return replace(algorithm, **{self.knob: value})

    @abstractmethod
    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Upper bounds on the cost of one training under the relation; each holds, and the least counts."""

    def attained(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        """Return what some neighbours attain: lower ends hold where they have one."""
        return ()

    @abstractmethod
    def printed(self, algorithm: Any, asked: Asked) -> Cost:
        """The cost by the paper's own account; no bound."""

    def by_print(self) -> Family:
        """Whose knob and `printed` the paper's own account takes, where its algorithm is not set as the sound one."""
        return self

    def accountant(self, found: str, algorithm: Any, asked: Asked) -> str:
        """Name the accountant that certified, and what its bound rests on where that is not plain."""
        return found


@dataclass(frozen=True, slots=True)
class NoPrivacy:
    """A class of algorithms that has nothing to calibrate, and why, in one line."""

    reason: str
