"""Generators made inside from the recorded one: followed as it is, and only these."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.verdict import Status
from dpverify.recording.user_hooks import Recording

LONG, SHORT = [1.0, 1.0], [1.0]
PURE = dpv.PureDP(epsilon=1.0)
FEW_RUNS = dpv.PureDP(epsilon=0.3)
"""A smaller claim is refuted in fewer fresh runs: 64 a side are the fewest."""

MADE = {
    "RandomState of an int": lambda rng: np.random.RandomState(int(rng.integers(2**32))),
    "RandomState of its number": lambda rng: np.random.RandomState(rng.integers(2**32)),
    "RandomState of several": lambda rng: np.random.RandomState(rng.integers(2**32, size=4)),
    "RandomState of its bit generator": lambda rng: np.random.RandomState(rng.bit_generator),
    "RandomState of a Mersenne twister": lambda rng: np.random.RandomState(np.random.MT19937(rng.integers(2**32))),
    "default_rng": lambda rng: np.random.default_rng(rng.integers(2**32)),
    "default_rng of a sequence": lambda rng: np.random.default_rng(np.random.SeedSequence(int(rng.integers(2**32)))),
    "Generator of its bit generator": lambda rng: np.random.Generator(rng.bit_generator),
}
OF_PYTHON = {
    "Random of an int": lambda rng: random.Random(int(rng.integers(2**32))),
    "Random of a float": lambda rng: random.Random(rng.random()),
    "Random of bytes": lambda rng: random.Random(rng.bytes(16)),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_shown_beside_its_noise_is_looked_at(name):
    result = dpv.audit_replay(lambda data, rng: [MADE[name](rng).laplace(), len(data)], LONG, SHORT, claim=FEW_RUNS)
    assert result.verdict is Status.REFUTED
    assert result.evidence.statistics["hidden_coin"] is None


def noisy(name, scale):
    return lambda data, rng: float(sum(data) + MADE[name](rng).laplace(scale=scale))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("scale", [0.4, 1.0])
def test_its_noise_keeps_its_account(name, scale):
    """What is claimed is measured, to the last digits."""
    result = dpv.audit_replay(noisy(name, scale), LONG, SHORT, claim=dpv.PureDP(epsilon=1 / scale))
    assert result.verdict is Status.NOT_REFUTED
    assert result.epsilon_lower == pytest.approx(1 / scale)


@pytest.mark.parametrize("name", ["RandomState of several", "default_rng", "Generator of its bit generator"])
def test_half_of_the_noise_that_the_claim_needs_is_refuted(name):
    """By fresh runs, which the test of what is shown beside its noise has of each of them."""
    assert dpv.audit_replay(noisy(name, 0.4), LONG, SHORT, claim=PURE).verdict is Status.REFUTED


@pytest.mark.parametrize("name", OF_PYTHON)
@pytest.mark.parametrize("method", ["gauss", "normalvariate"])
def test_pythons_generators_are_followed_too(name, method):
    def mechanism(data, rng):
        return sum(data) + getattr(OF_PYTHON[name](rng), method)(0.0, 2.0)

    result = dpv.audit_replay(mechanism, LONG, SHORT, claim="GDP(mu=0.6)")
    assert result.verdict is Status.NOT_REFUTED
    assert result.epsilon_lower == pytest.approx(math.erf(0.25 / math.sqrt(2.0)))  # delta at epsilon 0 of mu = 0.5


@pytest.mark.parametrize(
    ("mechanism", "coin"),
    [
        (lambda data, rng: MADE["RandomState of an int"](rng).uniform(), "a draw by uniform of a RandomState"),
        (lambda data, rng: OF_PYTHON["Random of an int"](rng).random(), "a draw by random of a random.Random"),
        (lambda data, rng: np.random.RandomState(int(rng.integers(2**31)) // 2).laplace(), "a draw by integers"),
    ],
)
def test_other_draws_and_other_seeds_stay_hidden_coins(mechanism, coin):
    evidence = dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE).evidence
    assert evidence.statistics["hidden_coin"].startswith(coin)


def test_a_seed_that_is_shown_or_used_twice_is_a_coin():
    def shown(data, rng):
        seed = int(rng.integers(2**32))
        return [sum(data) + np.random.RandomState(seed).laplace(), seed]

    def twice(data, rng):
        seed = int(rng.integers(2**32))
        return [np.random.RandomState(seed).laplace(), np.random.RandomState(seed).laplace()]

    for mechanism, words in ((shown, "was shown"), (twice, "a second generator")):
        assert words in dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE).evidence.statistics["hidden_coin"]


def test_constructors_are_themselves_outside_of_a_run_and_for_other_seeds():
    kinds = np.random.RandomState, np.random.default_rng, np.random.Generator, np.random.MT19937, random.Random
    seen = []

    def mechanism(data, rng):
        seen.append((type(np.random.RandomState(3)), isinstance(np.random.RandomState(3), np.random.RandomState)))
        return sum(data) + rng.laplace()

    dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE)
    assert set(seen) == {(kinds[0], True)}
    after = np.random.RandomState, np.random.default_rng, np.random.Generator, np.random.MT19937, random.Random
    assert all(one is other for one, other in zip(kinds, after, strict=True))


def test_constructors_come_back_after_an_exception():
    kind = np.random.RandomState
    with pytest.raises(ValueError, match="no"), dpv.record(np.random.default_rng(0)) as recorded:
        recorded.run(_raises, LONG)
    assert np.random.RandomState is kind


def _raises(data, rng):
    raise ValueError("no")


def test_a_draw_is_placed_at_the_line_that_asks_for_it_and_not_inside_pythons_module():
    recording = Recording(np.random.default_rng(0))
    recording.run(lambda data, rng: random.Random(int(rng.integers(2**32))).choice([1, 2, 3]), LONG)
    places = {step.where.partition(":")[0] for step in recording.transcript.steps if step.kind == "coin"}
    assert places == {"tests/recording/test_derived_generators.py"}
