"""DP-SGD: its limits without noise, its sensitivity, what its transcript says, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.dp_sgd import DpSgd

RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(60, 3)), labels=RNG.choice([-1.0, 1.0], 60))


def test_without_noise_and_clipping_it_finds_scikit_learns_optimum() -> None:
    """q = 1: plain gradient descent on the mean loss with l2 / 2 |w|^2, which is scikit-learn's with C = 1 / (n l2)."""
    algorithm = DpSgd(steps=400, rate=1.0, noise_multiplier=0.0, clip=math.inf, step_size=1.5, l2=0.1)
    expected = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-12, max_iter=1000)
    expected.fit(TABLE.features, TABLE.labels)
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(expected.coef_[0], abs=1e-7)


def test_softmax_regression_is_trained_too() -> None:
    """The loop, for a model without a kernel: two classes of softmax end where logistic regression does."""
    classes = Table(features=TABLE.features, labels=(TABLE.labels + 1) / 2)
    settings = {"steps": 200, "rate": 1.0, "noise_multiplier": 0.0, "clip": math.inf}
    pair = DpSgd(model="softmax:2", step_size=1.0, **settings).sample(classes, 1, rng=stream(0, "pair"))[0]
    one = DpSgd(step_size=2.0, **settings).train(TABLE, rng=stream(0, "one"))  # a weight's difference moves twice
    assert pair[3:] - pair[:3] == pytest.approx(one, rel=1e-9)


def test_the_transcript_says_what_it_believes() -> None:
    whole = DpSgd(steps=3, noise_multiplier=2.0, clip=0.5).transcript(TABLE, rng=stream(0, "run"))
    assert whole.iterates.shape == (4, 3)
    assert whole.iterates[0].tolist() == [0.0, 0.0, 0.0]
    assert np.array_equal(whole.iterates[-1], whole.result)
    assert [(each.name, each.law, each.scale, each.sensitivity) for each in whole.perturbed] == [
        ("gradient", "gaussian", 1.0, 0.5)
    ] * 3
    assert whole.step_sizes.tolist() == [1.0] * 3


@given(st.integers(0, 59), st.integers(0, 2**32), st.floats(0.05, 2.0))
def test_removing_a_record_moves_the_first_sum_by_at_most_the_clip(index: int, seed: int, clip: float) -> None:
    """The last record, so that the others keep their places in the batch; and it does so when it is in."""
    order = np.concatenate([np.delete(np.arange(60), index), [index]])
    table = TABLE.take(order)
    algorithm = DpSgd(steps=2, rate=0.5, clip=clip)
    whole = algorithm.transcript(table, rng=stream(seed, "pair"))
    again = algorithm.replay(table.without(59), whole)
    moved = whole.perturbed[0].clean - again.perturbed[0].clean
    inside = 59 in whole.draws[0].values
    norm = min(clip, find_model("logistic").norms(np.zeros(3), table)[59])
    assert np.linalg.norm(moved) == pytest.approx(norm if inside else 0.0, rel=1e-9, abs=1e-12)


def test_an_empty_batch_is_a_step_of_noise() -> None:
    whole = DpSgd(steps=40, rate=1e-3).transcript(TABLE, rng=stream(0, "empty"))
    sizes = [draw.values.size for draw in whole.draws if draw.name == "batch"]
    assert 0 in sizes
    for size, each in zip(sizes, whole.perturbed, strict=True):
        assert size or not each.clean.any()
        assert each.noise.all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"rate": 0.0},
        {"rate": 1.5},
        {"noise_multiplier": -1.0},
        {"clip": 0.0},
        {"clip": math.inf},
        {"step_size": 0.0},
        {"l2": -1.0},
        {"divisor": 0.0},
        {"model": "no-such"},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="no-such" if "model" in wrong else next(iter(wrong))):
        DpSgd(**wrong)  # type: ignore[arg-type]
