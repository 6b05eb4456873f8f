"""What section 6's runs cost: by the moments accountant, and on which side of it privacy-loss distributions lie."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.filters import CONSTANT
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, Part
from reference_impls.optimizers.adp_sgd_schedules import polynomial
from reference_impls.papers.adpsgd.lemmas.same_budget import BATCH, DELTA, RECORDS, A, C, SameBudget
from reference_impls.papers.adpsgd.lemmas.same_budget_prices import prices


def test_dp_sgd_costs_what_the_moments_accountant_gives_in_the_table_of_footnote_3():
    """3.52 by Proposition 1, which `ACC-EPS-TABLE-ADP` has beside the print of 3.24."""
    found = prices(budget=6.4)
    assert found.claimed == pytest.approx(3.5232405503886506, rel=1e-9)
    assert found.found > 5 * found.claimed


@pytest.mark.slow
def test_adp_sgd_costs_more_by_privacy_loss_distributions_too():
    """Blocks of steps at the noise of their last one, the largest: a lower bound of the run's epsilon."""
    run = SameBudget(epsilon=CONSTANT * 6.4)
    inverse = 1.0 / polynomial(A, C, 11700)
    noise = (11700 * run.spent * inverse / inverse.sum()) ** -0.5
    q = BATCH / RECORDS
    cuts = np.unique(np.concatenate([[0], np.geomspace(1, 11700, 10).round()])).astype(int)
    parts = tuple(
        Part(step=PoissonGaussianStep(sigma=float(noise[end - 1]), q=q), count=int(end - start))
        for start, end in pairwise(cuts)
    )
    adp = compose(Composition(parts=parts)).epsilon(DELTA)
    dp = compose(Composition.repeat(PoissonGaussianStep(sigma=run.spent**-0.5, q=q), 11700)).epsilon(DELTA)
    assert adp.lower is not None
    assert dp.upper is not None
    assert dp.upper < 2.81
    assert adp.lower > 11.3
    assert adp.lower <= prices(budget=6.4).found
    assert dp.upper <= prices(budget=6.4).claimed
