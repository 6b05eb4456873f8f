"""Sound programs that a recorder sees wrongly, or not wholly: none may be refuted. And leaks by one noise shown twice.

The error of each refutation is 1e-9, so the whole file gives a false alarm with less than 1e-6.
"""

from __future__ import annotations

import copy
import math
import os
import random
import time

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.replay import counts as replay_counts
from auditors.privacy.replay import runs as replay_runs
from dpverify.core.verdict import Status
from dpverify.definitions.number_bounds import SensitivityBound

OWN = np.random.default_rng(1)
KEEP = math.exp(2.0) / (1.0 + math.exp(2.0))


def response(data, number):
    truth = int(data[0])
    return truth if number < KEEP else 1 - truth


def by_module(data, rng):
    return response(data, random.random())


def by_numpy(data, rng):
    return response(data, np.random.random())  # noqa: NPY002 - that is the point


def by_global(data, rng):
    return response(data, OWN.random())


def by_copy(data, rng):
    return response(data, copy.copy(rng).random())


def by_deep_copy(data, rng):
    return response(data, copy.deepcopy(rng).random())


def by_jump(data, rng):
    return response(data, np.random.Generator(rng.bit_generator.jumped()).random())


def by_seed(data, rng):
    return response(data, np.random.default_rng(rng.bit_generator.seed_seq.spawn(1)[0]).random())


def by_system(data, rng):
    return response(data, np.random.default_rng().random())


def beside_noise(data, rng):
    return [float(data[0]) * 0.1 + rng.laplace(), response(data, np.random.default_rng().random())]


def under_noise(data, rng):
    return float(response(data, np.random.default_rng().random())) * 9.0 + rng.laplace()


def by_clock(data, rng):
    return float(data[0]) + rng.laplace(), time.perf_counter()


def by_nanoseconds(data, rng):
    return time.perf_counter_ns() % 1000


def by_urandom(data, rng):
    return float(data[0]) + int.from_bytes(os.urandom(8), "little") / 2**64 + rng.laplace()


@pytest.mark.parametrize("function", [by_clock, by_nanoseconds, by_urandom])
def test_programs_that_do_not_repeat_themselves_are_inconclusive(function) -> None:
    result = dpv.audit_replay(function, [0.0], [1.0], claim="PureDP(epsilon=1)", relation="replace")
    assert result.verdict is Status.INCONCLUSIVE
    assert result.epsilon_lower == 0.0
    assert result.evidence is not None
    assert "randomness that the recorder does not see (or a clock)" in result.evidence.witness["event"]


UNSEEN = (by_module, by_numpy, by_global, by_copy, by_deep_copy, by_jump, by_seed, by_system, beside_noise, under_noise)


@pytest.mark.parametrize("function", UNSEEN)
def test_unseen_coins_with_few_outcomes_refute_nothing(function) -> None:
    for seed in range(3):
        result = dpv.audit_replay(function, [0.0], [1.0], claim="PureDP(epsilon=2.2)", relation="replace", seed=seed)
        assert result.verdict in (Status.NOT_REFUTED, Status.INCONCLUSIVE)
        assert result.evidence is not None
        assert not result.evidence.proved


def test_a_function_without_rng_is_not_replayed() -> None:
    def alone(data):
        return len(data)

    result = dpv.audit_replay(alone, [1.0, 0.5], [1.0], claim="PureDP(epsilon=1)")
    assert result.verdict is Status.UNSUPPORTED


def test_counts_that_cannot_refute_are_not_made(monkeypatch) -> None:
    def length(data, rng):
        return len(data)

    assert dpv.audit_replay(length, [1.0, 0.5], [1.0], claim="PureDP(epsilon=2)").verdict is Status.REFUTED
    assert dpv.audit_replay(length, [1.0, 0.5], [1.0], claim="PureDP(epsilon=30)").verdict is Status.INCONCLUSIVE
    monkeypatch.setattr(replay_counts, "FEWEST", 10**9)
    assert dpv.audit_replay(length, [1.0, 0.5], [1.0], claim="PureDP(epsilon=2)").verdict is Status.INCONCLUSIVE


# ---- the twin is not the program ----


def capped(value):
    return min(value, capped.most) if hasattr(capped, "most") else value


capped.most = 1.0


def by_attribute(data, rng):
    return sum(capped(value) for value in data) + rng.laplace()


def by_type(data, rng):
    return sum(min(value, 1.0) if type(value) is float and type(value) == float else value for value in data) + (  # noqa: E721
        rng.laplace()
    )


def by_name_of_type(data, rng):
    kept = [min(value, 1.0) if type(value) in (int, float) else value for value in data]
    return sum(kept) + rng.laplace()


def by_fallback(data, rng):
    noisy = np.array([min(value, 1.0) for value in data]).sum() + rng.laplace(size=1)
    try:
        noisy.view(np.float64)
    except TypeError:
        return [float(len(data))]
    return noisy


