"""Softmax regression as a model: closed forms, far scores, its gradient, clipping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.models.linear import LinearModel
from reference_impls.models.model import Model, find_model
from reference_impls.models.softmax import SoftmaxModel

ANY = st.floats(allow_nan=False, allow_infinity=False)


def one(label: int, *, columns: int = 1) -> Table:
    return Table(features=np.ones((1, columns)), labels=np.array([float(label)]))


def test_text_and_size() -> None:
    model = find_model("softmax:10")
    assert isinstance(model, Model)
    assert (model.name, model.dimension(7)) == ("softmax:10", 70)
    assert model.start(7, rng=np.random.default_rng(0)).tolist() == [0.0] * 70


def test_closed_forms() -> None:
    model = SoftmaxModel(classes=3)
    assert model.losses(np.zeros(3), one(1))[0] == pytest.approx(math.log(3), rel=1e-15)
    assert model.gradient(np.zeros(3), one(1)) == pytest.approx([1 / 3, -2 / 3, 1 / 3], rel=1e-15)
    assert model.norms(np.zeros(3), one(1))[0] == pytest.approx(math.sqrt(2 / 3), rel=1e-15)
    assert model.predict(np.array([0.0, 2.0, 2.0]), one(0)).tolist() == [1.0]


def test_far_scores_keep_their_digits() -> None:
    """Both ends: the loss and 1 - p_y of a class that leads by 50, and a class that trails by 2000."""
    model, weights = SoftmaxModel(classes=2), np.array([50.0, 0.0])
    assert model.losses(weights, one(0))[0] == pytest.approx(math.exp(-50), rel=1e-14, abs=0)
    assert model.gradient(weights, one(0))[0] == pytest.approx(-math.exp(-50), rel=1e-14, abs=0)
    assert model.losses(np.array([0.0, 2000.0]), one(0))[0] == 2000.0
    assert model.gradient(np.array([0.0, 2000.0]), one(0)).tolist() == [-1.0, 1.0]


@given(st.lists(st.floats(-30, 30), min_size=3, max_size=3), st.sampled_from([-1.0, 1.0]))
def test_two_classes_are_logistic_regression(weights: list[float], label: float) -> None:
    at, x = np.array(weights), np.array([[1.0, -0.5, 2.0]])
    pair, binary = SoftmaxModel(classes=2), LinearModel()
    table, classes = Table(features=x, labels=np.array([label])), Table(features=x, labels=np.array([(label + 1) / 2]))
    both = np.concatenate([np.zeros(3), at])
    assert pair.losses(both, classes) == pytest.approx(binary.losses(at, table), rel=1e-13, abs=0)
    assert pair.gradient(both, classes)[3:] == pytest.approx(binary.gradient(at, table), rel=1e-13, abs=1e-300)


@given(st.lists(ANY, min_size=2, max_size=2), st.lists(ANY, min_size=6, max_size=6), st.floats(1e-3, 10))
def test_a_records_share_is_finite_and_within_the_clip(row, weights, clip) -> None:
    table = Table(features=np.array([row]), labels=np.array([2.0]))
    with np.errstate(over="ignore", invalid="ignore"):
        share = SoftmaxModel(classes=3).gradient(np.array(weights), table, clip=clip)
    assert np.isfinite(share).all()
    assert math.hypot(*share) <= clip * (1 + 1e-12)


def test_a_norm_whose_square_underflows_is_clipped() -> None:
    """p - e_y is 1e-174 in each class, the record is 1e200 long: the gradient is 1e26 before clipping."""
    table = Table(features=np.array([[1e200]]), labels=np.zeros(1))
    weights, model = np.array([4e-198, 0.0]), SoftmaxModel(classes=2)
    lost = math.exp(-400.0)
    assert model.norms(weights, table)[0] == pytest.approx(math.sqrt(2) * lost * 1e200, rel=1e-12)
    assert model.gradient(weights, table, clip=1.0) == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5)], rel=1e-12)


@pytest.mark.parametrize("place", range(6))
def test_a_record_whose_scores_overflow_leaves_the_others_alone(place: int) -> None:
    """Kernels take four records at a time; one of six, in any place, has scores of inf - inf."""
    rng, model = np.random.default_rng(6), SoftmaxModel(classes=3)
    features, labels, weights = rng.normal(size=(6, 2)), np.array([0.0, 1, 2, 0, 1, 2]), 1e10 * rng.normal(size=6)
    features[place] = 1e300
    table, others = Table(features=features, labels=labels), np.delete(np.arange(6), place)
    assert not np.isfinite(model.losses(weights, table)[place])
    assert np.isfinite(model.losses(weights, table)[others]).all()
    found, expected = model.gradient(weights, table, clip=0.7), model.gradient(weights, table, others, clip=0.7)
    assert np.isfinite(found).all()
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_labels_that_are_no_class_are_refused() -> None:
    with pytest.raises(InputError, match=r"labels 0 \.\. 2"):
        SoftmaxModel(classes=3).check(one(3))
