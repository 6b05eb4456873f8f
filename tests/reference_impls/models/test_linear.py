"""Linear models as models: gradients of their losses, clipping at its limits, names, bad input."""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from reference_impls.models import linear
from reference_impls.models.linear import LinearModel, row_norms
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.models.model import Model, find_model

ANY = st.floats(allow_nan=False, allow_infinity=False)
LOSSES = list(LINEAR_LOSSES)


@pytest.mark.parametrize("loss", LOSSES)
def test_without_clipping_it_is_the_gradient_of_the_losses(loss: str) -> None:
    """Central differences of the sum over 569 records; the kinks of the hinge are missed at this point."""
    table, model, step = load_table("breast-cancer"), LinearModel(loss=loss), 1e-6
    weights = 0.3 * np.random.default_rng(2).normal(size=table.columns)
    found = model.gradient(weights, table)
    for axis in range(0, table.columns, 5):
        move = step * np.eye(table.columns)[axis]
        ends = [math.fsum(model.losses(weights + sign * move, table)) for sign in (-1, 1)]
        assert found[axis] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6, abs=1e-5)


@given(
    st.sampled_from(LOSSES),
    st.lists(st.tuples(ANY, ANY, st.sampled_from([-1.0, 1.0])), min_size=1, max_size=4),
    st.tuples(ANY, ANY),
    st.floats(1e-3, 1e3),
    ANY,
)
def test_no_record_moves_the_clipped_sum_by_more_than_the_clip(loss, records, weights, clip, label) -> None:
    """BL-SENS-GRAD, for any finite records and weights, from the least to the largest floats."""
    labels = [label if loss == "squared" else sign for _, _, sign in records]
    table = Table(features=np.array([record[:2] for record in records]), labels=np.array(labels))
    model = LinearModel(loss=loss)
    with np.errstate(over="ignore", invalid="ignore"):
        shares = [model.gradient(np.array(weights), table, np.array([i]), clip=clip) for i in range(len(records))]
        whole = model.gradient(np.array(weights), table, clip=clip)
    for share in shares:
        assert np.isfinite(share).all()
        assert math.hypot(*share) <= clip * (1 + 1e-12)
    assert whole == pytest.approx(sum(shares), rel=1e-12, abs=1e-12 * clip)


def test_a_norm_that_underflows_lets_nothing_through() -> None:
    """The squares of these features are zero in floating point; the label makes the gradient huge all the same."""
    table = Table(features=np.array([[1e-170, 2e-170]]), labels=np.array([1e300]))
    share = LinearModel(loss="squared").gradient(np.zeros(2), table, clip=1.0)
    assert share == pytest.approx(-np.array([1.0, 2.0]) / math.sqrt(5), rel=1e-14)


def test_a_gradient_that_overflows_is_clipped_to_its_direction_and_one_that_is_no_number_to_zero() -> None:
    model = LinearModel(loss="squared")
    steep = Table(features=np.array([[3e200, 4e200]]), labels=np.array([-1e300]))
    assert model.gradient(np.zeros(2), steep, clip=2.0) == pytest.approx([1.2, 1.6], rel=1e-14)
    lost = Table(features=np.ones((1, 2)), labels=np.array([1.0]))
    assert model.gradient(np.array([math.inf, -math.inf]), lost, clip=2.0).tolist() == [0.0, 0.0]


@given(st.lists(ANY, min_size=1, max_size=5))
def test_row_norms_are_good_at_any_scale(row: list[float]) -> None:
    norm = row_norms(Table(features=np.array([row]), labels=np.ones(1)))[0]
    assert norm == pytest.approx(math.hypot(*row), rel=1e-15 * (len(row) + 2), abs=1e-320)


def test_row_norms_are_remembered_as_long_as_the_table_is() -> None:
    gc.collect()  # what other tests left
    before = len(linear._NORMS)
    table = Table(features=np.ones((2, 2)), labels=np.ones(2))
    assert row_norms(table) is row_norms(table)
    assert not row_norms(table).flags.writeable
    assert len(linear._NORMS) == before + 1
    del table
    gc.collect()
    assert len(linear._NORMS) == before


def test_predictions() -> None:
    table = Table(features=np.array([[1.0], [0.0], [-2.0]]), labels=np.ones(3))
    assert LinearModel().predict(np.array([3.0]), table).tolist() == [1.0, 1.0, -1.0]
    assert LinearModel(loss="squared").predict(np.array([3.0]), table).tolist() == [3.0, 0.0, -6.0]


@pytest.mark.parametrize("text", ["logistic", "huber-svm", "huber-svm:0.1", "hinge", "squared"])
def test_texts_are_read_back(text: str) -> None:
    model = find_model(text)
    assert isinstance(model, Model)
    assert model.name == text
    assert find_model(model.name) is model
    assert model.dimension(7) == 7
    assert model.start(7, rng=np.random.default_rng(0)).tolist() == [0.0] * 7


@pytest.mark.parametrize("text", ["logistic:2", "no-such", "huber-svm:wide", "huber-svm:0", "softmax", "softmax:1"])
def test_unknown_models_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        find_model(text)


def test_the_known_models_are_named() -> None:
    with pytest.raises(InputError, match=r"logistic, huber-svm, hinge, squared, huber-svm:H.*softmax:K"):
        find_model("no-such")


@pytest.mark.parametrize("text", ["logistic", "softmax:2"])
def test_what_does_not_fit_the_table_is_refused(text: str) -> None:
    model, table = find_model(text), Table(features=np.ones((3, 2)), labels=np.ones(3))
    right, wrong = np.zeros(model.dimension(2)), np.zeros(model.dimension(2) + 1)
    for call in (model.losses, model.gradient, model.norms):
        with pytest.raises(InputError, match="weights of shape"):
            call(wrong, table)
        for index in (3, -1):
            with pytest.raises(InputError, match=r"0\.\.2"):
                call(right, table, np.array([0, index]))


def test_labels_that_are_not_the_models_are_refused() -> None:
    table = Table(features=np.ones((2, 2)), labels=np.array([0.0, 1.0]))
    LinearModel(loss="squared").check(table)
    for loss in ("logistic", "huber-svm", "hinge"):
        with pytest.raises(InputError, match=r"labels -1 and \+1"):
            LinearModel(loss=loss).check(table)


@pytest.mark.parametrize("text", [5, None, ["logistic"], 1.5], ids=repr)
def test_a_model_is_named_by_a_text(text: object) -> None:
    with pytest.raises(InputError, match="model = "):
        find_model(text)  # type: ignore[arg-type]
