"""A remark stands while its computation shows it; else the row says that it does not."""

from __future__ import annotations

from dpverify.reporting.labelled_lines import WIDTH
from dpverify.reporting.ledger_objections import SILENT, remark_lines, shown_remark

REMARK = {
    "breaks": "The third line takes the same noise twice, " * 4,
    "means": "Your epsilon is twice as large.",
    "instead": "Draw again.",
    "numbers": [{"label": "as printed", "value": 1.0}, {"label": "in truth", "value": "inf"}],
    "holds": True,
}


def test_a_remark_that_holds_is_told_with_its_numbers():
    lines = remark_lines({"remark": REMARK})
    assert max(map(len, lines)) <= WIDTH
    text = " ".join(" ".join(lines).split())
    for part in ("why The third line", "- as printed: 1", "- in truth: ∞", "means Your epsilon", "instead Draw again."):
        assert part in text


def test_a_remark_that_does_not_hold_is_not_told_and_the_row_says_so():
    item = {"remark": {**REMARK, "holds": False, "problem": "ValueError: no"}}
    text = " ".join(" ".join(remark_lines(item)).split())
    assert shown_remark(item) is None
    assert SILENT.split(":")[0] in text
    assert "ValueError: no" in text
    assert "Your epsilon" not in text


def test_a_row_without_a_remark_has_no_lines():
    assert remark_lines({}) == remark_lines({"remark": None}) == []
