"""Softmax cross-entropy: closed forms, far scores, scores that are no numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference_impls.models.cross_entropy import cross_entropy


def test_closed_forms() -> None:
    losses, slopes = cross_entropy(np.array([[0.0, 0.0, 0.0], [0.0, math.log(2), 0.0]]), np.array([1.0, 1.0]))
    assert losses == pytest.approx([math.log(3), math.log(2)], rel=1e-15)
    assert slopes == pytest.approx(np.array([[1 / 3, -2 / 3, 1 / 3], [1 / 4, -1 / 2, 1 / 4]]), rel=1e-15)


def test_far_scores_keep_their_digits() -> None:
    losses, slopes = cross_entropy(np.array([[50.0, 0.0], [0.0, 2000.0]]), np.zeros(2))
    assert losses == pytest.approx([math.exp(-50), 2000.0], rel=1e-14, abs=0.0)
    assert slopes[0] == pytest.approx([-math.exp(-50), math.exp(-50)], rel=1e-14, abs=0.0)
    assert slopes[1].tolist() == [-1.0, 1.0]


def test_scores_that_overflow_touch_only_their_record() -> None:
    with np.errstate(invalid="ignore"):
        losses, slopes = cross_entropy(np.array([[np.inf, 0.0], [np.nan, 0.0], [0.0, 0.0]]), np.zeros(3))
    assert np.isnan(losses).tolist() == np.isnan(slopes).any(axis=1).tolist() == [True, True, False]
