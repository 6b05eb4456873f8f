"""Clipping is taken out of sources, wherever it is written in one of the usual ways."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from dpverify.testing.sabotage.without_clip import without_clip

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
