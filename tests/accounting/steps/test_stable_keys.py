"""Thresholded counts: the delta that a library got wrong, enumeration of histograms, and what is refused."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.stable_keys import StableKeysStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError


@functools.cache
def composed(step, count):
    return compose(Composition.repeat(step, count))


def delta(step, at, count=1):
    return composed(step, count).delta(at)


def test_golden_value():
    """Discrete Laplace noise of scale 1, threshold 2: .2689 and not .0989, which a library said."""
    found = delta(StableKeysStep(scale=1, threshold=2, noise="discrete-laplace"), 1.0)
    exact = math.exp(-1) / (1 + math.exp(-1))
    assert exact == pytest.approx(0.268941, abs=1e-6)
    assert found.lower <= exact <= found.upper and found.upper - found.lower < 1e-6
    assert found.lower > 0.0989


@pytest.mark.parametrize(("scale", "threshold"), [(1.0, 2.0), (2.0, 9.0), (0.7, 14.0)])
def test_one_step_is_the_larger_of_the_two(scale, threshold):
    """Continuous Laplace noise: max(1 - e^((t - epsilon) / 2), e^-((threshold - 1) / scale) / 2), both known."""
    for at in (0.0, 0.2, 0.6, 1.3):
        exact = max(-math.expm1(min((at - 1 / scale) / 2, 0)), math.exp(-(threshold - 1) / scale) / 2)
        found = delta(StableKeysStep(scale=scale, threshold=threshold), at)
        assert found.lower - 1e-12 <= exact <= found.upper + 1e-12
        assert found.upper - found.lower < 2e-3 * exact


def outputs(count, scale, threshold):
    """The law of a key's output under discrete Laplace noise: nothing, or each of the counts from the threshold on."""
    if count == 0:
        return np.concatenate(([1.0], np.zeros(400)))
    places = np.arange(threshold, threshold + 400)
    masses = math.tanh(1 / (2 * scale)) * np.exp(-np.abs(places - count) / scale)
    return np.concatenate(([1 - masses.sum()], masses))


@pytest.mark.parametrize("counts", [1, 2, 5, 30])
def test_no_histogram_costs_more(counts):
    """Two releases of one key with and without a record: below the upper end, and the lower end is reached."""
    step = StableKeysStep(scale=1.5, threshold=6, noise="discrete-laplace")
    p, q = outputs(counts, 1.5, 6), outputs(counts - 1, 1.5, 6)
    both = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    mixed = np.outer(p, outputs(1, 1.5, 6)).ravel(), np.outer(q, outputs(0, 1.5, 6)).ravel()
    for at in (0.0, 0.3, 0.9):
        factor = math.exp(at)
        for pair, count in (((p, q), 1), (both, 2), (mixed, 2)):
            found = delta(step, at, count)
            for first, second in (pair, pair[::-1]):
                assert float(np.sum(np.maximum(first - factor * second, 0))) <= found.upper + 1e-9


def test_the_lower_end_is_a_new_key_or_a_frequent_one():
    step, scale = StableKeysStep(scale=1.5, threshold=6, noise="discrete-laplace"), 1.5
    for at in (0.0, 0.3, 0.9, 2.0):
        factor, exact = math.exp(at), 0.0
        for count in (1, 60):
            p, q = outputs(count, scale, 6), outputs(count - 1, scale, 6)
            both = np.outer(p, p), np.outer(q, q)
            exact = max(exact, *(float(np.sum(np.maximum(a - factor * b, 0))) for a, b in (both, both[::-1])))
        found = delta(step, at, 2)
        assert found.lower <= exact + 1e-9
        assert found.lower >= exact * 0.99


def test_several_keys_are_several_steps():
    one, three = StableKeysStep(scale=3, threshold=30), StableKeysStep(scale=3, threshold=30, keys=3)
    assert delta(three, 0.5) == delta(one, 0.5, 3)


def test_gaussian_noise():
    """P(1 + N(0, 9) >= 20) = 1.2003e-10: beyond 1.27 epsilon costs what Gaussian noise does."""
    from dpverify.accounting.steps.gaussian import GaussianStep

    step = StableKeysStep(scale=3, threshold=20, noise="gaussian")
    found, plain = delta(step, 1.0), delta(GaussianStep(sigma=3), 1.0)
    assert found.lower <= plain.upper and plain.lower <= found.upper
    assert delta(step, 20.0).upper == pytest.approx(step.published(), rel=1e-6)
    assert step.published() == pytest.approx(1.2e-10, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scale": 1, "threshold": 2.5, "noise": "discrete-laplace"}, "whole number"),
        ({"scale": 1, "threshold": 0.5}, "threshold"),
        ({"scale": 1, "threshold": 2, "noise": "cauchy"}, "laplace"),
        ({"scale": 1, "threshold": 2, "keys": 0}, "keys"),
        ({"scale": 0.1, "threshold": 1000}, "with probability"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InputError, match=message) as caught:
        StableKeysStep(**arguments)
    assert "\n" not in str(caught.value)
