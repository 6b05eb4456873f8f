"""Draws that are not new are refused at each call; an audit then makes one call a draw."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.repeated_draws import DependentError
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from tests.adapters.test_dependence import correlated

D0, D1 = [1.0, 1.0], [1.0]
SURE = 1 - 1e-9


def lagged(data, size, rng):
    return sum(data) + np.sqrt(2.0) * correlated(size, 0.99, rng)


def used_twice(data, size, rng):
    return sum(data) + np.repeat(rng.laplace(size=(size + 1) // 2), 2)[:size]


def in_common(data, size, rng):
    return sum(data) + 3.0 * rng.laplace() + rng.laplace(size=size)


class Keeps:
    """One call a draw, and yet each draw leans on the one before."""

    def __init__(self):
        self.noise = 0.0

    def __call__(self, data, rng):
        self.noise = 0.99 * self.noise + 0.2 * rng.normal()
        return sum(data) + self.noise


@pytest.mark.parametrize("function", [lagged, used_twice, in_common])
def test_a_batch_of_dependent_draws_is_refused_where_it_is_sampled(function):
    mechanism, rng = CallableMechanism(function), np.random.default_rng(0)
    if function is in_common:  # which shows from call to call only
        mechanism.sample(D0, 1000, rng=rng)
    with pytest.raises(DependentError, match="depend on one another") as caught:
        mechanism.sample(D0, 1000, rng=rng)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("function", "claim"), [(lagged, "GDP(mu=2)"), (used_twice, "PureDP(epsilon=1)")])
def test_an_audit_of_dependent_batches_makes_one_call_a_draw(function, claim):
    """The claims are true of single calls: each is refuted with probability 1e-9."""
    result = dpv.audit(function, D0, D1, claim=claim, trials=4000, confidence=SURE)
    assert result.verdict in (Status.NOT_REFUTED, Status.INCONCLUSIVE)  # so few draws of GDP could show nothing
    assert sum("a call of its own with size=1" in note for note in result.notes) == 1


def test_dependence_that_shows_late_is_met_by_beginning_again():
    calls = []

    def late(data, size, rng):
        calls.append(size)
        noise = rng.laplace(size=size)
        return sum(data) + (np.repeat(noise, 2)[:size] if len(calls) > 10 else noise)

    result = dpv.audit(late, D0, D1, claim="PureDP(epsilon=1)", trials=4000, confidence=SURE)
    assert result.verdict is Status.NOT_REFUTED
    assert any("came a multiple of 2 times" in note for note in result.notes)
    assert calls[-1] == 1


def test_single_calls_that_depend_on_one_another_are_refused():
    with pytest.raises(InputError, match=r"Keeps gives draws that depend on one another \(values of draws 1 apart"):
        dpv.audit(Keeps(), D0, D1, claim="PureDP(epsilon=1)", trials=4000)


def test_independent_batches_are_taken_whole():
    sizes = []

    def sound(data, size, rng):
        sizes.append(size)
        return sum(data) + rng.laplace(size=size)

    result = dpv.audit(sound, D0, D1, claim="PureDP(epsilon=1)", trials=4000, confidence=SURE)
    assert result.notes == ()
    assert len(sizes) < 50


def test_the_look_at_the_order_gives_labels_no_codes():
    mechanism = CallableMechanism(lambda data, size, rng: rng.choice(list("abcd"), size=size))
    mechanism.look_at_order(D0, 400, rng=np.random.default_rng(0))
    assert mechanism.labels == {}
