"""Multi-layer perceptrons: texts, sizes, softmax regression as the smallest, scikit-learn, clipping, training."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neural_network import MLPClassifier

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.models import network
from reference_impls.models.loss_sums import summed_loss
from reference_impls.models.model import Model, find_model
from reference_impls.models.softmax import SoftmaxModel

RNG = np.random.default_rng(5)
TABLE = Table(features=RNG.normal(size=(40, 6)), labels=RNG.integers(0, 3, 40).astype(float))
ANY = st.floats(allow_nan=False, allow_infinity=False)


def central_differences(model: Model, weights: np.ndarray, table: Table) -> np.ndarray:
    steps = 1e-6 * np.eye(weights.size)
    return np.array(
        [(summed_loss(model, weights + s, table) - summed_loss(model, weights - s, table)) / 2e-6 for s in steps]
    )


@pytest.mark.parametrize(
    ("text", "name", "weights"),
    [
        ("mlp:784-1000-10", "mlp:784-1000-10", 795_010),
        ("mlp:4-3-2:relu", "mlp:4-3-2", 23),
        ("mlp:4-3-2:no-bias:tanh", "mlp:4-3-2:tanh:no-bias", 18),
        ("mlp:4-02:sigmoid", "mlp:4-2:sigmoid", 10),
    ],
)
def test_texts_and_sizes(text: str, name: str, weights: int) -> None:
    model = find_model(text)
    columns = int(text[4:].split("-")[0])
    assert isinstance(model, Model)
    assert (model.name, model.dimension(columns)) == (name, weights)
    assert find_model(name).name == name


@pytest.mark.parametrize(
    "text",
    ["mlp", "mlp:", "mlp:4", "mlp:4-", "mlp:4-0-2", "mlp:4-x-2", "mlp:4--2", "mlp:4-3-1", "mlp:4-2:elu", "mlp:4-2:",
     "mlp:4-2:relu:relu", "mlp:4-2:relu:tanh", "mlp:4-2:no-bias:no-bias", "mlp:-4-2"],
)  # fmt: skip
def test_texts_that_name_no_network(text: str) -> None:
    with pytest.raises(InputError):
        find_model(text)


def test_adadps_count_is_of_three_hidden_layers() -> None:
    """AD-SIZE: 334,336 is no count of two hidden layers of 256 on MNIST, and is one of three."""
    counts = {text: find_model(text).dimension(784) for text in ("mlp:784-256-256-10", "mlp:784-256-256-10:no-bias")}
    assert list(counts.values()) == [269_322, 268_800]
    assert find_model("mlp:784-256-256-256-10:no-bias").dimension(784) == 334_336


def test_without_a_hidden_layer_it_is_softmax_regression() -> None:
    model, softmax, weights = find_model("mlp:6-3:no-bias"), SoftmaxModel(classes=3), RNG.normal(size=18)
    batch = np.array([0, 7, 7, 39])
    for clip in (0.5, math.inf):
        wanted = softmax.gradient(weights, TABLE, batch, clip=clip)
        assert model.gradient(weights, TABLE, batch, clip=clip) == pytest.approx(wanted, rel=1e-12)
    assert model.losses(weights, TABLE) == pytest.approx(softmax.losses(weights, TABLE), rel=1e-12)
    assert model.norms(weights, TABLE) == pytest.approx(softmax.norms(weights, TABLE), rel=1e-12)


@pytest.mark.parametrize("kind", ["relu", "tanh", "sigmoid"])
def test_gradients_agree_with_central_differences(kind: str) -> None:
    """A ReLU within 1e-6 of its kink would show: none of the 40 x 9 units is."""
    model = find_model(f"mlp:6-5-4-3:{kind}")
    weights = model.start(6, rng=np.random.default_rng(1))
    weights += 0.1
    assert model.gradient(weights, TABLE) == pytest.approx(
        central_differences(model, weights, TABLE), rel=1e-6, abs=1e-7
    )


@pytest.mark.parametrize("kind", ["relu", "tanh"])
def test_scikit_learn_steps_along_the_same_gradient(kind: str) -> None:
    """Two full steps of plain gradient descent there: the second one's difference is the gradient at the first."""
    peer = MLPClassifier(
        (5, 4), activation=kind, solver="sgd", alpha=0.0, batch_size=40, learning_rate_init=0.5, momentum=0.0,
        random_state=0,
    )  # fmt: skip
    model, flats = find_model(f"mlp:6-5-4-3:{kind}"), []
    for _ in range(2):
        peer.partial_fit(TABLE.features, TABLE.labels, classes=[0.0, 1.0, 2.0])
        layers = zip(peer.coefs_, peer.intercepts_, strict=True)
        flats.append(np.concatenate([part for matrix, biases in layers for part in (matrix.T.reshape(-1), biases)]))
    assert model.gradient(flats[0], TABLE) / 40 == pytest.approx((flats[0] - flats[1]) / 0.5, rel=1e-10, abs=1e-13)
    shares = peer.predict_proba(TABLE.features)[np.arange(40), TABLE.labels.astype(int)]
    assert model.losses(flats[1], TABLE) == pytest.approx(-np.log(shares), rel=1e-10)
    assert model.predict(flats[1], TABLE).tolist() == peer.predict(TABLE.features).tolist()


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = find_model("mlp:6-5-3")
    weights = model.start(6, rng=np.random.default_rng(2))
    whole = [model.losses(weights, TABLE), model.norms(weights, TABLE), model.gradient(weights, TABLE, clip=0.5)]
    monkeypatch.setattr(network, "CHUNK", 100)  # a few records at a time
    parts = [model.losses(weights, TABLE), model.norms(weights, TABLE), model.gradient(weights, TABLE, clip=0.5)]
    for one, other in zip(whole, parts, strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-14)


