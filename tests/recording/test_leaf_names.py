"""Parts of a recorded result have the names of their keys, in the order of `leaves`."""

import numpy as np
import pytest

import dpverify as dpv
from dpverify.recording.flatten_output import form, leaf_names, leaves


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
