"""Losses along a ray beside the losses at its points, and the exponential beside NumPy's in more digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.datasets.table import Table
from reference_impls.models.linear_loss import LINEAR_LOSSES, linear_slope
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import find_model
from reference_impls.models.ray_losses import BLOCK, FLAT, exponential_of, ray_sums, slopes_of

RNG = np.random.default_rng(0)
ROWS = 2 * BLOCK + 77  # two whole blocks and a part
TABLE = Table(features=RNG.normal(size=(ROWS, 4)), labels=RNG.choice([-1.0, 1.0], ROWS))
STEPS = np.array([0.0, 0.3, 2.0, 40.0, 1e4])


@pytest.mark.parametrize("clip", [1e-3, 0.7, 3.0, 50.0, 1e5, math.inf])
@pytest.mark.parametrize("loss", LINEAR_LOSSES)
def test_sums_are_those_at_the_points(loss: str, clip: float) -> None:
    model = find_model(loss)
    weights, direction = RNG.normal(size=4), RNG.normal(size=4)
    out, scores, along = np.empty(STEPS.size), TABLE.features @ weights, TABLE.features @ direction
    ray_sums(out, LINEAR_LOSSES[loss], 0.5, clip, scores, along, TABLE.labels, STEPS)
    for step, found in zip(STEPS, out, strict=True):
        expected = summed_loss(model, weights - step * direction, TABLE, clip=clip)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15 * ROWS)


@pytest.mark.parametrize("loss", LINEAR_LOSSES)
def test_scores_that_are_not_finite_count_as_the_bound(loss: str) -> None:
    out, scores = np.empty(1), np.array([math.nan, -math.inf, math.inf, 1.0])
    ray_sums(out, LINEAR_LOSSES[loss], 0.5, 2.0, scores, np.zeros(4), np.ones(4), np.zeros(1))
    at_one = {"logistic": math.log1p(math.exp(-1.0)), "huber-svm": 0.125, "hinge": 0.0, "squared": 2.0}[loss]
    assert out[0] == pytest.approx(4.0 + at_one, rel=1e-12)  # at inf, too, squared loss is large, and it is 0 at 1


@given(st.floats(-FLAT, FLAT))
def test_the_exponential_is_good_to_two_units_in_the_last_place(x: float) -> None:
    exact = np.exp(np.longdouble(x))
    assert abs(np.longdouble(exponential_of(x)) - exact) <= 2 * np.spacing(float(exact))


@given(st.floats(-1e3, 1e3), st.sampled_from([-1.0, 1.0]), st.sampled_from(sorted(LINEAR_LOSSES.values())))
def test_slopes_are_those_of_the_losses(score: float, label: float, code: int) -> None:
    out = np.empty(1)
    slopes_of(out, code, 0.5, np.array([score]), np.array([label]))
    assert out[0] == pytest.approx(linear_slope(code, 0.5, score, label), rel=1e-14, abs=1e-300)
