"""Detection curves: places in the picture, escaping, and a table of the same numbers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from tests.power.detection_curves import COLUMNS, HEIGHT, WIDTH, page, panels, picture, table


def cell(auditor="one", mechanism="noise", ratio=0.5, detected=10, **more):
    return {
        "auditor": auditor,
        "mechanism": mechanism,
        "claim": "PureDP(epsilon=1)",
        "ratio": ratio,
        "detected": detected,
        "repetitions": 10,
        "interval": [max(0.0, detected / 10 - 0.2), min(1.0, detected / 10 + 0.2)],
        **more,
    }


CELLS = [cell(ratio=1.0, detected=0), cell(), cell(ratio=0.75, detected=5), cell(auditor="two", detected=3)]


def test_points_stand_where_ratio_and_share_say():
    (panel,) = panels(CELLS)
    one, two = panel.curves
    assert one.points == f"0.0,0.0 {WIDTH / 2:.1f},{HEIGHT / 2:.1f} {WIDTH:.1f},{HEIGHT:.1f}"
    assert two.dots == ((0.0, HEIGHT * 0.7),)
    assert one.whiskers[1] == pytest.approx((WIDTH / 2, HEIGHT * 0.3, HEIGHT * 0.7))
    assert one.colour != two.colour


def test_an_auditor_keeps_its_colour_across_panels():
    drawn = panels([*CELLS, cell(auditor="two", mechanism="other")])
    colours = {curve.auditor: {c.colour for p in drawn for c in p.curves if c.auditor == curve.auditor}
               for panel in drawn for curve in panel.curves}  # fmt: skip
    assert all(len(found) == 1 for found in colours.values())


def test_the_page_is_whole_and_escapes_what_it_is_told():
    text = page([*CELLS, cell(auditor="<b>&", mechanism="<script>")], title="a & b", note="<i>")
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "a &amp; b" in text
    for drawing in re.findall(r"<svg.*?</svg>", text, flags=re.S):
        ElementTree.fromstring(drawing)
    assert "http" not in text.replace("http-equiv", "")


def test_the_table_has_the_numbers():
    lines = "\n".join(table(CELLS))
    assert "| auditor | 0.5 | 0.75 | 1 |" in lines
    assert "| one | 10/10 | 5/10 | 0/10 |" in lines
    assert "| two | 3/10 |  |  |" in lines


def test_nothing_to_draw_is_an_empty_page():
    assert panels([]) == []
    assert table([]) == []
    assert "<svg" not in page([], title="t", note="n")


def test_the_picture_has_all_panels_apart_and_one_legend():
    many = [cell(auditor=f"auditor-{i}", mechanism=f"noise-{j}") for i in range(9) for j in range(COLUMNS + 1)]
    root = ElementTree.fromstring(picture([*many, cell(auditor="<b>&", mechanism="<script>")]))
    groups = [node for node in root if node.tag.endswith("g")]
    assert len({node.get("transform") for node in groups}) == len(groups) == (COLUMNS + 2) + 10
    words = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert words.count("<script>") == 1 and words.count("<b>&") == 1
    assert [words.count(f"noise-{j}") for j in range(COLUMNS + 1)] == [1] * (COLUMNS + 1)
    width, height = map(float, root.get("viewBox").split()[2:])
    for node in groups:
        x, y = map(float, re.findall(r"[0-9.]+", node.get("transform")))
        assert 0 < x < width and 0 < y < height


def test_a_picture_of_nothing_is_one_too():
    assert ElementTree.fromstring(picture([])).tag.endswith("svg")
