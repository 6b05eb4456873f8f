"""What the ledger says of a paper's sentences: rows, remarks, objections and figures, which decide nothing.

A row holds one sentence of a paper, in our words, and the claims that decide it; never a verdict and never an
expectation. A remark says where a proof or pseudo-code breaks, what that means for users, what to do instead; it is
shown only beside a verdict that evidence gave, together with the numbers of its own computation, and only while these
show what the prose says. An objection is what the authors of a refuted claim would say: at whose numbers it was shown,
and what is left; reports order the refuted claims by it, and none of them stands in a headline without one. A figure
has curves, as numbers, computed where the algorithm is; not to be confused with the trade-off picture that every
privacy audit carries in its record. Auditors see none of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import OpenUnit

Kind = Literal["claimed", "found", "dots", "bound"]
"""What a curve is: what the paper claims, what is true (or was measured), single points, or a bound that holds."""


Loses = Literal["privacy", "sensitivity", "remark"]
LOSSES: tuple[Loses, ...] = ("privacy", "sensitivity", "remark")
"""What a user of the algorithm loses, the most first: the order of the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The numbers and words that a remark's computation gave.

    Attributes
    ----------
    numbers : tuple of (label, number)
        In the order to be read: what the broken line says, what is true instead.
    holds : bool
        Whether the numbers show what the remark says. Computed from them, never typed.
    """

    numbers: tuple[tuple[str, float], ...]
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(Checked):
    """A remark beside one claim of the ledger.

    Attributes
    ----------
    claim : str
        Id of the claim, with its reading (``BL-SVT-GAUSS-RDP.c``).
    breaks : str
        The line of the proof or of the pseudo-code that breaks, and how; for a claim that stands, what it rests on.
    means : str
        What it means for somebody who implemented the paper, in one or two sentences.
    instead : str
        What to do instead.
    shown : callable
        Computes the numbers behind `breaks`; deterministic, at most a second or so.

    Raises
    ------
    InputError
        For an empty text.
    """

    claim: str
    breaks: str
    means: str
    instead: str
    shown: Callable[[], Shown]

    def validate(self) -> None:
        """Check that every text is filled in."""
        for name in ("claim", "breaks", "means", "instead"):
            if not getattr(self, name).strip():
                raise InputError(f"a remark without {name!r}", allowed="a sentence", remedy="say it, or leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Checked):
    """One curve: points by increasing x; those that are not finite are left out (and break a line).

    Raises
    ------
    InputError
        For a curve without points.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    kind: Kind = "found"

    def validate(self) -> None:
        """There is something to draw."""
        if not any(math.isfinite(x) and math.isfinite(y) for x, y in self.points):
            raise InputError(f"the curve {self.label!r} without a finite point", allowed="one at least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Checked):
    """One picture beside some claims.

    Attributes
    ----------
    title : str
        What it shows, in a line.
    claims : tuple of str
        Ids of the rows that it stands beside; the first says on which paper's page.
    x, y : str
        What the axes are, with units.
    curves : callable
        Computes them; deterministic, a few seconds at most.
    note : str
        What to see in it, and what it was computed from, in a sentence or two.
    log_x, log_y : bool
        Logarithmic axes.
    level : float or None
        A horizontal line, such as 1 where ratios of what is found to what is claimed are drawn.
    """

    title: str
    claims: tuple[str, ...]
    x: str
    y: str
    curves: Callable[[], tuple[Curve, ...]]
    note: str
    log_x: bool = False
    log_y: bool = False
    level: float | None = None

    def validate(self) -> None:
        """It stands beside a claim."""
        if not self.claims:
            raise InputError(f"the figure {self.title!r} beside no claim", allowed="ids of claims")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper whose claims the ledger decides."""

    name: str
    """The short name that claims and the command line use."""
    title: str
    """Authors, year and title."""
    place: int
    """Papers are shown by increasing place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One sentence of a paper, with the place where it stands."""

    id: str
    paper: str
    locus: str
    relation: str
    says: str
    """`id`, `paper`, `locus`, `relation`, `says`: `says` is the paper's sentence in our words; `relation` is in the
    paper's words."""
    claims: tuple[str, ...] = ()
    """Ids of the claims that decide it, in the order to be shown: the sentence itself, its variants, its repairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed(Checked):
    """A number that the paper prints or uses, such as ``n = 48,842``, and where it is printed."""

    what: str
    where: str

    def validate(self) -> None:
        """Check that both are filled in."""
        if not (self.what.strip() and self.where.strip()):
            raise InputError(
                f"a printed number {self.what!r} at {self.where!r}", allowed="the number and the place that prints it"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Epsilon as claimed and as found, at the paper's delta, and how it was computed."""

    claimed: float
    found: float
    """`claimed`, `found`: nats."""
    how: str
    """The computation, with its side, such as ``by Lemma 2.3 and Proposition 2.1, an upper bound on both sides``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection(Checked):
    """The objection to one refuted claim of the ledger.

    Raises
    ------
    InputError
        For an empty text, or numbers of nobody.
    """

    claim: str
    """Id of the claim, with its reading."""
    loses: Loses
    """What a user of the algorithm loses at those numbers."""
    says: str
    """The authors' strongest objection, as they would make it."""
    left: str
    """What is left of the claim if it is granted."""
    printed: tuple[Printed, ...] = ()
    """The paper's numbers at which the claim was shown to fail."""
    ours: str = ""
    """The numbers and conditions of ours without which it would not have failed there; empty for none."""
    scale: str = ""
    """Those of ours that only decide by how much it fails."""
    excluded: str = ""
    """Where the paper's own text excludes the reading; such a row is no headline. Empty where it does not."""
    factor: str = ""
    """How the factor is to be read, with ``{factor}`` for it or ``{value}`` for the value found; empty for the factor
    alone."""
    beside: tuple[str, ...] = ()
    """Ids of claims that must be named beside it."""
    delta: OpenUnit | None = None
    """The paper's delta, at which Renyi divergences are converted."""
    law: Literal["", "gaussian"] = ""
    """Whether the refuting pair's law is a shifted Gaussian, so that its epsilon is exact."""
    epsilon: Callable[[], Prices] | None = None
    """Computes the epsilons where the record's own measure does not give them."""
    no_epsilon: str = ""
    """Why there is none."""

    def called(self) -> str:
        """A message calls it ``objection to ID``."""
        return f"objection to {self.claim}"

    def validate(self) -> None:
        """Check that every text is filled in, and every number is attributed to the paper or to us."""
        for name in ("says", "left"):
            if not getattr(self, name).strip():
                raise InputError(f"an objection to {self.claim} without {name!r}", allowed="a sentence")
        if not (self.printed or self.ours.strip()):
            raise InputError(
                f"an objection to {self.claim} without numbers",
                allowed="`printed`, the paper's with their places, or `ours`",
            )
        if self.factor and self.factor.count("{factor}") + self.factor.count("{value}") != 1:
            raise InputError(f"factor = {self.factor!r} of {self.claim}", allowed="words with {factor} or {value} once")

    @property
    def by_the_paper(self) -> bool:
        """Tell whether the claim fails at numbers of the paper alone."""
        return bool(self.printed) and not self.ours
