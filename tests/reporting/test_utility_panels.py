"""Panels of experiments' pages: bands within reach, colours of arms."""

from __future__ import annotations

from dpverify.core.plugins import registry
from dpverify.reporting.utility_panels import colours_of, lines_of, panel

POINTS = [[1.0, 0.5, 0.4, 0.6], [10.0, 0.7, 0.6, 9.0]]


def test_a_panel_keeps_bands_within_reach():
    drawn = panel("t", lines_of({"a": POINTS, "b": []}, {"b": "none"}, {}), x="x", y="y", log_x=True)
    (curve,) = drawn["curves"]
    heights = [float(pair.split(",")[1]) for pair in curve["band"].split()]
    assert 0 <= min(heights) <= max(heights) <= drawn["height"]
    assert panel("t", lines_of({"a": []}, {}, {}), x="x", y="y", log_x=False) is None


def test_what_was_accounted_then_does_not_flatten_the_others():
    far = [[1.0, 90.0, 80.0, 95.0], [10.0, 99.0, 90.0, 120.0]]
    prices = {"a": "one", "a, as accounted then": "then"}
    alone, both = (
        panel("t", lines_of(curves, prices, {}), x="x", y="y", log_x=True)
        for curves in ({"a": POINTS}, {"a": POINTS, "a, as accounted then": far})
    )
    assert both["curves"][0] == alone["curves"][0] and both["up"] == alone["up"]
    heights = [float(pair.split(",")[1]) for pair in both["curves"][1]["line"].split()]
    assert max(heights) < 0  # above the panel, which cuts it off


def test_an_arm_has_one_colour_on_all_pages_and_no_two_arms_of_a_page_share_one():
    pages = [
        {"A": "one", "B": "own"},
        {"B": "one", "C, as accounted then": "then", "C": "one"},
        {"A": "one", "C": "one"},
    ]
    found = colours_of(pages)
    assert set(found) == {"A", "B", "C"} and len(set(found.values())) == 3
    known = [{arm.label: arm.price for arm in each.design.arms} for _, each in registry().experiments.items()]
    found = colours_of(known)
    for prices in known:
        drawn = [line.colour for line in lines_of(dict.fromkeys(prices, ()), prices, found) if not line.dashes]
        assert len(set(drawn)) == len(drawn), prices
    one, grey, then = lines_of(
        {"A": [], "b": [], "A, as accounted then": []},
        {"A": "one", "b": "none", "A, as accounted then": "then"},
        found | {"A": "red"},
    )
    assert (one.colour, grey.colour, then.colour) == ("red", "#777777", "red")
    assert (one.dashes, bool(then.dashes)) == ("", True)
