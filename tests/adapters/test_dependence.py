"""Dependence among draws: what is found, and that independent draws of any law are left alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import dpverify as dpv
from dpverify.adapters import dependence
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.dependence import DependentError, dependence_between_calls, dependence_in_call
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status

N = 2**13


def correlated(size, lag, rng):
    """A stationary Gaussian series with that correlation from draw to draw."""
    noise = np.concatenate([rng.normal(size=1), np.sqrt(1 - lag * lag) * rng.normal(size=size - 1)])
    return lfilter([1.0], [1.0, -lag], noise)


def in_blocks(each, rng):
    return np.repeat(rng.normal(size=N // each + 1), each)[:N] + rng.normal(size=N)


def half_used_twice(rng):
    return rng.permutation(np.concatenate([np.repeat(rng.normal(size=N // 4), 2), rng.normal(size=N // 2)]))


def antithetic(rng):
    half = rng.laplace(size=N // 2)
    return np.stack([half, -half], axis=1).reshape(-1)


DEPENDENT = {
    "correlation .99": lambda rng: correlated(N, 0.99, rng),
    "correlation .99, few draws": lambda rng: correlated(400, 0.99, rng),
    "correlation .4": lambda rng: correlated(N, 0.4, rng),
    "a correlated coordinate": lambda rng: np.stack([rng.normal(size=N), correlated(N, 0.9, rng)], axis=1),
    "used twice": lambda rng: np.repeat(rng.laplace(size=N // 2), 2),
    "used twice, shuffled": lambda rng: rng.permutation(np.repeat(rng.laplace(size=N // 2), 2)),
    "used twice, few draws": lambda rng: np.repeat(rng.laplace(size=64), 2),
    "vectors used twice": lambda rng: np.repeat(rng.laplace(size=(N // 2, 3)), 2, axis=0),
    "used five times, shuffled": lambda rng: rng.permutation(np.repeat(rng.laplace(size=N // 5), 5)),
    "half of them used twice": half_used_twice,
    "used again in the other half": lambda rng: np.tile(rng.laplace(size=N // 2), 2),
    "bits used twice": lambda rng: np.repeat(rng.integers(2, size=N // 2), 2).astype(float),
    "noise in common for 10 draws": lambda rng: in_blocks(10, rng),
    "noise that comes again after 333 draws": lambda rng: np.resize(rng.normal(size=333), N) + 0.5 * rng.normal(size=N),
    "every other draw with the sign turned": antithetic,
    "scales in common": lambda rng: np.repeat(rng.exponential(size=N // 4), 4) * rng.normal(size=N),
    "sorted": lambda rng: np.sort(rng.normal(size=N)),
    "drift": lambda rng: rng.normal(size=N) + 2.0 * np.arange(N) / N,
}

INDEPENDENT = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "bits": lambda rng, n: rng.integers(2, size=n).astype(float),
    "rare ones": lambda rng, n: (rng.random(n) < 0.01).astype(float),
    "geometric": lambda rng, n: rng.geometric(0.05, size=n).astype(float),
    "Zipf": lambda rng, n: rng.zipf(1.3, size=n).astype(float),
    "as many labels as draws": lambda rng, n: rng.integers(n, size=n).astype(float),
    "a third as many": lambda rng, n: rng.integers(n // 3 + 1, size=n).astype(float),
    "an atom and a density": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.normal(size=n)),
    "vectors": lambda rng, n: rng.integers(3, size=(n, 6)).astype(float),
    "constant": lambda rng, n: np.full(n, 2.5),
}


@pytest.mark.parametrize("name", DEPENDENT)
def test_dependent_draws_are_found(name):
    """Power, at one seed: each is far from the edge of what can be seen."""
    assert dependence_in_call(DEPENDENT[name](np.random.default_rng(0)))


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_draws_are_left_alone(name):
    """Each look errs with probability 1e-9 at most: 4e-9 here."""
    rng = np.random.default_rng(0)
    for size in (FEW := 64, 300, N):
        first, second = INDEPENDENT[name](rng, size), INDEPENDENT[name](rng, size)
        assert dependence_in_call(first) == dependence_between_calls(first, second) == ""
    assert dependence_in_call(first[: FEW - 1]) == ""


@pytest.mark.parametrize("name", INDEPENDENT)
def test_the_level_holds_where_it_can_be_counted(name, monkeypatch):
    """At a level of 0.2 in place of 1e-9: 300 looks alarm more than 115 times with probability 2e-13 at most."""
    monkeypatch.setattr(dependence, "FALSE_ALARM", 0.2)
    rng = np.random.default_rng(1)
    alarms = [0, 0]
    for _ in range(300):
        first, second = INDEPENDENT[name](rng, 200), INDEPENDENT[name](rng, 200)
        alarms[0] += bool(dependence_in_call(first))
        alarms[1] += bool(dependence_between_calls(first, second))
    assert max(alarms) <= 115


@pytest.mark.parametrize("move", [lambda x: x + 0.5, lambda x: 2.0 * x])
def test_batches_of_two_laws_are_told_apart(move):
    rng = np.random.default_rng(0)
    assert dependence_between_calls(rng.normal(size=N), move(rng.normal(size=N)))


def test_the_bound_on_multiples_is_one_half_for_poisson_numbers():
    """P(N is a multiple of k, N > 0) <= P(N > 0) / 2, which the test of values used again rests on."""
    from scipy.stats import poisson

    for mean in np.concatenate([np.geomspace(1e-3, 300.0, 200), np.arange(1.0, 80.0)]):
        mass = poisson.pmf(np.arange(1, 1000), mean)
        for k in range(2, dependence.MOST_TIMES + 1):
            assert mass[k - 1 :: k].sum() <= 0.5 * mass.sum() * (1 + 1e-12)


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
