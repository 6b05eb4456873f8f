"""Figures as SVG: coordinates against hand-made ones, logarithmic axes, gaps, ticks, and text that stays text."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.ledger_words import Curve, Figure
from dpverify.reporting.figure_svg import HEIGHT, MAP_HEIGHT, WIDTH, Axis, _round, figure_svg, map_svg
from dpverify.reporting.findings import RangePart

NAME = "{http://www.w3.org/2000/svg}"


def drawn(*curves, **words):
    given = {"title": "Title", "claims": ("A",), "x": "x", "y": "y", "note": "n"} | words
    return ElementTree.fromstring(figure_svg(Figure(curves=lambda: curves, **given)))


def lines(root):
    return [
        [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
        for line in root.iter(f"{NAME}polyline")
    ]


def test_a_line_is_where_it_should_be():
    ((first, last),) = lines(drawn(Curve(label="a", points=((0.0, 0.0), (4.0, 10.0)))))
    assert (first[0], last[0]) == (0.0, WIDTH)
    assert first[1] == pytest.approx(HEIGHT, abs=0.1)  # 0 is the foot of the axis
    assert last[1] == pytest.approx(HEIGHT * (1 - 10 / 10.5), abs=0.1)


def test_logarithmic_axes_leave_out_what_they_cannot_show():
    points = ((0.0, 1.0), (1.0, 1.0), (10.0, 10.0), (100.0, math.nan), (1000.0, 1.0), (1e4, -1.0))
    root = drawn(Curve(label="a", points=points), log_x=True, log_y=True)
    ((left, right),) = lines(root)
    assert (left[0], right[0]) == (0.0, pytest.approx(WIDTH / 3, abs=0.1))
    (dot,) = list(root.iter(f"{NAME}circle"))[:1]  # a point with gaps on both sides
    assert float(dot.get("cx")) == pytest.approx(WIDTH, abs=0.1)


def test_what_is_claimed_is_dashed_and_what_is_found_is_not():
    root = drawn(
        Curve(label="c", points=((0.0, 1.0), (1.0, 2.0)), kind="claimed"),
        Curve(label="f", points=((0.0, 2.0), (1.0, 1.0))),
    )
    claimed, found = root.iter(f"{NAME}polyline")
    assert claimed.get("stroke-dasharray") and not found.get("stroke-dasharray")
    assert claimed.get("stroke") != found.get("stroke")


def test_dots_are_dots_and_a_level_is_a_line():
    root = drawn(Curve(label="d", points=((0.0, 0.5), (1.0, 2.0)), kind="dots"), level=1.0)
    assert lines(root) == []
    assert len(list(root.iter(f"{NAME}circle"))) == 3  # one of them in the legend
    assert [line for line in root.iter(f"{NAME}line") if line.get("class") == "level"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b", '"quoted"', "x" * 300, "log α ≤ β"])
def test_text_stays_text(text):
    root = drawn(Curve(label=text, points=((0.0, 1.0), (1.0, 2.0))), title=text, x=text, y=text)
    plain = drawn(Curve(label="x" * len(text), points=((0.0, 1.0), (1.0, 2.0))), title="x" * len(text), x="x", y="x")
    assert {each.tag for each in root.iter()} == {each.tag for each in plain.iter()}
    assert text in "".join(each.text or "" for each in root.iter()).replace("\n", "") or len(text) > 60


@given(low=st.floats(-1e6, 1e6), wide=st.floats(1e-6, 1e6))
def test_ticks_of_a_linear_axis_lie_inside_and_are_a_few(low, wide):
    ticks = _round(low, low + wide, False)
    assert 2 <= len(ticks) <= 8
    assert all(low - 1e-6 * wide <= tick <= low + wide * (1 + 1e-6) for tick in ticks)


@given(low=st.floats(1e-12, 1e3), factor=st.floats(1.5, 1e12))
def test_ticks_of_a_logarithmic_axis_lie_inside_and_are_a_few(low, factor):
    ticks = _round(low, low * factor, True)
    assert 1 <= len(ticks) <= 8
    assert all(low * (1 - 1e-6) <= tick <= low * factor * (1 + 1e-6) for tick in ticks)


def test_places_on_an_axis():
    assert Axis(low=1.0, high=100.0, length=10.0, log=True).place(10.0) == pytest.approx(5.0)
    assert Axis(low=0.0, high=4.0, length=10.0, log=False).place(1.0) == pytest.approx(2.5)


def test_a_map_has_a_bar_for_every_part_that_was_looked_at_and_those_that_failed_are_red():
    parts = [
        RangePart(low=0.0, high=1.0, points=4, failed=0, worst=0.5),
        RangePart(low=1.0, high=2.0, points=0, failed=0, worst=None),
        RangePart(low=2.0, high=3.0, points=2, failed=1, worst=2.0),
    ]
    root = ElementTree.fromstring(map_svg("a & b", [("eta", parts), ("rho", parts)]))
    bars = [each for each in root.iter(f"{NAME}rect") if each.get("fill") not in (None, "#fff")]
    assert [bar.get("fill") for bar in bars] == ["#8fb4d0", "#c8553d"] * 2
    low, high = (float(bar.get("height")) for bar in bars[:2])
    assert high == pytest.approx(4 * low, abs=0.3)
    level = next(each for each in root.iter(f"{NAME}line") if each.get("class") == "level")
    assert float(level.get("y1")) == pytest.approx(MAP_HEIGHT - 2 * low, abs=0.2)
