"""One reading of what a search found, whichever auditor wrote it; against records made by hand and by the auditors."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records
from dpverify.reporting.findings import RangePart, bar, finding_lines, findings, ranges
from dpverify.reporting.labelled_lines import WIDTH
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


def _seen(ratio: float, **place: float) -> dict[str, Any]:
    return {"parameters": place, "printed": 1.0, "truth": ratio, "ratio": ratio}


def _row(**statistics: Any) -> dict[str, Any]:
    return {
        "parameters": {"x": 1.0, "mode": "slow", "mended": False},
        "space": {"parameters": {"x": [0.0, 10.0]}},
        "witness": None,
        "evidence": [{"statistics": statistics}],
    }


def _part(low: float, failed: int, points: int = 5) -> dict[str, Any]:
    return {"from": low, "to": low + 1, "points": points, "failed": failed, "worst": 1.0}


FAILED = (0, 3, 2, 0, 2)

LEMMA = _row(
    own=_seen(0.5, x=1.0),
    worst=_seen(2.25, x=9.0),
    smallest=_seen(1.5, x=4.0),
    evaluations=40,
    failed=7,
    map={"x": [_part(float(low), failed) for low, failed in enumerate(FAILED)]},
    described={
        "table": [{"name": "a", "value": 0.125}, {"name": "bb", "value": [1.0, 2.0]}],
        "wide": [{f"column {i}": "x" * 9 for i in range(9)}],
        "count": 14,
        "pairs": {"tight": 1.0, "flag": True},
    },
)


def _place(size: int, ratio: float, order: int, **parameters: float) -> dict[str, Any]:
    found = {"value": ratio, "claimed": 1.0, "proved": False, "exceeded": ratio > 1}
    return {"size": size, "ratio": ratio, "measure": f"renyi(order={order})", "parameters": parameters, **found}


EXACT = _row(
    own=_place(30, 0.5125, 12),
    worst=_place(5000, 1.68, 2, budget=0.0625, max_it=5000) | {"proved": True},
    smallest=_place(271, 1.001, 3, max_it=271, budget=0.02),
    best_ratio=1.6875,
    by_size=[_place(30, 0.75, 16, budget=1.25), _place(5000, 1.6875, 2, budget=0.0625, max_it=5000)],
    largest_ratio_below=0.9995,
    looked=100,
    failed=3,
    map={"budget": [_part(0.0, 3)], "size": [{**_part(30, 0), "to": 30}, {**_part(5000, 3), "to": 5000}]},
) | {
    "space": {"size": 30, "parameters": {"budget": [0.01, 5.0]}, "sizes": [30, 5000], "proportional": "budget"},
    "parameters": {"budget": 2e-06, "max_it": 30},
    "claimed": 0.125,
    "witness": {"parameters": {"budget": 0.0625}},
}


def flat(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def test_rows_without_a_search_have_no_lines():
    assert finding_lines(_row() | {"evidence": []}) == []
    assert finding_lines(_row(pairs=3)) == []


@pytest.mark.parametrize("item", [LEMMA, EXACT], ids=["lemma", "exact"])
def test_all_lines_keep_to_the_width(item):
    assert max(map(len, finding_lines(item))) <= WIDTH


@pytest.mark.parametrize(
    "part",
    [
        "fixed mode = slow, mended = no",
        "stated holds, ratio 0.5 (claimed 1, found 0.5) at x = 1",
        "smallest FAILS, ratio 1.5",
        "worst FAILS, ratio 2.25",
        "looked at 40 points; the claim failed at 7",
        "map x 0 |.##.#| 5 fails in [1, 3], [4, 5]",
        "beside count: 14",
        "beside pairs: tight = 1, flag = yes",
        "- column 0 = xxxxxxxxx,",
    ],
)
def test_a_lemmas_row(part):
    assert part in flat(finding_lines(LEMMA))


def test_a_lemmas_table():
    assert "            name   value\n               a   0.125\n              bb  [1, 2]" in "\n".join(
        finding_lines(LEMMA)
    )


@pytest.mark.parametrize(
    "part",
    [
        "fixed max_it = 30",
        "stated holds, ratio 0.5125 (renyi(order=12): claimed 1, found 0.5125) at size = 30",
        "worst FAILS, ratio 1.68 (renyi(order=2): claimed 1, found 1.68, proved) at size = 5000, budget = 0.0625; "
        "the search saw 1.688, estimated",
        "smallest FAILS, ratio 1.001 (renyi(order=3): claimed 1, found 1.001) at size = 271, budget = 0.02; "
        "nothing smaller was seen to fail (largest ratio 0.9995)",
        "claimed 0.125 is what the claim says at budget = 0.0625, the witness's; it is proportional to budget, and "
        "the guarantee is written at the claim's own budget = 2e-06",
        "size 30 |.#| 5000 fails in 5000",
        "by size largest ratio found at each, estimated: 30 0.75 renyi(order=16) budget = 1.25 not exceeded "
        "5000 1.688 renyi(order=2) budget = 0.0625 exceeded",
    ],
)
def test_a_search_for_several_sizes(part):
    assert part in flat(finding_lines(EXACT))


def test_a_row_that_holds_has_no_smallest_and_no_map():
    statistics = dict(LEMMA["evidence"][0]["statistics"]) | {"smallest": None, "failed": 0}
    text = flat(finding_lines(_row(**statistics)))
    assert "smallest" not in text
    assert "fails in" not in text
    assert "the claim failed at none" in text


def test_a_row_without_a_box_says_its_own_point_once():
    statistics = dict(LEMMA["evidence"][0]["statistics"]) | {"map": {}, "described": {}}
    lines = finding_lines(_row(**statistics) | {"space": {}})
    assert [line.split()[0] for line in lines] == ["fixed", "stated", "smallest", "looked"]


def test_a_part_that_nobody_looked_at_is_blank():
    parts = [
        RangePart(low=float(low), high=low + 1.0, points=points, failed=failed, worst=None)
        for low, (points, failed) in enumerate([(0, 0), (3, 0), (3, 1)])
    ]
    assert bar(parts) == " .#"
    assert list(ranges(parts)) == ["[2, 3]"]
