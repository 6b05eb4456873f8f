"""ADP-SGD's price of then: the column .29 is the noise of equation (6) at 16 x 0.8 = 12.8."""

from __future__ import annotations

import numpy as np
import pytest

from reference_impls.calibration.fixed_size_batches import FOOTNOTE, called
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.papers.accounting.lemmas.table_adpsgd import PRINTED

WHERE = {"delta": 1e-5, "relation": "replace", "rows": 50000}


def test_the_footnote_is_printed_once():
    assert FOOTNOTE == PRINTED


@pytest.mark.parametrize(("budget", "printed"), FOOTNOTE.items())
@pytest.mark.parametrize("alpha", ["one", "sqrt-b"])
def test_a_column_is_what_the_authors_ran(budget, printed, alpha):
    trainer = AdpSgd(batch_size=256, alpha=alpha)
    found = trainer.calibrated(epsilon=printed, accounted="then", **WHERE)
    own = AdpSgd(batch_size=256, alpha=alpha, epsilon=16 * budget, delta=1e-5).noise_scale(50000)
    assert found.algorithm.sigma == pytest.approx(own, rel=5e-3)
    assert found.algorithm.guarantee(50000).epsilon <= 16 * budget  # never less noise than theirs
    assert found.epsilon <= printed


def test_between_and_beyond_the_columns():
    budgets = np.geomspace(0.05, 100, 60)
    assert (np.diff([called(each) for each in budgets]) > 0).all()
    assert called(0.4) == pytest.approx(0.145)
    assert called(12.8) == pytest.approx(6.48)
