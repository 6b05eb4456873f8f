"""Epsilon of section 6's DP-SGD and ADP-SGD at one epsilon_bar, by the moments accountant that footnote 3 names.

AP-SAME-BUDGET: the exact Renyi divergences of `SameBudget` at whole orders, converted by Proposition 1 at the best.
Upper bounds both; by privacy-loss distributions DP-SGD's is below 2.81 at epsilon_bar = 6.4, and ADP-SGD's above 11.3.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpverify.accounting.filters import CONSTANT
from dpverify.accounting.order_search import classic_epsilon
from dpverify.core.ledger_words import Prices
from reference_impls.papers.adpsgd.lemmas.same_budget import DELTA, SameBudget

ORDERS = range(2, 9)
"""Those that `SameBudget` takes; the best of both runs lies below its end at epsilon_bar = 6.4."""


@lru_cache
def prices(*, budget: float) -> Prices:
    """DP-SGD's as claimed, ADP-SGD's as found, at delta = 1e-5."""
    runs = [SameBudget(epsilon=CONSTANT * budget, order=float(order)) for order in ORDERS]
    orders = np.array(ORDERS, dtype=float)
    dp, adp = (
        float(classic_epsilon(orders, np.array(costs), DELTA).min())
        for costs in ([run.printed().value for run in runs], [run.truth().value for run in runs])
    )
    how = "DP-SGD's, at delta = 1e-5 by the moments accountant, an upper bound on either side"
    return Prices(claimed=dp, found=adp, how=how)
