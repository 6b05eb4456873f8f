"""A proof is of every way in which a function is called: with all that an audit gives, and with what has no default."""

import functools

import numpy as np
import pytest

import dpverify as dpv
from dpverify.derivation import calls
from dpverify.derivation.derive import derive
from dpverify.derivation.paths import paths_with

SHARED = np.random.default_rng(0)


def fresh(data, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, 1.0)


def one(data, rng, size=1):
    return np.sum(data) + rng.laplace(0.0, 1.0, size=size)


def none(data, rng, size=None):
    return np.sum(data) + rng.laplace(0.0, 1.0, size=size)


def seeded(data, rng=None):
    rng = np.random.default_rng(7) if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, 1.0)


def shared(data, rng=SHARED):
    return np.sum(data) + rng.laplace(0.0, 1.0)


def less_noise(data, rng=None):
    if rng is None:
        return np.sum(data) + np.random.default_rng().laplace(0.0, 0.5)
    return np.sum(data) + rng.laplace(0.0, 1.0)


def twenty(data, rng, size=20):
    return np.sum(data) + rng.laplace(0.0, 1.0, size=size)


def from_a_list(data, rng, *, size=(3,)):
    return np.sum(data) + rng.laplace(0.0, 1.0, size=size)


def by_default(data, scale=1.0, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, scale)


def told_by_shape(data, rng, size=None):
    found = np.sum(data) + rng.laplace(0.0, 1.0, size=size)
    if found.ndim == 0:
        return np.sum(data) + rng.laplace(0.0, 0.001)
    return found


def told_by_shape_without_both(data, rng=None, size=None):
    rng = np.random.default_rng() if rng is None else rng
    noise = rng.laplace(0.0, 1.0, size=size)
    if np.abs(noise).ndim == 0:
        return np.sum(data) + rng.laplace(0.0, 0.001)
    return np.sum(data) + noise


def not_seeded(data, rng=None, seed=None):
    rng = np.random.default_rng(seed) if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, 1.0)


def not_seeded_by_name(data, rng=None):
    rng = np.random.default_rng(seed=None) if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, 1.0)


def seeded_by_default(data, rng=None, seed=3):
    rng = np.random.default_rng(seed) if rng is None else rng
    return np.sum(data) + rng.laplace(0.0, 1.0)


class Sum:
    def __call__(self, data, rng=None):
        rng = np.random.default_rng(3) if rng is None else rng
        return np.sum(data) + rng.laplace(0.0, 1.0)


def found(function):
    return derive(function, data=np.array([0.2, 0.5]), bounds="0:1", claim="PureDP(epsilon=1)")


@pytest.mark.parametrize(
    "function", [fresh, one, none, by_default, functools.partial(by_default, scale=2.0), not_seeded, not_seeded_by_name]
)
def test_calls_that_do_the_same_are_proved(function):
    assert found(function).outcome == "proved"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (seeded, "what it does without rng: test_calls.py:"),
        (shared, "what it does without rng: "),
        (Sum(), "what it does without rng: test_calls.py:"),
        (less_noise, "something else than with rng where it is called without one"),
        (seeded_by_default, "what it does without rng: test_calls.py:"),
        (told_by_shape, "test_calls.py:"),
        (told_by_shape_without_both, "test_calls.py:"),
        (twenty, "a size of its own"),
        (from_a_list, "a size of its own"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_calls_that_do_something_else_are_not(function, why):
    told = found(function)
    assert told.outcome == "not derived" and told.why.startswith(why), told.why


def test_a_call_without_size_may_cost_no_more(monkeypatch):
    def loud(data, rng):
        return np.sum(data) + rng.laplace(0.0, 0.5)

    def with_size_alone(function, domain, relation, given):
        return paths_with(function if "size" in given else loud, domain, relation, given)

    monkeypatch.setattr(calls, "paths_with", with_size_alone)
    assert found(one).why == "a call without size, which costs more than one with it"


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_integers_beyond_doubles_are_infinite(value):
    def clipped(data, rng):
        return sum(min(max(x, 0), 1) for x in data) + rng.laplace(0.0, 1.0)

    def plain(data, rng):
        return sum(data) + rng.laplace(0.0, 1.0)

    told = [derive(f, data=[1], records=f"choice(1, {value})", claim="PureDP(epsilon=1)") for f in (clipped, plain)]
    assert [each.outcome for each in told] == ["proved", "not derived"]


OWN = np.random.default_rng()


@dpv.noise_primitive(law="laplace")
def in_place(value, scale):
    value += OWN.laplace(0, scale, size=np.shape(value) or None)
    return value


def falsely_declared(data, rng):
    return in_place(np.sum(data) * np.ones(1), 1.0)


def test_without_a_claim_the_code_is_run_too():
    told = derive(falsely_declared, data=np.array([0.2, 0.5]), bounds="0:1")
    assert told.outcome == "not derived" and "changes what it is given" in told.why
    assert derive(one, data=np.array([0.2, 0.5]), bounds="0:1").outcome == "derived"
