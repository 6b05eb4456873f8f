"""The claim that all sparse-vector variants are measured by: 0.1-DP for ten queries that may all move by one.

What differs between variants are their recipes (:mod:`~reference_impls.mechanisms.sparse_vector`) and what is known of
the claim; each has a file of its own that says where it comes from, and which line of it is wrong.
"""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.core.suite import Expectation, Profile
from reference_impls.mechanisms.pure_claims import STANDARD, add_pure_claim

LYU = "Lyu, Su, Li 2017"
"""The paper whose Algorithms 1 to 6 are the variants."""


def add_svt_claim(
    registry: Registry,
    name: str,
    expectation: Expectation,
    *,
    source: tuple[str, str],
    statement: str,
    subject: str | None = None,
    threshold: float = 1.0,
    cutoff: int = 1,
    suites: tuple[str, ...] = STANDARD,
    profile: Profile = "quick",
    noise_deficit: Expectation | None = None,
) -> None:
    """Register the claim `name` about a variant with this public threshold and cutoff.

    The other parameters are those of :func:`~reference_impls.mechanisms.pure_claims.add_pure_claim`.
    """
    add_pure_claim(
        registry,
        name,
        expectation,
        relation="all-queries",
        size=10,
        subject=subject,
        parameters={"threshold": threshold, "cutoff": cutoff},
        source=source,
        statement=statement,
        suites=suites,
        profile=profile,
        noise_deficit=noise_deficit,
    )
