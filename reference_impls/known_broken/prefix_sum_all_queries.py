"""Noisy prefix sums, claimed at epsilon although every entry may move (PrefixSum of DP-Sniper's benchmark).

Wrong line: none in the code; the scale 1 / epsilon is enough for one moving entry, and the claim is made for all of
them. Source: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper" (S&P 2021). True epsilon: m epsilon for m entries
(`true_epsilon`), because the sums give the m noisy entries away. Tools that look at sums find a third to a half
of it.
"""

from __future__ import annotations

from dpverify.core.registry import Registry
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.prefix_sum import PrefixSum


def true_epsilon(epsilon: float, entries: int) -> float:
    """m epsilon for m entries."""
    return entries * epsilon


def register(registry: Registry) -> None:
    """Register the sound mechanism under the wrong claim."""
    registry.known_broken.add("prefix-sum-all-queries", PrefixSum)
    add_pure_claim(
        registry,
        "prefix-sum-all-queries",
        "broken",
        relation="all-queries",
        size=10,
        source=(BENCHMARK, "PrefixSum"),
        statement="Prefix sums of noisy entries are epsilon-DP when every entry moves by one.",
        suites=STANDARD,
    )
