"""A lemma's row in words: what stands in its lines, how wide they are, and that other rows have none."""

from __future__ import annotations

from typing import Any

from dpverify.reporting.labelled import WIDTH
from dpverify.reporting.lemma_lines import lemma_lines


def _seen(ratio: float, **place: float) -> dict[str, Any]:
    return {"parameters": place, "printed": 1.0, "truth": ratio, "ratio": ratio}


def _row(**statistics: Any) -> dict[str, Any]:
    return {"parameters": {"x": 1.0, "mode": "slow", "mended": False}, "evidence": [{"statistics": statistics}]}


def _part(low: float, failed: int) -> dict[str, Any]:
    return {"from": low, "to": low + 1, "points": 5, "failed": failed, "worst": 1.0}


WHOLE = _row(
    own=_seen(0.5, x=1.0),
    worst=_seen(2.25, x=9.0),
    smallest=_seen(1.5, x=4.0),
    evaluations=40,
    failed=7,
    map={"x": [_part(float(low), failed) for low, failed in enumerate((0, 3, 2, 0, 2))]},
    described={
        "table": [{"name": "a", "value": 0.125}, {"name": "bb", "value": [1.0, 2.0]}],
        "wide": [{f"column {i}": "x" * 9 for i in range(9)}],
        "count": 14,
        "pairs": {"tight": 1.0, "flag": True},
    },
)


def test_rows_without_a_lemmas_search_have_no_lines():
    assert lemma_lines({"parameters": {}, "evidence": []}) == []
    assert lemma_lines(_row(pairs=3)) == []


def test_every_part_of_a_refuted_row_is_said_within_the_width():
    lines = lemma_lines(WHOLE)
    assert max(map(len, lines)) <= WIDTH
    text = "\n".join(lines)
    for part in (
        "fixed     mode = slow, mended = no",
        "own       ratio 0.5 (printed 1, true 0.5) at x = 1",
        "worst     ratio 2.25",
        "smallest  ratio 1.5",
        "points    40 looked at, the bound failed at 7",
        "fails in  x [1, 3], [4, 5]",
        "beside    count: 14",
        "beside    pairs: tight = 1, flag = yes",
    ):
        assert f"  {part}" in text
    assert "            name   value\n               a   0.125\n              bb  [1, 2]" in text
    assert "- column 0 = xxxxxxxxx," in text


def test_a_row_that_holds_has_no_smallest_and_fails_nowhere():
    statistics = dict(WHOLE["evidence"][0]["statistics"]) | {"smallest": None, "failed": 0}
    text = "\n".join(lemma_lines(_row(**statistics)))
    assert "smallest" not in text
    assert "fails in" not in text


def test_a_row_without_a_box_says_its_own_point_once():
    statistics = dict(WHOLE["evidence"][0]["statistics"]) | {"map": {}, "described": {}}
    assert [line.split()[0] for line in lemma_lines(_row(**statistics))] == ["fixed", "own"]
