"""Where a claim failed: parts of each parameter's range, counted by hand and against a naive twin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.search_boxes import PARTS, EvaluatedPoint, at, by_size, region, share

BOXES = {"linear": (1.0, 9.0), "log": (0.01, 100.0), "point": (2.0, 2.0), "zero": (0.0, 100.0)}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_the_ends_are_the_ends_and_outside_is_the_nearer_end(box):
    low, high = box
    assert share(low, *box) == 0.0
    assert share(high, *box) == (1.0 if high > low else 0.0)
    assert share(low - 1, *box) == 0.0
    assert (at(0.0, *box), at(1.0, *box)) == (low, high)


@given(part=st.floats(0, 1), box=st.sampled_from([BOXES["linear"], BOXES["log"], BOXES["zero"]]))
def test_at_is_the_inverse_of_share(part, box):
    assert share(at(part, *box), *box) == pytest.approx(part, abs=1e-12)


def test_a_wide_box_is_divided_on_a_log_scale():
    assert at(0.5, 0.01, 100.0) == pytest.approx(1.0)
    assert at(0.5, 1.0, 9.0) == 5.0


@given(
    places=st.lists(st.tuples(st.floats(0.01, 100.0), st.floats(0.5, 1.5)), max_size=40),
)
def test_the_map_counts_what_a_naive_count_counts(places):
    looks = [EvaluatedPoint(parameters={"log": x}, ratio=ratio, failed=ratio > 1) for x, ratio in places]
    parts = region({"log": BOXES["log"]}, looks, {}).get("log", [])
    assert bool(parts) == bool(places)
    for number, part in enumerate(parts):
        inside = [
            ratio
            for x, ratio in places
            if min(int(PARTS * (math.log(x / 0.01) / math.log(100.0 / 0.01))), PARTS - 1) == number
        ]
        assert part["points"] == len(inside)
        assert part["failed"] == sum(ratio > 1 for ratio in inside)
        assert part["worst"] == max(inside, default=None)
    assert [part["to"] for part in parts[:-1]] == [part["from"] for part in parts[1:]]


def test_a_point_that_leaves_a_parameter_out_is_at_the_claims_own():
    looks = [
        EvaluatedPoint(ratio=2.0, failed=True),
        EvaluatedPoint(parameters={"linear": 8.9}, ratio=0.5, failed=False),
    ]
    parts = region({"linear": BOXES["linear"]}, looks, {"linear": 1.0})["linear"]
    assert [part["points"] for part in parts] == [1, 0, 0, 0, 0, 0, 0, 1]
    assert [part["failed"] for part in parts] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert region({"linear": BOXES["linear"]}, looks[:1], {}) == {}


def test_each_size_is_a_part_of_its_own():
    looks = [
        EvaluatedPoint(ratio=ratio, failed=ratio > 1, size=size) for size, ratio in ((10, 0.5), (3, 2.0), (10, 0.75))
    ]
    assert by_size(looks) == [
        {"from": 3, "to": 3, "points": 1, "failed": 1, "worst": 2.0},
        {"from": 10, "to": 10, "points": 2, "failed": 0, "worst": 0.75},
    ]
