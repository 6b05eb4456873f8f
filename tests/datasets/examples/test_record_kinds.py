"""Rows in a ball: corners, 0 and directions are plain records; rounding is forgiven, and no more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.datasets.examples.record_text import record_kind_from_text
from dpverify.neighbourhood.neighbours import neighbours_of


@pytest.mark.parametrize("fields", [1, 2, 3, 40])
def test_plain_records_of_a_ball(fields):
    kind = record_kind_from_text(f"row({fields}, norm<=2)")
    plain = kind.plain()
    assert all(math.hypot(*record) <= 2 * (1 + 1e-12) for record in plain)
    assert all(map(kind.holds, plain))
    first, second = plain[:2]
    assert [-value for value in first] == pytest.approx(second)
    assert math.hypot(*first) == pytest.approx(2.0)
    rest = (0.0,) * (fields - 1)
    assert {(2.0, *rest), (-2.0, *rest), (0.0, *rest)} <= set(plain)


def test_rows_of_norm_1_in_32_bits_are_held_and_longer_ones_are_not():
    rows = np.random.default_rng(0).normal(size=(2_000, 3)).astype(np.float32)
    rows = np.vstack([rows / np.linalg.norm(rows, axis=1, keepdims=True), np.eye(3, dtype=np.float32)])
    assert max(math.hypot(*row) for row in rows.tolist()) > 1.0
    record = neighbours_of(rows, records="norm<=1").record
    assert record.text() == "row(3, norm<=1)"
    for row in ((1.0001, 0.0, 0.0), (0.8, 0.8, 0.0), (math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0), (None, 0.0, 0.0)):
        assert not record.holds(row)


def test_corners_of_a_ball_stay_in_the_ranges():
    plain = record_kind_from_text("norm(1, row(2, float(0.5, 1)))").plain()
    assert not any(0.0 in record for record in plain)
