"""The truncated geometric mechanism with k = ceil(ln(2 / epsilon)), claimed at epsilon.

Wrong line: the natural logarithm, where 2^-k <= epsilon needs the binary one. Source: DP-Sniper's benchmark
(Bichsel, Steffen, Bogunovic, Vechev, S&P 2021), after Balcer and Vadhan's Algorithm 4.8. True epsilon: ln(1 +
2^-k), at epsilon = 0.1 ln(9/8) = 0.1178; at other epsilons the same code can be sound (0.5: k = 2, ln(5/4) =
0.22).
"""

from __future__ import annotations

import math

from dpverify.core.registry import Registry
from reference_impls.mechanisms.mechanism_claims import BENCHMARK, STANDARD, add_pure_claim
from reference_impls.mechanisms.truncated_geometric import TruncatedGeometric


def true_epsilon(epsilon: float) -> float:
    """The mechanism's own epsilon, ln(1 + 2^-k)."""
    return math.log1p(2.0 ** -math.ceil(math.log(2.0 / epsilon)))


def register(registry: Registry) -> None:
    """Register the mechanism under the claim that its name makes."""
    registry.known_broken.add("truncated-geometric-natural-log", TruncatedGeometric)
    add_pure_claim(
        registry,
        "truncated-geometric-natural-log",
        "broken",
        relation="one-query",
        size=1,
        low=0.0,
        high=5.0,
        parameters={"n": 5},
        source=(BENCHMARK, "TruncatedGeometric"),
        statement="The truncated geometric mechanism with k = ceil(ln(2/epsilon)) is epsilon-DP.",
        suites=STANDARD,
    )
