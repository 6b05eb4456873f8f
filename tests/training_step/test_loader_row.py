"""The loader of a training: Poisson samples are not accused, and what the account does not cover is."""

import numpy as np
import pytest

import dpverify as dpv
from dpverify.training_step.loader_row import loader_row
from tests.training_step.models import TABLE, WEIGHTS
from tests.training_step.right_steps import CLAIM, plain

RECORDS, RATE = 60, 0.1
ACCOUNT = dpv.TrainingAccount(steps=10, sample_rate=RATE, history=[(1.0, RATE, 10)])


def poisson(rng, rate=RATE):
    yield from (rng.random(RECORDS) < rate for _ in range(10))


def double(rng):
    yield from poisson(rng, 2 * RATE)


def shuffled(rng):
    yield from (rng.permutation(RECORDS).reshape(10, 6))


def fixed(rng):
    yield from (rng.choice(RECORDS, 6, replace=False) for _ in range(10))


def raises(rng):
    raise OSError("no such file")
    yield


def of(loader):
    return {"loader": loader, "records": RECORDS, "epochs": 300}


@pytest.mark.parametrize("account", [None, ACCOUNT])
def test_poisson_samples_are_not_refuted(account):
    row = loader_row(of(poisson), account, 1e-6, 0)
    assert row.verdict is dpv.Status.NOT_REFUTED, row
    assert row.words.startswith("batches were not told apart from poisson(rate=")


@pytest.mark.parametrize("loader", [shuffled, fixed])
def test_other_samples_are_refuted(loader):
    row = loader_row(of(loader), None, 1e-6, 0)
    assert row.verdict is dpv.Status.REFUTED
    assert "batches are not poisson" in row.words and row.number < 1e-6 and row.shown and row.change


def test_the_rate_is_that_of_the_account():
    assert loader_row(of(double), None, 1e-6, 0).verdict is dpv.Status.NOT_REFUTED
    assert loader_row(of(double), ACCOUNT, 1e-6, 0).verdict is dpv.Status.REFUTED


def test_a_loader_that_cannot_be_read_is_no_pass_and_names_the_command():
    row = loader_row(of(raises), None, 1e-6, 0)
    assert row.verdict is dpv.Status.INCONCLUSIVE
    assert "OSError" in row.words and "dpverify sampler" in row.change


def test_a_word_that_is_no_argument_is_one_line():
    with pytest.raises(dpv.InputError, match="loader with 'record'"):
        loader_row({"loader": poisson, "record": RECORDS}, None, 1e-6, 0)


def test_the_row_stands_in_the_result_and_generators_are_as_they_were():
    np.random.seed(5)  # noqa: NPY002 - the global generator that a training may draw from
    want = np.random.random(3)  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    found = dpv.check_training_step(plain, WEIGHTS, TABLE, **CLAIM, account=ACCOUNT, loader=of(shuffled))
    assert [row.name for row in found.rows if row.verdict is dpv.Status.REFUTED] == ["loader"]
    assert np.array_equal(np.random.random(3), want)  # noqa: NPY002