@given(st.lists(ANY, min_size=2, max_size=2), st.lists(ANY, min_size=17, max_size=17), st.floats(1e-3, 10))
def test_a_records_share_is_finite_and_within_the_clip(row, weights, clip) -> None:
    table = Table(features=np.array([row]), labels=np.array([1.0]))
    for kind in ("relu", "tanh"):
        share = find_model(f"mlp:2-3-2:{kind}").gradient(np.array(weights), table, clip=clip)
        assert np.isfinite(share).all()
        assert math.hypot(*share) <= clip * (1 + 1e-12)


def test_a_record_that_overflows_leaves_the_others_alone() -> None:
    model = find_model("mlp:1-2-2")
    table = Table(features=np.array([[1e300], [1.0]]), labels=np.zeros(2))
    weights = np.array([1e10, 1e10, 0.0, 0.0, 1e-10, 2e-10, 2e-10, 3e-10, 0.0, 0.0])
    both = model.gradient(weights, table, clip=1.0)
    assert both.any()
    alone = model.gradient(weights, table, np.array([1]), clip=1.0)
    np.testing.assert_allclose(both, alone, rtol=1e-14)  # sums of two records round otherwise on some processors
    assert np.isfinite(model.norms(weights, table)).tolist() == [False, True]


def test_it_learns_what_no_linear_model_can() -> None:
    """Exclusive or, by gradient descent from a random start."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    table, model = Table(features=corners, labels=np.array([0.0, 1.0, 1.0, 0.0])), find_model("mlp:2-16-2:tanh")
    weights = model.start(2, rng=np.random.default_rng(0))
    for _ in range(500):
        weights = weights - 0.5 * model.gradient(weights, table)
    assert model.predict(weights, table).tolist() == table.labels.tolist()
    assert summed_loss(model, weights, table) < 0.05


def test_bad_input() -> None:
    model = find_model("mlp:6-3")
    with pytest.raises(InputError, match="6 columns"):
        model.check(Table(features=np.ones((1, 5)), labels=np.zeros(1)))
    with pytest.raises(InputError, match=r"labels 0 \.\. 2"):
        model.check(Table(features=np.ones((1, 6)), labels=-np.ones(1)))
    with pytest.raises(InputError, match="weights of shape"):
        model.losses(np.zeros(20), TABLE)
    with pytest.raises(InputError, match="record 40"):
        model.gradient(np.zeros(21), TABLE, np.array([40]))


def test_a_start_is_its_streams() -> None:
    model = find_model("mlp:6-5-3")
    one, same, other = (model.start(6, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one.tolist() == same.tolist() != other.tolist()
    assert (one != 0.0).tolist() == [True] * 30 + [False] * 5 + [True] * 15 + [False] * 3
