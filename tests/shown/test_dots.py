"""Dots beside each other: each number has its dot, and what has none is left out."""

import math
import re
from xml.etree import ElementTree

import matplotlib as mpl

from dpverify.shown.dots import dots_svg
from dpverify.shown.plot import plot
from dpverify.shown.view import Dots, View

mpl.use("Agg")

DOTS = Dots(
    x="loss",
    marks=("claimed", "shown, at least"),
    rows=[("<a>", (1.0, 3.0)), ("b", (1.0, None)), ("none", (None, None)), ("without end", (2.0, math.inf))],
)


def circles(svg):
    found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3.5" fill="(\S+)"', svg)
    return [(float(x), float(y), fill) for x, y, fill in found]


def test_each_number_has_a_dot_and_names_are_text():
    svg = dots_svg(DOTS, label="<label>", most=40)
    ElementTree.fromstring(svg)
    assert "&lt;a&gt;" in svg and "none</text>" not in svg
    dots = circles(svg)
    assert len(dots) == 5 + len(DOTS.marks)
    (claimed, shown), endless = dots[:2], dots[4]
    assert claimed[0] < shown[0] < endless[0] and claimed[1] == shown[1]
    assert claimed[2] != "none" and shown[2] == "none"


def test_more_rows_than_are_shown_are_counted():
    svg = dots_svg(DOTS, label="l", most=1)
    assert "and 2 more rows" in svg and "without end" not in svg


def test_long_names_keep_both_ends():
    name = "make_laplace_threshold:map-String-i32:twin-scale"
    svg = dots_svg(Dots(x="x", marks=("m",), rows=[(name, (1.0,))]), label="l", most=1)
    assert "make_laplace_thre...in-scale" in svg


def test_matplotlib_draws_the_same_rows():
    ax = plot(View(title="t", dots=DOTS))
    assert [each.get_text() for each in ax.get_yticklabels()] == ["<a>", "b", "without end"]
    dots = {line.get_label(): list(line.get_xdata()) for line in ax.lines if line.get_marker() == "o"}
    assert dots["claimed"] == [1.0, 1.0, 2.0]
    assert dots["shown, at least"][0] == 3.0 and 3.0 < dots["shown, at least"][1] < math.inf
    assert ax.get_xscale() == ("log" if DOTS.scale().log else "linear")
    wide = plot(View(title="t", dots=Dots(x="x", marks=("m",), rows=[("a", (0.001,)), ("b", (100.0,))])))
    assert wide.get_xscale() == "log"
    ax.figure.canvas.draw()
    mpl.pyplot.close("all")
