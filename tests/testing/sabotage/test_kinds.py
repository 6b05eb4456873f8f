"""Mutants have the signature of the mechanism, and each does what its name says."""

from __future__ import annotations

import functools
import inspect
import math

import numpy as np
import pytest

from dpverify.core.subjects import Pair
from dpverify.testing.sabotage.kinds import kinds_of, passing_on, size_of, without_clip

PAIRS = [Pair(d0=[1.0, 4.0], d1=[1.0])]


def noisy_sum(data, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(scale=4.0)


def noisy_sums(data, size, rng):
    return sum(data) + rng.laplace(scale=4.0, size=size)


def plain(data):
    return sum(min(max(x, 0.0), 1.0) for x in data)


def made(mechanism, **settings):
    return {each.name: each for each in kinds_of(mechanism, "m", PAIRS, **({"altered": True} | settings))}


def noise(mutant, data=(1.0, 4.0)):
    rng = np.random.default_rng(0)
    return mutant.broken(list(data), rng=rng) - sum(min(max(x, 0.0), 1.0) for x in data)


def test_each_does_what_its_name_says():
    found = made(noisy_sum)
    own = np.random.default_rng(0).laplace(scale=4.0)
    assert noise(found["noise-halved"]) == pytest.approx(own / 2)
    assert noise(found["noise-removed"]) == 0.0
    assert noise(found["noise-root"]) == pytest.approx(own / 2)
    assert noise(found["noise-one-sided"]) == pytest.approx(abs(own))
    assert noise(found["sensitivity-from-data"]) == pytest.approx(own)
    assert noise(found["sensitivity-from-data"], (1.0,)) == pytest.approx(own / 4)
    assert found["clip-dropped"].broken([1.0, 4.0], rng=np.random.default_rng(0)) == pytest.approx(5.0 + own)
    once, again = (found["seed-fixed"].broken([1.0], rng=np.random.default_rng(seed)) for seed in (1, 2))
    assert once == again


def test_batches_stay_batches_but_where_each_output_needs_a_call():
    found = made(noisy_sums)
    kinds = {name: list(inspect.signature(each.broken).parameters) for name, each in found.items() if each.broken}
    alone = {"noise-reused", "seed-fixed"}
    assert {name for name, words in kinds.items() if words == ["data", "rng"]} == alone
    assert found["noise-halved"].broken([1.0], size=3, rng=np.random.default_rng(0)).shape == (3,)
    assert "no clipping" in found["clip-dropped"].left_out


def test_what_cannot_be_made_says_why():
    found = made(plain)
    assert found["noise-halved"].left_out == "it takes no rng"
    assert found["clip-dropped"].broken([4.0]) == 4.0
    assert "numpy's own" in made(noisy_sum, altered=False)["seed-fixed"].left_out


def test_a_generator_that_passes_on_changes_nothing():
    one, other = (np.random.default_rng(0) for _ in range(2))
    assert passing_on(noisy_sum, "m")([1.0], one) == noisy_sum([1.0], other)


@pytest.mark.parametrize(
    ("data", "size"),
    [([1.0, -3.0], 3.0), ([], 0.0), (["a", "b", "a"], 2.0), ([{"age": 3, "sex": "f"}], 3.0), (np.ones((2, 2)), 1.0)],
)
def test_the_size_of_data(data, size):
    assert size_of(data) == size


DATA = [0.5, 3.0, -4.0]
LOW, HIGH = 0.0, 1.0


def by_numpy(data, rng):
    return float(np.clip(data, 0.0, 1.0).sum())


def by_method(data, rng):
    return float(np.array(data).clip(0.0, 1.0).sum())


def by_min_of_max(data, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data)


def by_max_of_min(data, rng):
    return sum(max(0.0, min(1.0, x)) for x in data)


def by_numpy_min(data, rng):
    return float(np.minimum(np.maximum(np.array(data), 0.0), 1.0).sum())


def by_division(data, rng):
    return sum(x / max(1.0, abs(x) / 1.0) for x in data)


def by_factor(data, rng):
    return sum(x * min(1.0, 1.0 / abs(x)) for x in data)


def cut(x):
    return min(max(x, LOW), HIGH)


def by_another_function(data, rng):
    return sum(cut(x) for x in data)


def with_a_default(data, rng, *, most=1.0):
    return sum(min(max(x, 0.0), most) for x in data)


def without_any(data, rng):
    return max(sum(data), 0.0)


class Adder:
    def __init__(self, most):
        self.most = most

    def __call__(self, data, rng):
        return sum(min(max(x, 0.0), self.most) for x in data)

    def add(self, data, rng):
        return self(data, rng) + 0 * min(max(1.0, 0.0), 1.0)


def closure(most):
    def inside(data, rng):
        return sum(min(max(x, 0.0), most) for x in data)

    return inside


@pytest.mark.parametrize(
    "mechanism",
    [
        by_numpy,
        by_method,
        by_min_of_max,
        by_max_of_min,
        by_numpy_min,
        by_division,
        by_factor,
        by_another_function,
        with_a_default,
        functools.partial(with_a_default, most=1.0),
        closure(1.0),
        Adder(1.0),
    ],
    ids=lambda each: getattr(each, "__name__", type(each).__name__),
)
def test_clipping_is_taken_out(mechanism):
    assert mechanism(DATA, None) != pytest.approx(sum(DATA))
    found = without_clip(mechanism)
    assert found is not None
    assert found(DATA, None) == pytest.approx(sum(DATA))
    assert mechanism(DATA, None) != pytest.approx(sum(DATA)), "the mechanism itself is as it was"


@pytest.mark.parametrize("mechanism", [without_any, math.fsum, lambda data, rng: sum(data)])
def test_where_there_is_none_nothing_is_made(mechanism):
    assert without_clip(mechanism) is None


def test_a_method_is_rewritten_and_stays_bound():
    assert without_clip(Adder(1.0).add)(DATA, None) == Adder(1.0)(DATA, None)
