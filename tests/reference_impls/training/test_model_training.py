"""Public starting weights from the seed; samples by the kernel for linear models, by the loop for all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.training.model_training import LinearKernel, ModelTraining

TABLE = Table(features=np.eye(4), labels=np.array([0.0, 1.0, 1.0, 0.0]))
BINARY = Table(features=np.eye(4), labels=np.array([-1.0, 1.0, 1.0, -1.0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tells(ModelTraining, LinearKernel):
    """Its loop returns 1, its kernel 2."""

    def run(self, dataset, tape):
        return np.ones(1)

    def run_kernel(self, out, model, table, state):
        assert model.name == self.model
        assert table.rows == 4
        assert len(state) == 4
        out[:] = 2.0


def test_the_kernel_samples_linear_models_and_the_loop_the_others() -> None:
    assert (Tells(model="logistic").sample(BINARY, 3, rng=stream(0, "a")) == np.full((3, 4), 2.0)).all()
    assert (Tells(model="softmax:2").sample(TABLE, 3, rng=stream(0, "a")) == np.ones((3, 1))).all()
    with pytest.raises(InputError, match="label"):
        Tells(model="logistic").sample(TABLE, 3, rng=stream(0, "a"))


def test_starting_weights_follow_the_seed() -> None:
    starts = [Tells(model="mlp:4-3-2", start_seed=seed).begin(TABLE)[2] for seed in (0, 0, 1)]
    assert np.array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[0], starts[2])
    model, table, start = Tells().begin(BINARY)
    assert (model.name, table, start.tolist()) == ("logistic", BINARY, [0.0] * 4)


def test_an_unknown_model_is_refused_when_the_algorithm_is_built() -> None:
    with pytest.raises(InputError, match="no model called 'no-such'"):
        Tells(model="no-such")
