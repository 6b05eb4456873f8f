"""Suites: claims to audit and what their authors expect, and how a suite wants to be run.

Only the closing comparison reads an expectation, and only reports read what others have published.

A sound mechanism with 90 % of its noise: the smallest fault that the suites ask auditors to find.

The fault is the noise scale: ``scale * 0.9`` stands for a wrong constant, a sensitivity that is a tenth too small, or a
rounding of the scale. Every mechanism here has the field `noise_multiplier` for it, and an entry of a suite says with
`noise_deficit` what is expected then: ``broken`` where the claim is exact at the boundary in its own search space,
``stands`` where it has so much slack that no pair comes near it. The true epsilon of a pure claim met with equality is
epsilon / 0.9 = 1.11 epsilon.

Source: the mutation suite of Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson, "Differentially Private
SQL with Bounded User Contribution" (PoPETs 2020, section 5.3), which sweeps the ratio of implemented to
advertised noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from dpverify.core.claim import Claim
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import OpenUnit

Expectation = Literal["stands", "broken"]
Profile = Literal["quick", "full"]

DEFAULT_CONFIDENCE = 0.999


MULTIPLIER = 0.9
SUFFIX = f"-noise-{MULTIPLIER:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEntry(Checked):
    """One line of an audit suite.

    Attributes
    ----------
    claim : Claim
        What is audited.
    expectation : "stands", "broken" or None
        Never shown to an auditor; None for ledger claims, whose verdicts nobody expects.
    suites : tuple of str
        ``core``, ``standard``, ``papers`` ...
    profile : "quick" or "full"
        Entries of the full profile are left out of quick runs.
    noise_deficit : "stands", "broken" or None
        What is expected of the claim where the subject has 90 % of its noise; None adds no such entry.
    """

    claim: Claim
    expectation: Expectation | None = None
    suites: tuple[str, ...] = ("core",)
    profile: Profile = "quick"
    noise_deficit: Expectation | None = None

    def validate(self) -> None:
        """Suites have names; an audit of its own stands in none."""
        if not all(isinstance(name, str) and name.strip() for name in self.suites):
            raise InputError(f"suites = {self.suites!r} of {self.claim.id}", allowed="names of suites")

    def called(self) -> str:
        """A message calls it by its claim's id."""
        return self.claim.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The result that others found for a claim: the best published lower bound that is not above the truth.

    Attributes
    ----------
    truth : float or None
        The true value (it may be inf, or an upper limit of it); None where it is not known.
    bound : float
        The lower bound, at the suite's confidence.
    tool : str
        Whose.
    seconds : float
        What it took there.
    target : float or None
        A higher bound that is asked of this project; None for the published one.
    """

    truth: float | None
    bound: float
    tool: str
    seconds: float
    target: float | None = None

    @property
    def due(self) -> float:
        """The bound that meets the target."""
        return self.bound if self.target is None else self.target


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(Checked):
    """The settings of a suite where the caller does not say otherwise. One that nobody registered has the defaults.

    Attributes
    ----------
    name : str
        Its name on the command line.
    about : str
        One line on what it is.
    profile : str
        The budget.
    methods : tuple of str or None
        The auditors; None for all that need not be asked for.
    trials : int or None
        Draws a side; None for the budget's.
    confidence : float
        One-sided.
    per_row : bool
        True where the confidence is that of each row (as in a table of other people's bounds), False for the whole run.
    published : mapping of claim id to Published
        What its rows are held against in reports. No auditor sees it.
    """

    name: str
    about: str = ""
    profile: str = "quick"
    methods: tuple[str, ...] | None = None
    trials: int | None = None
    confidence: OpenUnit = DEFAULT_CONFIDENCE
    per_row: bool = False
    published: Mapping[str, Published] = field(default_factory=dict)

    def called(self) -> str:
        """A message calls it ``suite 'standard'``."""
        return f"suite {self.name!r}"


def with_deficit(entry: SuiteEntry) -> SuiteEntry:
    """The entry for the same claim about ``<subject>-noise-0.9`` (core suite, full profile)."""
    claim = entry.claim
    weakened = replace(
        claim,
        id=claim.id + SUFFIX,
        subject=claim.subject + SUFFIX,
        statement=f"{claim.statement} [with {MULTIPLIER:.0%} of the noise]",
    )
    return SuiteEntry(claim=weakened, expectation=entry.noise_deficit, suites=("core",), profile="full")
