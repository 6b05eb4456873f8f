"""AD-RATE: the mixture over all subsets, and others whose rate moves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.verdict import Status, judge
from reference_impls.papers.adadp.lemmas.rate_of_records import RateOfRecords


@pytest.mark.parametrize("public", [False, True])
def test_the_batch_is_the_mixture_over_all_who_may_take_part(public: bool) -> None:
    """Naively: each of 2^5 subsets of the others, the new record in or out; integrated on a fine grid."""
    sigma, records, size, order = 1.5, 5, 2, 3
    one = RateOfRecords(sigma=sigma, batch_size=size, records=records, share=0.6, order=order, public=public)
    x = np.linspace(-14.0, 12.0, 20_001)
    rates = (size / records if public else size / (records + 1), size / records)
    sides = []
    for q, new in zip(rates, (True, False), strict=True):
        density = np.zeros_like(x)
        for members in itertools.product((0, 1), repeat=records + new):
            chance = math.prod(q if each else 1 - q for each in members)
            mean = -sum(members[:3]) + (members[-1] if new else 0)
            density += chance * stats.norm.pdf(x, mean, sigma)
        sides.append(density)
    truth = math.log(integrate.trapezoid(sides[0] ** order * sides[1] ** (1 - order), x)) / (order - 1)
    assert 0.98 * truth < one.truth().value <= truth
    cells = one.cells
    assert cells[0].sum() == pytest.approx(1.0, abs=1e-12)
    assert one.proved_ratio().value == pytest.approx(one.truth().value / one.printed().value, rel=1e-4)


def test_others_whose_rate_moves_exceed_the_account_in_small_batches_only(examined) -> None:
    assert RateOfRecords(batch_size=1, share=1.0).proved_ratio().lower > 2.5
    assert RateOfRecords(share=1.0).proved_ratio().upper < 1
    assert RateOfRecords(batch_size=1, share=1.0, public=True).proved_ratio().upper < 1
    assert judge(examined("AD-RATE-R", lambda **each: RateOfRecords(**{**each, "public": False}))) is Status.REFUTED
