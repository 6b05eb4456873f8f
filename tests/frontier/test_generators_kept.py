"""What is drawn after an audit of a loader or a trainer does not come from the seeds of that audit."""

import random

import numpy as np
import pytest

import dpverify as dpv

DATA = np.random.default_rng(1).normal(size=(60, 3)), np.tile([1.0, -1.0], 30)


def one_pass(rng):
    for _ in range(4):
        yield np.random.permutation(20)[:5]  # noqa: NPY002


def sampler():
    dpv.audit_sampler(one_pass, records=20, accounted="fixed-size(size=5)", epochs=20)


def canaries():
    def train(features, labels):
        return features.sum(axis=0) + np.random.normal(size=features.shape[1])  # noqa: NPY002

    with dpv.canaries(train, DATA, claim="GDP(mu=1)", count=100, own_columns=True) as study:
        model = study.train()
        study.score(np.asarray(model)[-100:])


@pytest.mark.parametrize("audit", [sampler, canaries])
def test_global_generators_are_left_as_they_were(audit):
    before, numbers = random.getstate(), np.random.get_state()  # noqa: NPY002
    audit()
    assert random.getstate() == before
    after = np.random.get_state()  # noqa: NPY002
    assert after[2] == numbers[2]
    assert np.array_equal(after[1], numbers[1])
