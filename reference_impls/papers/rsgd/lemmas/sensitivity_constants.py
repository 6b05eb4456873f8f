"""RS-TIGHTER: 2 R / (n mu), RSGD's constant for gradient descent, against Zhang et al.'s 5 R (L + mu) / (n mu L).

After Proposition 2 (DISS, after Theorem 3.1): "the above sensitivity is tighter". The quotient is
``(2 / 5) L / (L + mu)``, which rises with L / mu from 1 / 5 at L = mu to 2 / 5, so the noise is at least two and a half
times less, for every L >= mu > 0, every R and every n. That is of the constants, not of exact sensitivities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.core.rules import Between
from reference_impls.papers.rsgd.lemmas.one_feature_runs import FOLDS, L2
from reference_impls.papers.sides_in_balls import SidesInBalls

MOST = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityConstants(SidesInBalls):
    """Subject ``lemma-rsgd-tighter``: one constant over the other.

    Attributes
    ----------
    rows, lipschitz, mu, ratio : float
        n, R, mu, all > 0, and L / mu >= 1.
    """

    rows: Annotated[float, Between(1, MOST)] = FOLDS["IPUMS-US"]
    lipschitz: Annotated[float, Between(1 / MOST, MOST)] = 1.0
    mu: Annotated[float, Between(1 / MOST, MOST)] = L2
    ratio: Annotated[float, Between(1, MOST)] = (0.25 + L2) / L2

    def true_ball(self) -> flint.arb:
        """RSGD's, 2 R / (n mu)."""
        return 2 * flint.arb(self.lipschitz) / (flint.arb(self.rows) * flint.arb(self.mu))

    def printed_ball(self) -> flint.arb:
        """Zhang et al.'s, 5 R (L + mu) / (n mu L)."""
        mu = flint.arb(self.mu)
        smoothness = flint.arb(self.ratio) * mu
        return 5 * flint.arb(self.lipschitz) * (smoothness + mu) / (flint.arb(self.rows) * mu * smoothness)
