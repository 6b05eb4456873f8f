"""Numbers of a release as an array, also where no machine word holds them."""

import math

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.replay import counts
from dpverify.core.verdict import Status
from dpverify.recording.flatten_output import numbers


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2], [1, 2]),
        ([0.5, 2], [0.5, 2.0]),
        ([10**30, 1], [1e30, 1.0]),
        ([-(10**400), 1], [-math.inf, 1.0]),
    ],
)
def test_integers_of_any_length_become_numbers(values, found):
    assert numbers(values).tolist() == found
    assert numbers(values).dtype != object


def test_a_mechanism_that_returns_long_integers_is_audited(monkeypatch):
    monkeypatch.setattr(counts, "PILOT", (16, 32))  # whole histories are weighed as ever, but fewer

    def long_sum(data, rng):
        return int((sum(data) + rng.laplace()) * 10**30)

    result = dpv.audit(long_sum, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3], trials=1_000)
    assert result.verdict is Status.NOT_REFUTED
    assert np.isfinite(result.epsilon_lower)
