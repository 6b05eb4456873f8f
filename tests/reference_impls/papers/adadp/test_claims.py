"""All of ADADP's rows: repairs stand, rows that fall have remarks and repairs, and remarks hold."""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.definitions.number_bounds import Expectation
from tests.reference_impls.rows import evidence

ROWS = {name: entry for name, entry in registry().entries.items() if name.startswith("AD-")}


@pytest.mark.parametrize("name", [name for name in ROWS if "-RUN" not in name])
def test_repaired_claims_stand_and_no_claim_carries_an_expectation(name: str, examined) -> None:
    assert ROWS[name].expectation is None
    sampled = isinstance(ROWS[name].claim.guarantee, Expectation)
    found = judge(evidence(name, "mean", trials=2_000_000) if sampled else examined(name))
    if name.split(".")[0].endswith("-R"):
        assert found is Status.NOT_REFUTED
    if found is Status.REFUTED:
        assert name in registry().remarks
        assert f"{name.split('.')[0]}-R" in {other.split(".")[0] for other in ROWS}


def test_every_remark_is_about_a_claim_and_holds() -> None:
    for name, remark in registry().remarks.items():
        if not name.startswith("AD-"):
            continue
        assert name == remark.claim
        assert name in ROWS
        shown = remark.shown()
        assert shown.holds, (name, shown.numbers)
        assert shown.numbers == remark.shown().numbers
