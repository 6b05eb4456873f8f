"""One row at length: a lemma's lines come first, with the witness among them; an exact search has it apart."""

from __future__ import annotations

from typing import Any

from dpverify.reporting.finding_lines import finding_lines
from dpverify.reporting.row_lines import found_lines, row_lines, witness_lines


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


def test_each_name_has_its_line_and_nothing_stands_twice():
    witness = {
        "event": "output > 3",
        "pair": "1 by 0",
        "d0": [1.0],
        "d1": [0.0],
        "direction": "d0 against d1",
        "parameters": {},
        "values": list(range(200)),
        "at": {"step": 3, "ends": True},
    }
    assert witness_lines(witness) == [
        "  witness   direction: d0 against d1",
        "            values: [0, 1, 2, ... (200 in all)]",
        "            at, step: 3",
        "            at, ends: yes",
    ]


def test_a_pair_without_a_name_is_shown():
    assert witness_lines({"d0": [1.0], "d1": []}) == ["  witness   d0: [1.0]", "            d1: []"]


def test_parameters_are_shown_where_no_other_line_has_them():
    witness = {"parameters": {"sigma": 2.0}}
    assert witness_lines(witness) == ["  witness   parameters, sigma: 2"]
    assert witness_lines(witness, {"sigma": 2.0}) == []


def test_no_line_is_a_python_dict_or_too_long():
    lines = witness_lines({"deep": [{"a": [0.5] * 100, "b": "x" * 1000}] * 9})
    assert all(len(line) < 80 and "{" not in line for line in lines)
