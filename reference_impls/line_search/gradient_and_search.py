"""A gradient and a search on one sample, charged together: what the network variant of DP-BLSGD does in an iteration.

The sum of both costs is sound: the gradient is Gaussian, (order, order rho)-RDP; the search costs what is proved of
NoisyBTLS on losses in [0, C_obj], which for the Gaussian version depends on max_it (Theorem 3's order rho_BT is the
ledger's BL-SVT-GAUSS-RDP); and adaptive composition lets the search use the released gradient. Since the two are
amplified together for their one Poisson sample, they need no separate samples (BL-AMP-SHARED).

Side of the error: never below the true cost. Neighbours: one record added to or removed from the sample. Not to be
confused with the two steps amplified one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.core.subjects import Float
from reference_impls.line_search.step_costs import SearchStep


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientAndSearch:
    """The gradient and the search of one iteration, as one step for accountants.

    Attributes
    ----------
    gradient : GaussianStep
        The gradient, in units of C_grad.
    search : NoisyBtlsLaplaceStep or NoisyBtlsGaussianStep
        The search, in units of C_obj.
    """

    gradient: GaussianStep
    search: SearchStep

    @property
    def relation(self) -> str:
        """The relation of the search: add-remove."""
        return self.search.relation

    def text(self) -> str:
        """Such as ``gaussian(sigma=1, sensitivity=1) then noisy-btls-gaussian(...)``."""
        return f"{self.gradient.text()} then {self.search.text()}"

    def renyi(self, orders: Float) -> Float:
        """The sum of both bounds at each order, nats; shape of `orders`."""
        return np.asarray(self.gradient.renyi(orders) + self.search.renyi(orders))
