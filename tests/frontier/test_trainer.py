import functools
import time
import warnings

import numpy as np
import pytest

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.trainer import Trainer
from dpverify.sampling.streams import stream
from tests.frontier.trainers import Estimator, sound

TABLE = Table(features=np.eye(3), labels=np.array([1.0, -1.0, 1.0]))


def trained(subject, *, epsilon=1.0, seed=0, limit=None):
    trainer = Trainer(subject, name="train", classes=2, limit=limit)
    return trainer.train(TABLE, epsilon=epsilon, delta=1e-5, rng=stream(seed, "test")).numbers(TABLE.features)


def apart(X, y, *, epsilon, rng):
    return y @ X + rng.normal(size=3) / epsilon


def by_seed(table, epsilon, seed):
    return table.labels + np.random.default_rng(seed).normal(size=3) / epsilon


def by_global(table, epsilon):
    return table.labels + np.random.normal(size=3) / epsilon  # noqa: NPY002 - as old code does


@pytest.mark.parametrize("subject", [sound, apart, by_seed, by_global, Estimator, Estimator(epsilon=7.0)])
def test_every_form_is_called_with_its_epsilon_and_repeats_itself(subject):
    assert (trained(subject) == trained(subject)).all()
    assert (trained(subject) != trained(subject, seed=1)).any()
    assert (trained(subject) != trained(subject, epsilon=0.5)).any()


def test_each_warning_is_shown_once():
    def warns(table, epsilon):
        warnings.warn("no norm was given", UserWarning, stacklevel=1)
        return table.labels

    trainer = Trainer(warns, name="train", classes=2)
    with warnings.catch_warnings(record=True) as seen:
        for place in range(3):
            trainer.train(TABLE, epsilon=1.0, delta=1e-5, rng=stream(place, "test"))
    assert len(seen) == 1


def test_an_instance_is_left_as_it_was_and_a_pipeline_is_asked_by_its_steps_name():
    given = Estimator(epsilon=7.0)
    trained(given)
    assert given.epsilon == 7.0
    assert not hasattr(given, "coef_")

    class Pipeline(Estimator):
        def get_params(self, deep=True):
            return {"steps": [], "last__epsilon": self.epsilon, "last__random_state": None}

        def set_params(self, last__epsilon, last__random_state):
            self.epsilon, self.random_state = last__epsilon, last__random_state

    assert (trained(Pipeline()) == trained(Estimator())).all()


@pytest.mark.parametrize(
    ("subject", "says"),
    [
        (lambda table, rng: None, "no parameter epsilon"),
        (lambda epsilon: None, "takes no data"),
        (lambda a, b, c, epsilon: None, "needs c"),
        (lambda table, epsilon, *, width: None, "needs width"),
        (3, "is a int"),
        (type("NoEpsilon", (), {"fit": None, "predict": None}), "no setting epsilon"),
    ],
)
def test_what_is_no_trainer_is_one_line(subject, says):
    with pytest.raises(InputError, match=says):
        Trainer(subject, name="train", classes=2)


def test_bound_arguments_are_no_parameters():
    def wide(table, epsilon, width):
        return table.labels * width + np.random.normal(size=3)  # noqa: NPY002

    assert trained(functools.partial(wide, width=2.0)).shape == (3,)


def test_what_it_raises_and_how_long_it_runs_is_one_line():
    def raises(table, epsilon):
        raise RuntimeError("singular\nmatrix")

    def exits(table, epsilon):
        raise SystemExit(3)

    def hangs(table, epsilon):
        time.sleep(60)

    with pytest.raises(InputError, match="train raised RuntimeError on 3 records at epsilon 1: singular matrix"):
        trained(raises)
    with pytest.raises(InputError, match="train raised SystemExit"):
        trained(exits)
    limit = TimeLimit(per_call=0.2)
    with pytest.raises(InputError, match=r"longer than its limit of 0\.2 s"), limit:
        trained(hangs, limit=limit)
