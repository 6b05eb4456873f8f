"""What accountants work on: steps, their composition, and lower and upper bounds on its privacy cost.

A *step* is one run of a mechanism on the data, described by its public numbers; a *composition* is a multiset of steps,
run one after the other, each of which may look at the outputs of those before it (adaptively chosen *queries*; budgets
chosen adaptively need a filter, not an accountant). A step says what it knows of its own cost by capabilities: a Renyi
curve, a pure or an (epsilon, delta) bound, a Gaussian mu, a privacy-loss distribution. An accountant composes those it
needs and brackets the result.

Sides: every curve of a step is an upper bound on the true divergence, over both orders of every neighbouring pair
under the step's own relation. A :class:`Bracket` says which of its ends were computed: `lower` is never above the
truth of the composition's worst case, `upper` never below it.

Not to be confused with a :class:`~dpverify.core.subjects.LawPair`, which compares two given output laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Whole
from dpverify.core.subjects import Float, LawPair

Side = Literal["upper", "lower", "bracket", "printed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket(Checked):
    """lower <= truth <= upper, as far as an accountant knows.

    Attributes
    ----------
    lower : float
        Never above the truth; 0 where the accountant gives upper bounds only.
    upper : float
        Never below the truth; +inf where it gives lower bounds only, or where nothing finite holds.
    note : str
        How the numbers came about, or why one is infinite: the order chosen, the grid, an order that overflowed.
    """

    lower: float = 0.0
    upper: float = math.inf
    note: str = ""

    def validate(self) -> None:
        """The ends are in order."""
        if not (self.lower >= 0 and self.upper >= self.lower):
            raise InputError(f"bracket [{self.lower}, {self.upper}]", allowed="0 <= lower <= upper, no nan")

    @property
    def width(self) -> float:
        """(upper - lower) / upper: 0 when exact, 1 when there is no lower end, nan when upper is not finite."""
        if self.upper == 0:
            return 0.0
        return (self.upper - self.lower) / self.upper if math.isfinite(self.upper) else math.nan


@runtime_checkable
class Step(Protocol):
    """One run of a mechanism: a frozen, hashable dataclass with public numbers; equal steps cost the same."""

    @property
    def relation(self) -> str:
        """The neighbour relation its costs hold for (``add-remove``, ``replace``, ...), or ``any``."""
        ...

    def text(self) -> str:
        """Composition files and tables write it as this text, such as ``poisson-gaussian(q=0.01, sigma=1.1)``."""
        ...


@runtime_checkable
class HasRenyi(Protocol):
    """Capability: the Renyi divergence of one run is bounded at every order."""

    def renyi(self, orders: Float) -> Float:
        """Upper bounds, in nats, on the divergence at each order > 1 (shape (k,), any real orders), both directions.

        +inf where the formula gives nothing at that order. Never nan, never negative.
        """
        ...


@runtime_checkable
class HasPure(Protocol):
    """Capability: one run satisfies pure epsilon-DP."""

    def pure_epsilon(self) -> float:
        """Finite, >= 0, never below the true epsilon."""
        ...


@runtime_checkable
class HasApprox(Protocol):
    """Capability: one (epsilon, delta) bound, as composition theorems for (epsilon, delta) take it."""

    def approx(self) -> tuple[float, float]:
        """(epsilon, delta), finite; a bound on the step."""
        ...


@runtime_checkable
class HasMu(Protocol):
    """Capability: the step's trade-off curve is that of N(0, 1) against N(mu, 1), exactly."""

    def mu(self) -> float:
        """The parameter mu >= 0 of Gaussian DP."""
        ...


@runtime_checkable
class HasLaws(Protocol):
    """Capability: a dominating pair of output laws, attained by some neighbours."""

    def laws(self) -> tuple[LawPair, ...]:
        """One exact pair for each direction that matters."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Checked):
    """A step and how often it is run."""

    step: Step
    count: Whole = 1

    def called(self) -> str:
        """A message calls it by its step."""
        return self.step.text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition(Checked):
    """A multiset of steps: equal steps are counted, not repeated, so memory is flat in the number of runs.

    Attributes
    ----------
    parts : tuple of Part
        Different steps, each with its count (> 0), in the order of first appearance.
    """

    parts: tuple[Part, ...] = ()

    def validate(self) -> None:
        """Equal steps become one part; all costs hold under one relation."""
        counts: dict[Step, int] = {}
        for part in self.parts:
            if part.count:
                counts[part.step] = counts.get(part.step, 0) + part.count
        merged = tuple(Part(step=step, count=count) for step, count in counts.items())
        object.__setattr__(self, "parts", merged)
        relations = {part.step.relation for part in merged} - {"any"}
        if len(relations) > 1:
            raise InputError(
                f"steps under the relations {', '.join(sorted(relations))} in one composition",
                allowed="steps whose costs hold under one relation",
                remedy="account for each relation on its own",
            )

    @classmethod
    def of(cls, *steps: Step) -> Composition:
        """The composition that runs each of these steps once."""
        return cls(parts=tuple(Part(step=step) for step in steps))

    @classmethod
    def repeat(cls, step: Step, count: int) -> Composition:
        """The composition that runs one step `count` times."""
        return cls(parts=(Part(step=step, count=count),))

    def then(self, other: Composition) -> Composition:
        """This composition followed by another."""
        return Composition(parts=(*self.parts, *other.parts))

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    @property
    def size(self) -> int:
        """The total number of runs."""
        return sum(part.count for part in self.parts)

    @property
    def relation(self) -> str:
        """The relation that all costs hold for; ``any`` when no step cares."""
        return next((part.step.relation for part in self.parts if part.step.relation != "any"), "any")

    def lacking(self, capability: type) -> str | None:
        """Return None when every step has the capability (a runtime-checkable protocol), else the first without."""
        for part in self.parts:
            if not isinstance(part.step, capability):
                return f"{part.step.text()} does not offer `{_method(capability)}`"
        return None


def _method(capability: type) -> str:
    names: Iterable[str] = (name for name in vars(capability) if not name.startswith("_"))
    return next(iter(names), capability.__name__)


@runtime_checkable
class Composed(Protocol):
    """The cost of a composition, by one accountant."""

    def epsilon(self, delta: float) -> Bracket:
        """Smallest epsilon >= 0 at `delta` in [0, 1); InputError otherwise."""
        ...

    def delta(self, epsilon: float) -> Bracket:
        """Smallest delta at `epsilon` >= 0 (finite); InputError otherwise."""
        ...


@runtime_checkable
class Accountant(Protocol):
    """One way of accounting.

    Attributes
    ----------
    name, version : str
        Registry name; the version changes when the numbers may.
    source : str
        Paper and locus of its theorem.
    side : str
        ``upper``, ``lower``, ``bracket``; or ``printed``: a paper's formula as it stands, whose side is for the ledger
        to decide, not to be relied on.
    """

    @property
    def name(self) -> str:
        """The registry knows it by this name."""
        ...

    @property
    def version(self) -> str:
        """Changes when the numbers may."""
        ...

    @property
    def source(self) -> str:
        """Paper and place of the theorem."""
        ...

    @property
    def side(self) -> Side:
        """Say which ends of its brackets may be relied on."""
        ...

    def refuses(self, composition: Composition) -> str | None:
        """Return None when it applies, else why not in one line."""
        ...

    def compose(self, composition: Composition) -> Composed:
        """The cost of the composition; an empty one costs nothing."""
        ...
