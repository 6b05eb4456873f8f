"""The numerical sparse vector technique: answers with each "above" a value with *fresh* noise.

Wang, Ding, Wang, Kifer, Zhang, "Proving Differential Privacy with Shadow Execution" (PLDI 2019); CheckDP's
numsparsevector: rho = Lap(3 / epsilon), nu = Lap(6 c / epsilon), released q + Lap(3 c / epsilon), stop after c.
A third of epsilon each for the threshold, the comparisons and the values: epsilon-DP.

The exact law is that of the first "above" and the bin of its value. At cutoff 1 no event says more: ten queries in the
benchmark's range reach 0.0995 of 0.1, so 90 % of the noise breaks the claim (0.1106), and the deficit is registered
there. At the benchmark's cutoff 2 it is a lower bound that leaves the second "above" out: no deficit. Not to be
confused with releasing the value that was compared (`known_broken/svt3.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.registry import Registry
from reference_impls.mechanisms.mechanism_claims import BENCHMARK
from reference_impls.mechanisms.sparse_vector import Recipe, ValueVector
from reference_impls.mechanisms.sparse_vector_claims import add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericalSvt(ValueVector):
    """Subject ``numerical-svt``. Data sets: m query answers; outputs: answers and values, shape (size, 2 m)."""

    def recipe(self) -> Recipe:
        """Fresh noise for what is released."""
        return Recipe(
            threshold_scale=self.scale(3.0),
            query_scale=self.scale(6.0 * self.cutoff),
            cutoff=self.cutoff,
            release="fresh",
            fresh_scale=self.scale(3.0 * self.cutoff),
        )


def register(registry: Registry) -> None:
    """Register the mechanism, its benchmark claim, the claim at cutoff 1 and that one's noise deficit."""
    registry.mechanisms.add("numerical-svt", NumericalSvt)
    # At cutoff 2 no law comes near the claim and sampling is slow: the quick profile has the tight cutoff 1 only.
    source, statement = (BENCHMARK, "NumericalSVT"), "The numerical sparse vector technique is epsilon-DP."
    add_svt_claim(registry, "numerical-svt", "stands", cutoff=2, source=source, statement=statement, profile="full")
    add_svt_claim(
        registry,
        "numerical-svt-1",
        "stands",
        subject="numerical-svt",
        source=source,
        statement=statement,
        suites=("core",),
        noise_deficit="broken",
    )
