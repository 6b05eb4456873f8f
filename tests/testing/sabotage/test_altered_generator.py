"""The altered generator: the same numbers where nothing is altered, the asked change where something is."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from dpverify.testing.sabotage.altered_generator import Alteration, AlteredGenerator

CALLS = {
    "normal": ((1.0, 2.0), {"size": 3}),
    "laplace": ((), {"loc": 1.0, "scale": [1.0, 2.0]}),
    "gumbel": ((0.0, 2.0, 4), {}),
    "logistic": ((0.0, 2.0), {}),
    "exponential": ((2.0, 3), {}),
    "rayleigh": ((), {"scale": 2.0, "size": 2}),
    "standard_normal": ((3,), {}),
    "standard_exponential": ((), {"size": (2, 2)}),
    "random": ((5,), {}),
    "uniform": ((2.0, 3.0, 4), {}),
    "geometric": ((0.3, 4), {}),
    "integers": ((0, 10, 4), {}),
    "choice": ((5,), {"size": 2, "replace": False}),
    "permutation": ((5,), {}),
    "poisson": ((3.0, 4), {}),
}


def altered(seed=0, **change):
    return AlteredGenerator(np.random.default_rng(seed), Alteration(**change))


@pytest.mark.parametrize("method", CALLS)
def test_without_an_alteration_numbers_are_those_of_the_generator_beneath(method):
    given, named = CALLS[method]
    one, other = altered(), np.random.default_rng(0)
    for _ in range(2):
        found, plain = getattr(one, method)(*given, **named), getattr(other, method)(*given, **named)
        assert np.array_equal(found, plain)
        assert np.shape(found) == np.shape(plain)


def test_it_is_a_generator_and_no_method_of_numpy_s_is_left_out():
    one = altered()
    assert isinstance(one, np.random.Generator)
    for method, _ in inspect.getmembers(np.random.Generator, callable):
        if not method.startswith("_"):
            assert method in vars(AlteredGenerator), method
    assert isinstance(one.spawn(1)[0], AlteredGenerator)
    assert one.bit_generator is one.inner.bit_generator


@pytest.mark.parametrize("method", ["normal", "laplace", "gumbel", "logistic"])
def test_a_scale_is_altered_and_a_location_is_not(method):
    found = getattr(altered(scale=lambda b: b / 2), method)(10.0, 4.0, size=5)
    assert np.array_equal(found, getattr(np.random.default_rng(0), method)(10.0, 2.0, size=5))


@pytest.mark.parametrize("method", ["standard_normal", "standard_exponential"])
def test_standard_noise_has_a_scale_too(method):
    found = getattr(altered(scale=lambda b: b / 2), method)(size=4)
    assert found == pytest.approx(getattr(np.random.default_rng(0), method)(size=4) / 2)


def test_uniforms_and_geometrics_are_altered():
    assert set(altered(uniform=lambda u: 0 * u + 0.5).random(4)) == {0.5}
    assert set(altered(uniform=lambda u: 0 * u + 0.5).uniform(2.0, 4.0, size=4)) == {3.0}
    assert set(altered(chance=lambda p: 1.0).geometric(0.1, size=4)) == {1}


def test_one_sided_noise_lies_above_its_location():
    assert (altered(sign=True).laplace(3.0, 1.0, size=50) >= 3.0).all()
    assert (altered(sign=True).normal(np.array([1.0, 2.0]), 1.0) >= [1.0, 2.0]).all()


def test_reused_noise_is_one_number():
    one = altered(once=True)
    first, second = one.laplace(0.0, 1.0, size=3), one.laplace(5.0, 2.0)
    assert len(set(first)) == 1
    assert second == 5.0 + 2.0 * first[0]
    assert len({*one.random(3), one.random()}) == 1
    assert len({*one.geometric(0.1, size=3)}) == 1
