"""The truncated geometric mechanism with k = ceil(ln(2 / epsilon)), claimed at epsilon.

Wrong line: the natural logarithm, where 2^-k <= epsilon needs the binary one. Source: DP-Sniper's benchmark
(Bichsel, Steffen, Bogunovic, Vechev, S&P 2021), after Balcer and Vadhan's Algorithm 4.8. True epsilon: ln(1 +
2^-k), at epsilon = 0.1 ln(9/8) = 0.1178; at other epsilons the same code can be sound (0.5: k = 2, ln(5/4) =
0.22).
"""

from __future__ import annotations

import math

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.truncated_geometric import TruncatedGeometric


def true_epsilon(epsilon: float) -> float:
    """ln(1 + 2^-k)."""
    return math.log1p(2.0 ** -math.ceil(math.log(2.0 / epsilon)))


def register(registry: Registry) -> None:
    """Register the mechanism under the claim that its name makes."""
    registry.known_broken.add("truncated-geometric-natural-log", TruncatedGeometric)
    claim = Claim(
        id="truncated-geometric-natural-log",
        guarantee=PureDP(epsilon=0.1),
        relation="one-query",
        subject="truncated-geometric-natural-log",
        parameters={"epsilon": 0.1, "n": 5},
        space=SearchSpace(size=1, low=0.0, high=5.0),
        source=Source(paper="field's standard benchmark", locus="TruncatedGeometric"),
        statement="The truncated geometric mechanism with k = ceil(ln(2/epsilon)) is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=("core", "standard")))
