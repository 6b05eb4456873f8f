"""The classic Gaussian calibration at an epsilon above 1, where its theorem does not reach.

Wrong line: ``sigma = sqrt(2 * log(1.25 / delta)) / epsilon`` without a check of epsilon. Source: Dwork, Roth 2014,
Theorem A.1, is for epsilon < 1; Balle, Wang 2018, section 2, show that it fails for large ones. At the stated (6, 0.01)
the true delta is 0.0067 still; but the same sigma (0.518) says (14.4, 1e-12) too, where it is nine times as much.
"""

from __future__ import annotations

import math

from dpverify.core.registry import Registry
from dpverify.definitions.level_curve import LevelCurve
from reference_impls.mechanisms.gaussian import Gaussian
from reference_impls.mechanisms.mechanism_claims import add_claim

SIGMA = math.sqrt(2.0 * math.log(1.25 / 0.01)) / 6.0


def register(registry: Registry) -> None:
    """Register the mechanism and the calibration that it breaks."""
    registry.known_broken.add("gaussian-classic-beyond-one", Gaussian)
    add_claim(
        registry,
        "gaussian-classic-beyond-one",
        "broken",
        guarantee=LevelCurve(family="gaussian-classic", epsilon=6.0, delta=0.01),
        parameters={"sigma": SIGMA},
        relation="one-query",
        size=1,
        source=("Balle, Wang 2018", "section 2; Dwork, Roth 2014, Thm A.1"),
        statement="A query of sensitivity 1 with the classic Gaussian calibration for (6, 0.01) keeps its level curve.",
    )
