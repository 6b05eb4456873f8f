"""Noisy prefix sums, claimed at epsilon although every entry may move (PrefixSum of DP-Sniper's benchmark).

Wrong line: none in the code; the scale 1 / epsilon pays for one moving entry, and the claim is made for all of
them. Source: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper" (S&P 2021). True epsilon: m epsilon for m entries
(`true_epsilon`), because the sums give the m noisy entries away. Tools that look at sums find a third to a half
of it.
"""

from __future__ import annotations

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.prefix_sum import PrefixSum


def true_epsilon(epsilon: float, entries: int) -> float:
    """m epsilon for m entries."""
    return entries * epsilon


def register(registry: Registry) -> None:
    """Register the sound mechanism under the wrong claim."""
    registry.known_broken.add("prefix-sum-all-queries", PrefixSum)
    claim = Claim(
        id="prefix-sum-all-queries",
        guarantee=PureDP(epsilon=0.1),
        relation="all-queries",
        subject="prefix-sum-all-queries",
        parameters={"epsilon": 0.1},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="field's standard benchmark", locus="PrefixSum"),
        statement="Prefix sums of noisy entries are epsilon-DP when every entry moves by one.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=("core", "standard")))
