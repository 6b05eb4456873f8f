"""What the clipped baselines cost: the caption's epsilon, and that of twice the sensitivity."""

from __future__ import annotations

import pytest

from reference_impls.papers.accounting.lemmas.table_privbr import PRINTED
from reference_impls.papers.diss.lemmas.ranking.clip_prices import prices


def test_twice_the_sensitivity_costs_what_half_the_noise_does():
    """Sigma = 2 is captioned 0.758 after 400 iterations; at twice the sensitivity it costs what sigma = 1 does."""
    found = prices(data="MQ2007", sigma=2.0, iterations=400)
    assert found.claimed == pytest.approx(PRINTED["MQ2007"][2.0][1], abs=1e-3)
    assert found.found == pytest.approx(PRINTED["MQ2007"][1.0][1], abs=1e-3)
