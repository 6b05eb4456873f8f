"""The claim that all sparse-vector variants are measured by: 0.1-DP for ten queries that may all move by one.

What differs between variants are their recipes (:mod:`~reference_impls.mechanisms.sparse_vector`) and what is known of
the claim; each has a file of its own that says where it comes from, and which line of it is wrong.
"""

from __future__ import annotations

from typing import Any

from dpverify.core.registry import Registry
from dpverify.core.suite import Expectation
from reference_impls.mechanisms.mechanism_claims import STANDARD, add_pure_claim

LYU = "Lyu, Su, Li 2017"
"""The paper whose Algorithms 1 to 6 are the variants."""


def add_svt_claim(
    registry: Registry,
    name: str,
    expectation: Expectation,
    *,
    threshold: float = 1.0,
    cutoff: int = 1,
    suites: tuple[str, ...] = STANDARD,
    **given: Any,
) -> None:
    """Register the claim `name` about a variant with this public threshold and cutoff.

    `given` is all else that :func:`~reference_impls.mechanisms.mechanism_claims.add_claim` takes: source, statement ...
    """
    parameters = {"threshold": threshold, "cutoff": cutoff}
    add_pure_claim(
        registry, name, expectation, relation="all-queries", size=10, parameters=parameters, suites=suites, **given
    )
