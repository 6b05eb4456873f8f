"""Remarks on BL-AMP-SHARED and its repair: each shows what it says, and would say so if it did not."""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from reference_impls.papers.blsgd.lemmas.shared_sample_remarks import SHOWN, shown_members

REMARKS = [remark for name, remark in registry().remarks.items() if name.startswith("BL-AMP-SHARED")]


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark.claim)
def test_a_remarks_numbers_show_it(remark):
    assert remark.shown().holds
    assert remark.shown() == remark.shown()


def test_every_reading_and_its_repair_has_one():
    readings = {f"BL-AMP-SHARED{kind}.{key}" for kind in ("", "-R") for key in (*SHOWN, "b")}
    assert {remark.claim for remark in REMARKS} == readings


def test_at_budgets_that_pay_nothing_is_shown(monkeypatch):
    """The paper's own budgets in the place of those where the row falls: no witness, and it says so."""
    monkeypatch.setitem(SHOWN, "a-hinge", ({"loss": "hinge"}, (1e2, 1e4)))
    assert not shown_members("a-hinge").holds
