"""The adaptive sparse vector technique that releases the noisy query of its far branch (badadaptivesparsevector).

Wrong line: in the far branch q + noise goes out; the sound technique (`mechanisms/adaptive_svt.py`) releases
the gap to the noisy threshold. The value bounds the threshold from above, and the "below" answers before it
stop hiding behind it. Source: Wang, Ding, Kifer, Zhang, "CheckDP" (CCS 2020), section 5. True epsilon: infinite
as the number of queries grows. Few runs show it: the claim is examined at epsilon = 3 and a margin of one noise
scale, where the best event of a plain pair stands 5.8 standard deviations above it at a million trials; hence
the full profile. Answers lie around -20 there, so that a low value is not mixed up with the 0 of an absent one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.protocols import Dataset
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from reference_impls.mechanisms.adaptive_svt import AdaptiveSvt, adaptive_outputs
from reference_impls.mechanisms.calibrated import Float


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSvtLeak(AdaptiveSvt):
    """Subject ``bad-adaptive-sparse-vector``. Data sets and outputs as the sound technique's."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent outputs, shape (size, 2 m)."""
        return adaptive_outputs(self, dataset, size, leak=True, rng=rng)


def register(registry: Registry) -> None:
    """Register the mechanism and its broken claim."""
    registry.known_broken.add("bad-adaptive-sparse-vector", AdaptiveSvtLeak)
    claim = Claim(
        id="bad-adaptive-sparse-vector",
        guarantee=PureDP(epsilon=3.0),
        relation="all-queries",
        subject="bad-adaptive-sparse-vector",
        parameters={"epsilon": 3.0, "threshold": -20.5, "cutoff": 1, "margin": 1.0},
        space=SearchSpace(size=10, low=-25.0, high=-15.0),
        source=Source(paper="CheckDP", locus="badadaptivesparsevector"),
        statement="The adaptive sparse vector technique that releases q + noise is epsilon-DP.",
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="broken", suites=("core", "standard"), profile="full"))
