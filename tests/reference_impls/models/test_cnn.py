"""Convolutional networks: texts, the papers' sizes, clipping, training."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from reference_impls.models import network
from reference_impls.models.cnn import ADADP_CIFAR, BLSGD_CIFAR, BLSGD_MNIST
from reference_impls.models.model import Model, find_model

ANY = st.floats(allow_nan=False, allow_infinity=False)


def test_the_papers_networks() -> None:
    """Weights counted by hand, layer by layer: kernels x (patch + 1), outputs x (inputs + 1)."""
    assert find_model(BLSGD_MNIST).dimension(784) == 6 * 26 + 16 * 151 + 256 * 257 + 128 * 257 + 10 * 129
    image = 64 * 76 + 64 * 1601
    assert find_model(ADADP_CIFAR).dimension(3072) == image + 500 * 1601 + 500 * 501 + 10 * 501
    image = 32 * 28 + 64 * 289 + 128 * 577 + 128 * 1153 + 256 * 1153 + 256 * 2305
    assert find_model(BLSGD_CIFAR).dimension(3072) == image + 4096 * 4097 + 1024 * 4097 + 512 * 1025 + 10 * 513


def test_texts() -> None:
    model = find_model("cnn:1x4x4:2@3-max2-3:tanh")
    assert isinstance(model, Model)
    assert model.name == "cnn:1x4x4:2@3-max2-3:tanh"
    assert find_model("cnn:1x4x4:2@3-max2-3:relu").name == "cnn:1x4x4:2@3-max2-3"
    assert find_model("cnn:1x4x4:2@3p0-3").dimension(16) == 2 * 10 + 3 * 9


@pytest.mark.parametrize(
    "text",
    ["cnn", "cnn:", "cnn:4x4:2@3-3", "cnn:1x4x4", "cnn:1x4x4:2@3", "cnn:1x4x4:2@3-", "cnn:1x4x4:2@3-1",
     "cnn:1x4x4:0@3-3", "cnn:1x4x4:2@0-3", "cnn:1x4x4:2@5-3", "cnn:1x4x4:max3-3", "cnn:1x4x4:max0-3",
     "cnn:1x4x4:3-2@3", "cnn:1x4x4:2@3-3:elu", "cnn:1x4x4:2@3-3:tanh:tanh"],
)  # fmt: skip
def test_texts_that_name_no_network(text: str) -> None:
    with pytest.raises(InputError):
        find_model(text)


@given(st.lists(ANY, min_size=9, max_size=9), st.lists(ANY, min_size=20, max_size=20), st.floats(1e-3, 10))
def test_a_records_share_is_finite_and_within_the_clip(row, weights, clip) -> None:
    table = Table(features=np.array([row]), labels=np.array([1.0]))
    model = find_model("cnn:1x3x3:2@2-max2-1@1p1-2")
    share = model.gradient(np.resize(weights, model.dimension(9)), table, clip=clip)
    assert np.isfinite(share).all()
    assert math.hypot(*share) <= clip * (1 + 1e-12)


def test_a_batch_is_the_sum_of_its_records_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    model = find_model("cnn:2x6x6:3@3-max2-5-4")
    table = Table(features=rng.normal(size=(9, 72)), labels=rng.integers(0, 4, 9).astype(float))
    weights = model.start(72, rng=rng)
    alone = sum(model.gradient(weights, table, np.array([i]), clip=0.7) for i in range(9))
    assert model.gradient(weights, table, clip=0.7) == pytest.approx(alone, rel=1e-12, abs=1e-14)
    monkeypatch.setattr(network, "CHUNK", 10_000)  # 4 records at a time
    assert model.gradient(weights, table, clip=0.7) == pytest.approx(alone, rel=1e-12, abs=1e-14)


def test_it_learns_where_a_line_stands() -> None:
    """Upright or level lines at any place of a 6 x 6 image."""
    images = np.zeros((12, 6, 6))
    for place in range(6):
        images[place, :, place] = 1.0
        images[6 + place, place, :] = 1.0
    table = Table(features=images.reshape(12, 36), labels=np.repeat([0.0, 1.0], 6))
    model = find_model("cnn:1x6x6:4@3-max2-8-2")
    weights = model.start(36, rng=np.random.default_rng(0))
    for _ in range(200):
        weights = weights - 0.02 * model.gradient(weights, table)
    assert model.predict(weights, table).tolist() == table.labels.tolist()
