"""One row at length: a lemma's lines come first, with the witness among them; an exact search has it apart."""

from __future__ import annotations

from typing import Any

from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.row_lines import found_lines, row_lines


def _point(ratio: float) -> dict[str, Any]:
    return {"parameters": {}, "printed": 1.0, "truth": ratio, "ratio": ratio}


LEMMA: dict[str, Any] = {
    "parameters": {"x": 1.0},
    "space": {},
    "evidence": [{"statistics": {"own": _point(2.5), "worst": _point(2.5), "smallest": None, "failed": 1, "map": {}}}],
    "witness": _point(2.5),
}
BARE: dict[str, Any] = {"parameters": {}, "evidence": [], "witness": {"outputs": [0, 1]}}


def test_a_witness_that_says_more_than_the_worst_point_is_shown_beside_it():
    lines = row_lines(LEMMA | {"witness": {**_point(2.5), "d0": [0.0]}})
    assert "witness" in "\n".join(lines)


def test_a_lemmas_row_is_its_lines_with_and_without_the_witness():
    assert finding_lines(LEMMA)
    assert row_lines(LEMMA) == found_lines(LEMMA) == finding_lines(LEMMA)
    assert "ratio 2.5" in "\n".join(found_lines(LEMMA))


def test_a_row_with_a_witness_alone_shows_it_where_there_is_no_other_place():
    assert found_lines(BARE) == []
    assert "witness" in row_lines(BARE)[0]
    assert "[0, 1]" in row_lines(BARE)[0]
    assert row_lines(BARE | {"witness": None}) == []
