"""A suite entry: a claim to audit and what its author expects. Only the closing comparison reads the latter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpverify.core.claim import Claim

Expectation = Literal["stands", "broken"]
Profile = Literal["quick", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEntry:
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
    """

    claim: Claim
    expectation: Expectation | None = None
    suites: tuple[str, ...] = ("core",)
    profile: Profile = "quick"
