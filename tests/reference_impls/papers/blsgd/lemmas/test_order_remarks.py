"""BL-FILTER and its repair: verdicts, a mutant, remarks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dpverify.core.evidence import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.papers.blsgd.lemmas.best_order import BestOrder
from reference_impls.papers.blsgd.lemmas.order_remarks import shown_best


@dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths(BestOrder):
    """The repaired row at nine tenths of its delta."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * BestOrder.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        found = BestOrder.proved_ratio(self)
        assert found is not None
        return Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


@pytest.mark.parametrize("reading", ["a", "b", "c-tight"])
def test_refuted_as_printed_and_not_as_repaired(status, reading):
    assert status(f"BL-FILTER.{reading}") is Status.REFUTED
    assert status(f"BL-FILTER.{reading}", kept="one") is Status.NOT_REFUTED
    assert status(f"BL-FILTER-R.{reading}") is Status.NOT_REFUTED


def test_proposition_one_and_the_sum_stand(status):
    assert status("BL-FILTER.c") is Status.NOT_REFUTED
    assert status("BL-FILTER-R.c-sum") is Status.NOT_REFUTED


def test_nine_tenths_of_the_repaired_delta_falls(status):
    assert status("BL-FILTER-R.c-tight", NineTenths) is Status.REFUTED


@pytest.mark.parametrize("reading", ["a", "b", "c", "c-tight"])
def test_remarks_show_what_they_say(reading):
    assert registry().remarks.get(f"BL-FILTER.{reading}").shown().holds


def test_the_sum_that_holds_by_hand():
    """Orders with a budget at delta = 1e-8: from 94 at epsilon = 0.2, from 48 at 0.4, all at 100."""
    shares = {order: (1 - 1 / order) ** (order - 1) / order for order in range(2, 501)}
    told = [value for label, value in shown_best().numbers if label.startswith("(c) proved delta")]
    sums = [sum(share for order, share in shares.items() if order >= first) for first in (94, 48, 2)]
    assert told == pytest.approx(sums, rel=1e-9)
