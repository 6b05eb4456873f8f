"""The numerical sparse vector technique: answers with each "above" a value with *fresh* noise.

Wang, Ding, Wang, Kifer, Zhang, "Proving Differential Privacy with Shadow Execution" (PLDI 2019); CheckDP's
numsparsevector: rho = Lap(3 / epsilon), nu = Lap(6 c / epsilon), released q + Lap(3 c / epsilon), stop after c.
A third of epsilon each for the threshold, the comparisons and the values: epsilon-DP.

No noise deficit is registered: in the benchmark's range no pair is known to come within a tenth of epsilon, and
there is no exact law here to show that one does. Not to be confused with releasing the value that was compared
(`known_broken/svt3.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.sparse_vector import Recipe, SparseVector


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericalSvt(SparseVector):
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
    """Register the mechanism and its benchmark claim."""
    registry.mechanisms.add("numerical-svt", NumericalSvt)
    claim = Claim(
        id="numerical-svt",
        guarantee=PureDP(epsilon=0.1),
        relation="all-queries",
        subject="numerical-svt",
        parameters={"epsilon": 0.1, "threshold": 1.0, "cutoff": 2},
        space=SearchSpace(size=10, low=-10.0, high=10.0),
        source=Source(paper="field's standard benchmark", locus="NumericalSVT"),
        statement="The numerical sparse vector technique is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="stands", suites=("core", "standard")))
