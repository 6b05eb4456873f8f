"""What the authors of a refuted claim would say: at whose numbers it was shown, their objection, what is left.

Prose and places in a paper, so it decides nothing: auditors never see one. Reports order the refuted claims by it, and
none of them stands in a headline without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import OpenUnit

Loses = Literal["privacy", "sensitivity", "remark"]
LOSSES: tuple[Loses, ...] = ("privacy", "sensitivity", "remark")
"""What a user of the algorithm loses, the most first: the order of the rows."""


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
    """Epsilon as claimed and as found, at the paper's delta, and how it was computed.

    Attributes
    ----------
    claimed, found : float
        Nats.
    how : str
        The computation, with its side, such as ``by Lemma 2.3 and Proposition 2.1, an upper bound on both sides``.
    """

    claimed: float
    found: float
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection(Checked):
    """The objection to one refuted claim of the ledger.

    Attributes
    ----------
    claim : str
        Id of the claim, with its reading.
    loses : "privacy", "sensitivity" or "remark"
        What a user of the algorithm loses at those numbers.
    says : str
        The authors' strongest objection, as they would make it.
    left : str
        What is left of the claim if it is granted.
    printed : tuple of Printed
        The paper's numbers at which the claim was shown to fail.
    ours : str
        The numbers and conditions of ours without which it would not have failed there; empty for none.
    scale : str
        Those of ours that only decide by how much it fails.
    excluded : str
        Where the paper's own text excludes the reading; such a row is no headline. Empty where it does not.
    factor : str
        How the factor is to be read, with ``{factor}`` for it or ``{value}`` for the value found; empty for the factor
        alone.
    beside : tuple of str
        Ids of claims that must be named beside it.
    delta : float or None
        The paper's delta, at which Renyi divergences are converted.
    law : "gaussian" or ""
        Whether the refuting pair's law is a shifted Gaussian, so that its epsilon is exact.
    epsilon : callable or None
        Computes the epsilons where the record's own measure does not give them.
    no_epsilon : str
        Why there is none.

    Raises
    ------
    InputError
        For an empty text, or numbers of nobody.
    """

    claim: str
    loses: Loses
    says: str
    left: str
    printed: tuple[Printed, ...] = ()
    ours: str = ""
    scale: str = ""
    excluded: str = ""
    factor: str = ""
    beside: tuple[str, ...] = ()
    delta: OpenUnit | None = None
    law: Literal["", "gaussian"] = ""
    epsilon: Callable[[], Prices] | None = None
    no_epsilon: str = ""

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
