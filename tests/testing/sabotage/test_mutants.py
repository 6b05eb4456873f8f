"""Mutants are killed, survive or are no violation as their loss and the audit say; bad input is one line."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from dpverify.core.errors import ClaimRefuted, InputError
from dpverify.core.subjects import Pair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP
from dpverify.testing import mutants
from dpverify.testing.boundaries import gaussian_delta
from dpverify.testing.sabotage.mutants import known_loss
from tests.mutants.plain_mechanisms import gaussian_sum

DATA = [0.2, 0.9, 1.0, 3.0]
CLAIM = "PureDP(epsilon=1)"


def clipped_sum(data, size, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(scale=1.0, size=size)


def twice_the_noise(data, size, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(scale=2.0, size=size)


def half_the_noise(data, size, rng):
    return sum(min(max(x, 0.0), 1.0) for x in data) + rng.laplace(scale=0.5, size=size)


def hidden_choice(data, size, rng):
    """Report noisy max with too much noise: nothing of it is recorded."""
    counts = np.array([sum(data), 1.0])
    return np.argmax(counts + rng.laplace(scale=20.0, size=(size, 2)), axis=1)


def unwilling(data, size, rng):
    if type(rng) is not np.random.Generator and "Recording" not in type(rng).__name__:
        raise TypeError("numpy's own only")
    return sum(data) + rng.laplace(scale=10.0, size=size)


def outcomes(mechanism, only, trials=20_000, **settings):
    found = mutants(mechanism, claim=CLAIM, data=DATA, only=only, trials=trials, **settings)
    return found, {row.name: row.outcome for row in found.rows}


def test_a_plain_mechanism_s_mutants_are_killed():
    told = []
    found, outcome = outcomes(clipped_sum, ["noise-removed", "clip-dropped", "noise-root"], progress=told.append)
    assert outcome == {"noise-removed": "killed", "clip-dropped": "killed", "noise-root": "no violation"}
    assert {row.name: row.loss for row in found.rows}["clip-dropped"] == pytest.approx(3.0)
    assert sorted(told) == ["clip-dropped", "noise-removed", "noise-root"]
    found.assert_killed(strict=True)


def test_half_of_too_much_noise_is_no_violation():
    found, outcome = outcomes(twice_the_noise, ["noise-halved"])
    assert outcome == {"noise-halved": "no violation"}
    assert found.rows[0].loss == pytest.approx(1.0)


def test_what_the_draws_do_not_show_survives():
    """Its loss is known to be 2.15; a thousand draws do not show it at a false-alarm probability of 1e-9."""
    words = {"claim": "ApproxDP(epsilon=1, delta=1e-5)", "data": DATA, "trials": 1_000}
    found = mutants(gaussian_sum, only=["noise-halved"], **words)
    assert found.rows[0].outcome == "survived"
    assert found.rows[0].loss == pytest.approx(2.1546, abs=1e-3)
    with pytest.raises(AssertionError, match="noise-halved survived"):
        found.assert_killed()


def test_a_loss_that_is_not_known_is_said_to_be_so():
    _, outcome = outcomes(hidden_choice, ["noise-halved"], trials=5_000)
    assert outcome == {"noise-halved": "unknown"}


def test_a_mechanism_that_takes_numpy_s_generator_only_keeps_its_other_mutants():
    found, outcome = outcomes(unwilling, None, trials=2_000)
    assert outcome == {}
    assert "no generator but numpy's own" in found.left_out["noise-halved"]


def test_a_mutant_that_cannot_be_run_is_left_out():
    """No audit is asked about it: that would tell nothing of the audit."""

    def dies_without_noise(data, size, rng):
        noise = rng.laplace(scale=1.0, size=size)
        if not noise.any():
            os._exit(0)
        return sum(min(max(x, 0.0), 1.0) for x in data) + noise

    found, outcome = outcomes(dies_without_noise, ["noise-removed"], trials=2_000)
    assert outcome == {}
    assert "it cannot be run" in found.left_out["noise-removed"]
    assert "died" in found.left_out["noise-removed"]


def test_a_mechanism_that_is_refuted_itself_has_no_mutants():
    with pytest.raises(ClaimRefuted, match="refuted itself"):
        outcomes(half_the_noise, ["noise-halved"])


def test_an_unknown_mutant_is_refused():
    with pytest.raises(InputError, match="mutant 'nosuch'"):
        outcomes(clipped_sum, ["nosuch"], trials=1_000)


ONE = [Pair(d0=[1.0, 1.0], d1=[1.0])]
PURE = PureDP(epsilon=1.0)


def laplace(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


def normal(data, rng):
    return sum(data) + rng.normal(scale=2.0)


def several(data, rng):
    return np.array([sum(data), len(data)]) + rng.laplace(scale=2.0, size=2)


def bare(data, rng):
    return [sum(data) + rng.laplace(), len(data)]


def without_noise(data, rng):
    return float(sum(data))


def scale_of_data(data, rng):
    return rng.laplace(scale=len(data))


def winner(data, rng):
    return int(np.argmax(np.array([sum(data), 1.0]) + rng.laplace(size=2)))


def test_losses_are_the_closed_forms():
    assert known_loss(laplace, PURE, ONE) == [pytest.approx(2.0)]
    assert known_loss(several, PURE, ONE) == [pytest.approx(1.0)]
    assert known_loss(normal, PURE, ONE) == [math.inf]
    assert known_loss(normal, GDP(mu=1.0), ONE)[0] == pytest.approx(0.5)
    assert known_loss(normal, RDP(order=2.0, epsilon=1.0), ONE)[0] == pytest.approx(0.25)
    epsilon, delta = known_loss(normal, ApproxDP(epsilon=0.5, delta=1e-3), ONE)
    assert delta == pytest.approx(gaussian_delta(0.5, scale=2.0), rel=1e-6)
    assert gaussian_delta(epsilon, scale=2.0) == pytest.approx(1e-3, rel=1e-6)


def test_the_largest_over_the_pairs_is_told():
    pairs = [*ONE, Pair(d0=[3.0, 0.0], d1=[0.0])]
    assert known_loss(laplace, PURE, pairs) == [pytest.approx(6.0)]


@pytest.mark.parametrize("program", [without_noise, scale_of_data])
def test_what_is_certain_on_one_side_has_an_infinite_loss(program):
    assert known_loss(program, PURE, ONE) == [math.inf]


def test_a_program_without_noise_that_is_not_constant_loses_everything():
    """Though on each of these pairs both sides show the same."""

    def rounded(data, rng):
        return sum(data) >= 2.0

    pairs = [Pair(d0=[0.5, 0.1], d1=[0.5]), Pair(d0=[3.0, 0.1], d1=[3.0])]
    assert known_loss(rounded, PURE, pairs) == [math.inf]
    assert known_loss(rounded, PURE, pairs[:1]) == [0.0]


def test_what_is_hidden_or_late_is_not_known():
    assert known_loss(winner, PURE, ONE) is None
    assert known_loss(scale_of_data, ApproxDP(epsilon=1.0, delta=1e-5), ONE) is None
