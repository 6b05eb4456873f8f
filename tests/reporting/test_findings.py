"""One reading of what a search found, whichever auditor wrote it; against records made by hand and by the auditors."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records
from dpverify.reporting.findings import findings
from tests.ledger.conftest import few_planned  # noqa: F401 - a fixture

PART = {"from": 0.0, "to": 1.0, "points": 3, "failed": 1, "worst": 1.5}


def record(**statistics: Any) -> dict[str, Any]:
    return {
        "space": {"parameters": {"x": [0.0, 1.0]}},
        "verdict": "refuted",
        "measure": "epsilon",
        "bound": 1.5,
        "claimed": 1.0,
        "tightness": 1.5,
        "proved": True,
        "witness": {"parameters": {}},
        "evidence": [{"statistics": statistics}],
    }


def test_a_lemmas_and_a_laws_words_say_the_same():
    own = {"parameters": {"x": 0.5, "max_it": 9}, "ratio": 0.5}
    lemma = findings(record(own=own | {"printed": 2.0, "truth": 1.0}, worst=own, map={"x": [PART]}, evaluations=7))
    exact = findings(record(own=own | {"claimed": 2.0, "value": 1.0}, worst=own, map={"x": [PART]}, looked=7))
    assert lemma == exact
    assert (lemma.stated.value, lemma.stated.claimed, lemma.stated.parameters) == (1.0, 2.0, {"x": 0.5})
    assert lemma.looked == 7
    assert lemma.map["x"][0].failed == 1
    assert lemma.smallest is None
    assert lemma.material is False


def test_an_excess_is_one_where_the_record_says_so_or_the_ratio_is_above_one_by_more_than_rounding():
    for place, exceeded in (
        ({"ratio": 1.5}, True),
        ({"ratio": 1 + 1e-12}, False),
        ({"ratio": "inf"}, True),
        ({"ratio": 1.5, "exceeded": False}, False),
    ):
        assert findings(record(own=place, worst=place, map={})).stated.exceeded is exceeded


def test_a_record_without_a_search_was_looked_at_its_own_parameters():
    found = findings(record())
    assert (found.stated, found.material) == (found.worst, True)
    assert found.stated.ratio == 1.5
    elsewhere = record() | {"witness": {"parameters": {"x": 0.25}}}
    assert findings(elsewhere).stated is None
    assert findings(elsewhere).material is None
    assert findings(record() | {"evidence": []}).worst is None


def test_what_is_no_number_is_none():
    found = findings(record() | {"tightness": "<b>", "bound": "x"})
    assert math.isnan(found.stated.ratio)
    assert found.stated.value is None


@pytest.mark.usefixtures("few_planned")
@pytest.mark.parametrize("id", ["AM-SENS-X", "ACC-GAUSS-CLASSIC", "BL-SVT-LAP-RDP-EPS1.b"])
def test_every_auditor_that_searches_leaves_them(id):
    """Sensitivity, lemma, exact: the smallest lies between the claim and the worst, the map has what failed."""
    item = next(item for item in ledger_records(registry(), Wanted(id=id), rerun=Rerun()) if item["id"] == id)
    found = findings(item)
    assert item["verdict"] == "refuted"
    assert found.stated is not None and found.worst is not None and found.smallest is not None
    assert 1 < found.smallest.ratio <= found.worst.ratio * (1 + 1e-9)
    assert found.worst.ratio == pytest.approx(item["tightness"], rel=1e-9)
    assert 0 < found.failed <= found.looked
    for parts in found.map.values():
        assert sum(part.points for part in parts) == found.looked
        assert sum(part.failed for part in parts) == found.failed
