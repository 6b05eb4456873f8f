"""What must hold of every gate: fresh draws for each step, a number of draws that repeats the audit, sound replays.

Audits of true claims are at 1e-9: each is refuted with that probability.
"""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.verdict import Status

SURE = 1 - 1e-9
DATA = [0.0, 1.0, 0.3]


def test_no_step_draws_what_another_has_drawn():
    """Streams of search, bets and event begin in different states; only the probe repeats its own on purpose."""
    states: list[str] = []

    def noisy_sum(data, size, rng):
        states.append(str(rng.bit_generator.state["state"]))
        return sum(data) + rng.laplace(size=size)

    dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", data=DATA, bounds=(0, 1), trials=40_000, confidence=SURE)
    drawn = states[40:]  # beyond the probe
    assert len(drawn) > 60
    assert len(set(drawn)) == len(drawn)


def test_the_number_of_draws_that_is_printed_repeats_the_audit():
    def noisy_sum(data, size, rng):
        return sum(data) + rng.laplace(size=size)

    timed = dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", data=DATA, seconds=2.0, detect=1.2)
    (said,) = [note for note in timed.notes if note.startswith("draws: trials=")]
    trials = int(said.partition("trials=")[2].split()[0])
    again = dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", data=DATA, trials=trials, detect=1.2)
    assert again.evidence.statistics == timed.evidence.statistics
    assert again.epsilon_lower == timed.epsilon_lower


BESIDE = 300
"""Calls a side, at the most, of the probe and of replays."""


@pytest.mark.parametrize("trials", [4_000, 40_000])
@pytest.mark.parametrize("rate", [0.0, 0.005, 0.02])
def test_all_steps_together_make_no_more_draws_than_were_given(rate, trials):
    """A leak of 0.5 % is one whose exact values would take many times the trials."""
    calls = 0

    def leaky_sum(data, rng):
        nonlocal calls
        calls += 1
        return sum(data) + (0.0 if rng.random() < rate else rng.laplace())

    dpv.audit(leaky_sum, claim="PureDP(epsilon=1)", data=DATA, trials=trials, confidence=SURE, isolate=False)
    assert 2 * trials / 4 < calls <= 2 * (trials + BESIDE)


def sparse_vector(data, rng):
    """AboveThreshold at epsilon 1, three queries of sensitivity 1: under shared noise it stops elsewhere."""
    threshold = 1.5 + rng.laplace(scale=2.0)
    for place in range(3):
        if sum(data) - place + rng.laplace(scale=4.0) >= threshold:
            return place
    return -1


def rejection_sampled(data, rng):
    """Laplace noise of scale 1 by rejection: how often it tries again depends on its coins alone."""
    while True:
        noise = rng.exponential() * (1 if rng.random() < 0.5 else -1)
        if rng.random() < 0.9:
            return sum(data) + noise


def randomised_response(data, rng):
    return [bool(value > 0.5) if rng.random() < np.e / (1 + np.e) else bool(value <= 0.5) for value in data]


@pytest.mark.parametrize(
    ("mechanism", "relation"),
    [(sparse_vector, "add-remove"), (rejection_sampled, "add-remove"), (randomised_response, "replace")],
)
def test_what_branches_otherwise_under_shared_noise_is_not_refuted(mechanism, relation):
    result = dpv.audit(
        mechanism, claim="PureDP(epsilon=1)", data=DATA, relation=relation, trials=20_000, confidence=SURE
    )
    assert result.verdict is not Status.REFUTED


def branches_on_its_data(data, rng):
    """Noise only where the sum is large: the other branch shows the sum itself."""
    total = sum(data)
    return total + rng.laplace() if total > 2.5 else total


def test_what_branches_on_its_data_is_refuted():
    assert dpv.audit(branches_on_its_data, claim="PureDP(epsilon=1)", data=DATA, trials=20_000).verdict == "refuted"


def test_the_level_of_replay_pays_for_its_looks():
    """At a level below one look, nothing is refuted by fresh runs of a replay; the steps after it are asked."""
    result = dpv.audit(
        lambda data, rng: sum(data) + rng.laplace(scale=0.3),
        claim="PureDP(epsilon=1)",
        data=DATA,
        trials=40_000,
        confidence=1 - 1e-12,
    )
    steps = result.evidence.statistics["steps"]
    assert steps[0]["level"] < 1e-12
    assert steps[0]["found"] != "refuted"
    assert (result.verdict, steps[-1]["step"]) == (Status.REFUTED, "bets")
