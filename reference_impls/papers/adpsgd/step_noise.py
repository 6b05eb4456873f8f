"""What ADP-SGD adds to the parameter at step t, and what it has spent by then: the curves of ADPSGD, Figure 1.

Both choices of alpha have the same budget at the last step T: by (6), sigma^2 is proportional to the sum of 1 /
alpha_t^2. The noise at step t is ``eta_t alpha_t sigma Z``; the spent privacy is (6) solved for epsilon with the sum up
to t, as a share of that at T. Both are in units of DP-SGD's sigma, on which G, n, epsilon and delta have no bearing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reference_impls.optimizers.adp_sgd_schedules import alphas, polynomial


def step_noise(*, x: float, rng: np.random.Generator, alpha: Literal["sqrt-b", "one"], steps: int) -> dict[str, float]:
    """``noise``: the standard deviation of a coordinate's noise at step x of T = `steps`; ``spent``: in [0, 1].

    Parameters
    ----------
    rng
        Not used: nothing is drawn.
    alpha : str
        ``sqrt-b`` for ADP-SGD, ``one`` for DP-SGD; step sizes are 1 / b_t, b_t = sqrt(1 + t).
    """
    del rng
    b = polynomial(1.0, 1.0, steps)
    own = alphas(alpha, b)
    paid = np.cumsum(1.0 / own**2)
    at = int(x) - 1
    sigma = np.sqrt(paid[-1] / steps)
    return {"noise": float(own[at] / b[at] * sigma), "spent": float(np.sqrt(paid[at] / paid[-1]))}
