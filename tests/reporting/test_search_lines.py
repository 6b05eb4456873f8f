"""An exact search's row in words: each part against a record made by hand, within 80 columns, at length and short."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from dpverify.reporting.html_writer import HtmlWriter
from dpverify.reporting.labelled import WIDTH
from dpverify.reporting.markdown_writer import MarkdownWriter
from dpverify.reporting.row_lines import LONGEST, row_lines
from dpverify.reporting.search_lines import search_lines
from dpverify.reporting.terminal import ledger_detail


def _seen(size: int, ratio: float, order: int, **parameters: float) -> dict[str, Any]:
    measure = f"renyi(order={order})"
    return {"size": size, "ratio": ratio, "exceeded": ratio > 1, "measure": measure, "parameters": parameters}


def _record(**statistics: Any) -> dict[str, Any]:
    found = {
        "by_measure": {},
        "best_ratio": 1.6875,
        "own_parameters": _seen(30, 0.5125, 12),
        "by_size": [_seen(30, 0.75, 16, budget=1.25), _seen(5000, 1.6875, 2, budget=0.0625, max_it=5000)],
        "smallest_size": 271,
        "largest_ratio_below": 0.9995,
        "smallest": {
            "size": 271,
            "measure": "renyi(order=3)",
            "value": 0.04033,
            "claimed": 0.0403,
            "proved": False,
            "parameters": {"max_it": 271, "budget": 0.02},
        },
    }
    evidence = {"auditor": "exact", "says": "refuted", "statistics": found | statistics, "picture": {}}
    return {
        "id": "ROW",
        "source": "Paper Thm 1",
        "statement": "It is private.",
        "relation": "all-queries",
        "guarantee": f"RDP(orders={tuple(range(2, 40))}, epsilons=({', '.join(['2e-06'] * 38)}))",
        "subject": "mechanism",
        "parameters": {"budget": 2e-06, "max_it": 30},
        "space": {"size": 30, "parameters": {"budget": [0.01, 5.0]}, "sizes": [30, 5000], "proportional": "budget"},
        "verdict": "refuted",
        "surprise": None,
        "reason": "",
        "method": "exact",
        "measure": "renyi(order=2)",
        "bound": 0.21,
        "claimed": 0.125,
        "tightness": 1.68,
        "confidence": None,
        "error": 1e-11,
        "proved": True,
        "estimate": None,
        "witness": {
            "d0": list(range(500)),
            "d1": list(range(500)),
            "pair": "64 stripes",
            "direction": "d0 against d1",
            "parameters": {"max_it": 5000, "budget": 0.0625},
        },
        "trials": 0,
        "seconds": 1.0,
        "reproduce": "dpverify run papers --only ROW",
        "evidence": [evidence],
        "environment": {},
    }


def _text(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


PARTS = (
    "own ratio 0.5125 at the claim's own parameters (renyi(order=12), size 30, budget = 2e-06): not exceeded",
    "worst ratio 1.68 (renyi(order=2), size 5000, budget = 0.0625), proved (the search saw 1.688, estimated)",
    "smallest size 271: renyi(order=3) is 0.04033 against 0.0403 at budget = 0.02, estimated; "
    "no size below 271 was seen to fail (largest ratio 0.9995)",
    "claimed 0.125 is what the claim says at budget = 0.0625, the witness's; it is proportional to budget, and the "
    "guarantee is written at the claim's own budget = 2e-06",
    "by size largest ratio found at each, estimated: 30 0.75 renyi(order=16) budget = 1.25 not exceeded "
    "5000 1.688 renyi(order=2) budget = 0.0625 exceeded",
)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_said_within_the_width(part):
    lines = search_lines(_record())
    assert max(map(len, lines)) <= WIDTH
    assert part in _text(lines)


def test_each_size_has_a_line_of_its_own():
    rows = [line.split()[:2] for line in search_lines(_record())[-2:]]
    assert rows == [["30", "0.75"], ["5000", "1.688"]]


def test_a_row_for_one_size_says_the_worst_and_nothing_that_it_does_not_know():
    item = _record()
    item["evidence"][0]["statistics"] = {"by_measure": {}, "best_ratio": 1.68}
    item |= {"space": {"size": 30}, "proved": False, "witness": {**item["witness"], "parameters": {}}}
    assert search_lines(item) == ["  worst     ratio 1.68 (renyi(order=2), size 30), estimated"]
    assert search_lines(item | {"space": {}}) == ["  worst     ratio 1.68 (renyi(order=2)), estimated"]


def test_the_smallest_proved_may_be_larger_than_the_smallest_seen():
    smallest = _record()["evidence"][0]["statistics"]["smallest"] | {"size": 300, "proved": True}
    text = _text(search_lines(_record(smallest=smallest)))
    assert "smallest size 300: renyi(order=3)" in text
    assert ", proved; no size below 271 was" in text


def test_other_rows_have_no_lines():
    item = _record()
    item["evidence"][0]["statistics"] = {"pairs": 3}
    assert search_lines(item) == []
    assert search_lines(item | {"evidence": []}) == []


def test_a_long_witness_is_named_and_a_short_one_written():
    item = _record()
    assert "witness 64 stripes, d0 against d1:" in _text(row_lines(item))
    assert len(_text(row_lines(item))) < len(_text(search_lines(item))) + LONGEST
    assert "witness {'d0': [0.0], 'd1': [1.0]}" in _text(row_lines(item | {"witness": {"d0": [0.0], "d1": [1.0]}}))


def test_the_whole_row_fits_eighty_columns_and_says_where_the_claimed_number_stands():
    with open("/dev/null", "w") as nowhere:
        console = Console(width=80, record=True, file=nowhere)
        ledger_detail([_record()], console)
        text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "renyi(order=2) >= 0.21, claimed 0.125 at budget = 0.0625" in text
    assert "499" not in text


def test_reports_say_the_same(tmp_path):
    for writer in (HtmlWriter(), MarkdownWriter()):
        text = writer.write([_record()], tmp_path, title="t").read_text().replace("&#39;", "'")
        flat = " ".join(text.split())
        assert [part for part in PARTS if part not in flat] == []
        assert "0.125 at budget = 0.0625" in text
