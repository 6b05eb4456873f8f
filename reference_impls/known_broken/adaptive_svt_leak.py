"""The adaptive sparse vector technique that releases the noisy query of its far branch (badadaptivesparsevector).

Wrong line: in the far branch q + noise goes out; the sound technique (`mechanisms/adaptive_svt.py`) releases
the gap to the noisy threshold. The value bounds the threshold from above, and the "below" answers before it
stop hiding behind it. Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5. True epsilon: infinite
as the number of queries grows: in the bin of the lowest values of the far branch each "below" adds 3/8 epsilon / N and
the value epsilon / (8 N) (`epsilon_at_least`), three and a half times the claim at the benchmark's ten queries. Where
all queries move up by one, outputs that break the claim come less than once in a thousand million runs; the exact law
of the first hit proves it nevertheless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dpverify.core.registry import Registry
from reference_impls.mechanisms.adaptive_svt import AdaptiveSvt
from reference_impls.mechanisms.sparse_vector_claims import add_svt_claim


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSvtLeak(AdaptiveSvt):
    """Subject ``bad-adaptive-sparse-vector``. Data sets and outputs as the sound technique's."""

    leak: ClassVar[bool] = True


def epsilon_at_least(epsilon: float, cutoff: int, queries: int) -> float:
    """(3 m - 2) epsilon / (8 N): a value that low puts all that was compared, in both branches, in the lower tails."""
    return (3 * queries - 2) * epsilon / (8.0 * cutoff)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-adaptive-sparse-vector", AdaptiveSvtLeak)
    add_svt_claim(
        registry,
        "bad-adaptive-sparse-vector",
        "broken",
        source=("CheckDP", "badadaptivesparsevector"),
        statement="The adaptive sparse vector technique that releases q + noise is epsilon-DP.",
        suites=("core",),
    )