@pytest.mark.parametrize("function", [by_attribute, by_type, by_name_of_type, by_fallback])
def test_what_the_untouched_function_does_not_show_is_not_believed(function) -> None:
    result = dpv.audit_replay(function, [1.0, 50.0], [1.0], claim="PureDP(epsilon=1)")
    assert result.verdict is (Status.NOT_REFUTED if function is by_attribute else Status.INCONCLUSIVE)
    assert result.evidence is not None
    if function is not by_attribute:
        assert "other values" in result.evidence.statistics["plain_numbers"]


# ---- rounding, infinities, numbers of another run ----


def offset(by):
    def shifted(data, rng):
        noisy = min(data[0], 0.3) + rng.laplace()
        return [noisy, (noisy + by) - by]

    def alone(data, rng):
        return (by + (min(data[0], 0.3) + rng.laplace())) - by

    return shifted, alone


@pytest.mark.parametrize("by", [1e6, 1.7e9, 1e12])
def test_rounding_after_the_noise_is_no_leak(by) -> None:
    for function in offset(by):
        for move in (0.1, 0.2, 0.3):
            claim = dpv.PureDP(epsilon=move)
            result = dpv.audit_replay(function, [0.0], [move], claim=claim, relation="replace")
            assert result.verdict is Status.NOT_REFUTED


def divided(data, rng):
    with np.errstate(all="ignore"):
        return (sum(data) - 1.15 + rng.laplace(scale=0.1)) / np.zeros(())


def overflown(data, rng):
    return (sum(data) - 1.15 + rng.laplace(scale=0.1)) * 1e300 * 1e300


@pytest.mark.parametrize("function", [divided, overflown])
def test_the_sign_of_an_infinity_is_no_certainty(function) -> None:
    for seed in range(6):
        result = dpv.audit_replay(function, [1.0, 0.3], [1.0], claim="PureDP(epsilon=10)", seed=seed)
        assert result.verdict is Status.NOT_REFUTED


def test_numbers_of_another_run_are_a_coin() -> None:
    kept: dict[object, object] = {}

    def cached(data, rng):
        rng.laplace()
        return kept.setdefault(tuple(data), sum(data) + rng.laplace())

    def offset_once(data, rng):
        return sum(data) + rng.laplace() - kept.setdefault("offset", rng.laplace())

    def compared(data, rng):
        return len(data) * int(kept.setdefault("sign", rng.laplace()) > 0)

    for function in (cached, offset_once, compared):
        result = dpv.audit_replay(function, [1.0, 0.3], [1.0], claim="PureDP(epsilon=1)")
        assert result.verdict in (Status.NOT_REFUTED, Status.INCONCLUSIVE)


# ---- noise shown twice at another ratio ----


def times_length(data, rng):
    noisy = 0.1 * sum(data) + rng.laplace()
    return [noisy, noisy * len(data)]


def mean_beside(data, rng):
    total = 0.1 * sum(data) + rng.laplace()
    return {"total": total, "zmean": total / len(data)}


def times_a_secret(data, rng):
    noise = rng.laplace()
    return [noise, noise * sum(data)]


@pytest.mark.parametrize("function", [times_length, mean_beside, times_a_secret])
def test_one_noise_at_two_ratios_is_a_leak(function) -> None:
    assert dpv.audit_replay(function, [1.0, 0.5], [1.0], claim="PureDP(epsilon=1)").verdict is Status.REFUTED


# ---- sensitivities ----


@dpv.noise_primitive(law="laplace", sensitivity_arg="sensitivity")
def perturbed(value, scale, sensitivity, rng):
    return value + rng.laplace(scale=scale)


def projected(data, rng):
    return perturbed(float(np.random.default_rng().integers(0, 9)), 1.0, 1.0, rng)


def shuffled(data, rng):
    kept = list(data)
    rng.shuffle(kept)
    return perturbed(sum(kept[:5]), 1.0, 1.0, rng)


def doubled(data, rng):
    return perturbed(2.0 * sum(data), 1.0, 1.0, rng)


def test_a_query_that_moves_on_its_own_has_not_moved(monkeypatch) -> None:
    bound = SensitivityBound(bound=1.0, norm="l1")
    long = [0.0, 1.0] * 5 + [0.0]
    for function in (projected, shuffled):
        assert dpv.audit_replay(function, long, long[:-1], claim=bound).verdict is Status.NOT_REFUTED
    long = [0.0, 1.0]
    assert dpv.audit_replay(doubled, long, long[:-1], claim=bound).verdict is Status.REFUTED
    monkeypatch.setattr(replay_runs, "SAME", 0)
    found = {dpv.audit_replay(projected, [0.0] * 3, [0.0] * 2, claim=bound, seed=seed).verdict for seed in range(12)}
    assert Status.REFUTED in found
