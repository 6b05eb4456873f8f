"""Numbers of a release as an array, also where no machine word holds them."""

import math

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.replay import counts
from dpverify.core.verdict import Status
from dpverify.recording.flatten_output import form, leaf_names, leaves, numbers


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


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (1.0, ["result"]),
        ({"b": 1.0, "a": [2.0, 3.0]}, ["result['a'][0]", "result['a'][1]", "result['b']"]),
        ({"h": np.arange(4.0).reshape(2, 2)}, [f"result['h'][{i}, {j}]" for i in (0, 1) for j in (0, 1)]),
        ((1.0, {"x": 2.0}), ["result[0]", "result[1]['x']"]),
    ],
)
def test_each_part_has_its_name(value, names):
    assert list(leaf_names(form(value), "result")) == names
    assert len(list(leaves(value))) == len(names)


def stats(data, rng):
    return {"known": 7, "count": len(data) + rng.laplace(scale=9.0), "mean": sum(data) + rng.laplace(scale=0.4)}


def two_laws(data, rng):
    return {"a": len(data) + rng.normal(scale=9.0), "b": sum(data) + rng.laplace(scale=0.4)}


def only(data, rng):
    return sum(data) + rng.laplace(scale=0.4)


@pytest.mark.parametrize(
    ("mechanism", "told"), [(stats, "result['mean'] > 2"), (two_laws, "result[0]"), (only, "result > 2")]
)
def test_a_replays_event_names_the_key(mechanism, told):
    claim = "ApproxDP(epsilon=0.3, delta=1e-5)"  # refuted in few fresh runs
    found = dpv.audit(mechanism, [1, 1], [1, 0], claim=claim, methods=["replay"])
    assert found.verdict == "refuted"
    assert told in found.evidence.witness["event"]
