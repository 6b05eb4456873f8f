"""The base of training algorithms: one definition, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.subjects import capabilities
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.training.trainer import Training, table_for

TABLE = Table(features=np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), labels=np.array([1.0, -1.0, 1.0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyTotal(Training):
    """The sum of a random half of the records, noisy."""

    scale: float = 1.0

    def run(self, dataset, tape: Tape):
        batch = tape.poisson_subset("batch", dataset.rows, 0.5)
        clean = dataset.features[batch].sum(axis=0)
        return tape.perturb("total", clean, law="gaussian", scale=self.scale, sensitivity=3.0)


def test_everything_follows_from_the_one_definition() -> None:
    algorithm = NoisyTotal()
    assert capabilities(algorithm) == {"sample", "transcript"}
    whole = algorithm.transcript(TABLE, rng=stream(0, "run"))
    assert np.array_equal(algorithm.train(TABLE, rng=stream(0, "run")), whole.result)
    assert np.array_equal(algorithm.sample(TABLE, 1, rng=stream(0, "run"))[0], whole.result)
    assert np.array_equal(whole.perturbed[0].value, whole.result)


def test_samples_are_runs_one_after_another() -> None:
    out = NoisyTotal().sample(TABLE, 4, rng=stream(0, "runs"))
    tape = Tape.recording(stream(0, "runs"))
    assert out.shape == (4, 2)
    for row in out:
        assert np.array_equal(row, NoisyTotal().run(TABLE, tape))
    assert len({row.tobytes() for row in out}) == 4


def test_a_replay_on_a_neighbour_moves_the_clean_value_alone() -> None:
    algorithm = NoisyTotal()
    there = TABLE.replaced(1, np.array([0.0, 2.5]), -1.0)
    moved = []
    for name in range(8):
        whole = algorithm.transcript(TABLE, rng=stream(0, "pair", name))
        again = algorithm.replay(there, whole)
        assert np.array_equal(again.perturbed[0].noise, whole.perturbed[0].noise)
        moved.append((again.perturbed[0].clean - whole.perturbed[0].clean).tolist())
        assert np.array_equal(algorithm.replay(TABLE, whole).result, whole.result)
    assert {tuple(each) for each in moved} == {(0.0, 0.5), (0.0, 0.0)}  # record 1 is in the batch, or not


def test_data_sets_that_a_model_cannot_be_trained_on_are_refused() -> None:
    model, none = find_model("logistic"), TABLE.take(np.empty(0, dtype=np.int64))
    assert table_for(model, TABLE, columns=2) is TABLE
    with pytest.raises(InputError, match="type ndarray; allowed: a Table"):
        table_for(model, TABLE.features)
    with pytest.raises(InputError, match="3 columns"):
        table_for(model, TABLE, columns=3)
    with pytest.raises(InputError, match="without records"):
        table_for(model, none)
    with pytest.raises(InputError, match="label 2"):
        table_for(model, Table(features=np.ones((1, 1)), labels=np.array([2.0])))
