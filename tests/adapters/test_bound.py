"""Parameters bound to functions and classes, and that a class itself is no mechanism."""

from __future__ import annotations

import functools

import pytest

from dpverify.adapters.bound import bound, function_of
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.code_key.key import code_key
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError


def noisy_sum(data, rng, scale, *, kind="laplace"):
    return sum(data) + scale


class Sum:
    __slots__ = ("epsilon",)

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def sample(self, dataset, size, *, rng):
        return rng.laplace(scale=1 / self.epsilon, size=size)


class Called(Sum):
    def __call__(self, data, rng):
        return self.epsilon


def test_a_function_keeps_its_name():
    made = bound(noisy_sum, {"scale": 2.0})
    assert made([1], None) == 3.0
    assert callable_name(made) == CallableMechanism(made).name == "noisy_sum"
    assert callable_name(functools.partial(functools.partial(Called(1)), rng=1)) == "Called"
    assert bound(noisy_sum, None) is noisy_sum


def test_a_class_makes_its_instance():
    made = bound(Sum, {"epsilon": 3.0})
    assert made.epsilon == 3.0
    assert function_of(made) == made.sample
    mechanism = CallableMechanism(made)
    assert (mechanism.name, mechanism.call) == ("Sum", "batch")
    assert CallableMechanism(Called(1)).call == "scalar"


@pytest.mark.parametrize("mechanism", [Sum, functools.partial(Sum, epsilon=1.0)])
def test_a_class_is_no_mechanism(mechanism):
    with pytest.raises(InputError, match=r"Sum is a class.*Sum\(epsilon=1\.0\).*test_bound:Sum\(epsilon=1\.0\)"):
        CallableMechanism(mechanism)


@pytest.mark.parametrize(
    ("mechanism", "parameters", "words"),
    [
        (noisy_sum, {"scal": 1}, r"'scal'; allowed: parameters of noisy_sum: scale, kind; did you mean scale\?"),
        (noisy_sum, {"rng": 1}, "'rng'; allowed: what the audit does not give"),
        (noisy_sum, {"data": [1]}, "'data'; allowed: what the audit does not give"),
        (noisy_sum, {1: 2}, "values by name"),
        (noisy_sum, "scale=1", "values by name"),
        (3, {"a": 1}, "3 is not callable"),
    ],
)
def test_what_cannot_be_bound(mechanism, parameters, words):
    with pytest.raises(InputError, match=words):
        bound(mechanism, parameters)


def test_evidence_of_one_instance_is_not_that_of_another():
    assert code_key(Sum(1.0)) != code_key(Sum(2.0))
    assert code_key(Sum(1.0).sample) != code_key(Sum(2.0).sample)
    assert code_key(Sum(1.0)) == code_key(Sum(1.0))
