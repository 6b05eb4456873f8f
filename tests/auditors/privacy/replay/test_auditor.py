"""Grey box: each published kind of bug is proved from a few runs, and its sound twin is not.

A callable may have randomness that no recorder sees, so it is refuted by fresh runs, at an error of 1e-9; what these
cannot bear out is inconclusive. Proofs are for subjects on tapes (`test_replay_known_broken`).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.event_bounds import Goal
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.stats.joint import JointRegion

LONG = np.array([0.25, 0.5, 0.75, 1.0])
SHORT = LONG[:3]
EPSILON = 1.0
PURE, APPROX = dpv.PureDP(epsilon=1.0), dpv.ApproxDP(epsilon=1.0, delta=1e-5)
EVERY = (PURE, APPROX, dpv.RDP(order=2.0, epsilon=1.0), dpv.ZCDP(rho=0.5), dpv.GDP(mu=1.0))


def clipped(data):
    return np.clip(data, 0.0, 1.0).sum()


# ---- leaks ----


def length_as_public(data, rng):
    return float(clipped(data) + rng.laplace(scale=1 / EPSILON)), len(data)


def length_after_a_release(data, rng):
    total = dpv.release("total", clipped(data) + rng.laplace(scale=1 / EPSILON))
    return total / len(data)


def length_declared_public(data, rng):
    dpv.public("number of records", len(data))
    return clipped(data) + rng.laplace(scale=1 / EPSILON)


def domain_from_data(data, rng):
    return {str(value): float((data == value).sum() + rng.laplace(scale=1 / EPSILON)) for value in np.unique(data)}


def domain_from_data_array(data, rng):
    _, counts = np.unique(data, return_counts=True)
    return counts + rng.laplace(scale=1 / EPSILON, size=counts.size)


def unclipped_sum(data, rng):
    return float(np.sum(5.0 * data) + rng.laplace(scale=1 / EPSILON))


def zero_sensitivity(data, rng):
    lower = 0.0
    return clipped(data) + rng.laplace(scale=max(abs(lower), abs(lower)) / EPSILON)


def nan_through_a_clip(data, rng):
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(0.9 - data)
    return float(np.clip(roots, 0.0, 1.0).sum() + rng.laplace(scale=1 / EPSILON))


def noise_used_twice(data, rng):
    noise = rng.laplace(scale=2 / EPSILON)
    return [clipped(data) + noise, clipped(2 * data) / 2 + noise]


def noise_seeded_inside(data, rng):
    return float(clipped(data) + np.random.default_rng(0).laplace(scale=1 / EPSILON))


def spent_twice(data, rng):
    return [float(clipped(data) + rng.laplace(scale=1 / EPSILON)) for _ in range(2)]


def scale_from_data(data, rng):
    return float(clipped(data) / len(data) + rng.laplace(scale=1 / (EPSILON * len(data))))


CERTAIN = (
    length_as_public,
    length_after_a_release,
    length_declared_public,
    domain_from_data,
    domain_from_data_array,
    zero_sensitivity,
    nan_through_a_clip,
    noise_used_twice,
    noise_seeded_inside,
)
"""Leaks by which one outcome has probability 0 on one data set: any claim falls."""


BOTH = (length_as_public, length_after_a_release)
"""Before any noisy value, and after one: every claim is held against these, and the lightest against all."""


@pytest.mark.parametrize(
    ("leak", "claim"), [*((leak, PURE) for leak in CERTAIN), *((leak, claim) for leak in BOTH for claim in EVERY[1:])]
)
def test_certain_differences_refute_every_claim(leak, claim) -> None:
    result = dpv.audit_replay(leak, LONG, SHORT, claim=claim)
    assert result.verdict is Status.REFUTED
    assert result.evidence is not None
    assert result.evidence.bound > result.evidence.measure.claimed
    assert result.evidence.confidence == 1.0 - 1e-9
    assert not result.evidence.proved


@pytest.mark.parametrize(("leak", "epsilon"), [(unclipped_sum, 5.0), (spent_twice, 2.0), (scale_from_data, math.inf)])
def test_what_moves_too_far_has_its_exact_loss(leak, epsilon) -> None:
    result = dpv.audit_replay(leak, LONG, SHORT, claim=PURE)
    assert result.verdict is (Status.REFUTED if math.isfinite(epsilon) else Status.INCONCLUSIVE)
    assert result.epsilon_lower is not None
    assert 1.0 < result.epsilon_lower <= epsilon
    others = (dpv.ApproxDP(epsilon=0.5, delta=1e-5), dpv.GDP(mu=0.4)) if math.isfinite(epsilon) else (APPROX, EVERY[4])
    for claim in others:
        found = dpv.audit_replay(leak, LONG, SHORT, claim=claim).verdict
        assert found in (Status.REFUTED, Status.INCONCLUSIVE)
    near = dpv.audit_replay(leak, LONG, SHORT, claim=dpv.PureDP(epsilon=min(epsilon, 99.0) * (1.0 - 1e-6)))
    assert near.verdict is Status.INCONCLUSIVE  # too near for fresh runs: said, and with the exact loss
    assert near.epsilon_lower == pytest.approx(epsilon, rel=1e-9)
    assert near.evidence is not None
    assert "loss" in near.evidence.statistics["no_proof"]
    generous = dpv.PureDP(epsilon=epsilon * (1 + 1e-6)) if math.isfinite(epsilon) else None
    assert generous is None or dpv.audit_replay(leak, LONG, SHORT, claim=generous).verdict is Status.NOT_REFUTED


def test_the_witness_says_where() -> None:
    evidence = dpv.audit_replay(length_declared_public, LONG, SHORT, claim=PURE).evidence
    assert evidence is not None
    assert evidence.witness["where"].startswith("tests/auditors/privacy/replay/test_auditor.py:")
    assert evidence.witness["name"] == "number of records"
    assert evidence.witness["values"] == ["(4,)", "(3,)"]


# ---- sound twins ----


def sound_sum(data, rng):
    return float(clipped(data) + rng.laplace(scale=1 / EPSILON))


def sound_mean(data, rng):
    total = dpv.release("total", clipped(data) + rng.laplace(scale=2 / EPSILON))
    number = dpv.release("number", len(data) + rng.laplace(scale=2 / EPSILON))
    return total / max(number, 1.0)


def sound_histogram(data, rng):
    counts, _ = np.histogram(data, bins=4, range=(0.0, 1.0))
    return counts + rng.laplace(scale=1 / EPSILON, size=4)


def sound_nan(data, rng):
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.clip(np.sqrt(0.9 - data), 0.0, 1.0)).sum() + rng.laplace(scale=1 / EPSILON))


def sound_reuse(data, rng):
    noise = rng.laplace(scale=1 / EPSILON)
    return [clipped(data) + noise, clipped(data) + noise + 3.0]


def noisy_max(data, rng):
    scores = np.array([data.sum(), 2.0, float(len(data))])
    return int(np.argmax(scores + rng.laplace(scale=2 / EPSILON, size=3)))


def sparse_vector(data, rng):
    threshold = 2.0 + rng.laplace(scale=2 / EPSILON)
    return [bool(query + rng.laplace(scale=4 / EPSILON) > threshold) for query in (data.sum(), float(len(data)))]


def randomised_response(data, rng):
    truth = bool(data.size == 4)
    return truth if rng.random() < math.exp(EPSILON) / (1 + math.exp(EPSILON)) else not truth


def steps_of_descent(data, rng):
    weight = 0.0
    for _ in range(4):
        gradient = np.clip(data - weight, -1.0, 1.0).sum() + rng.laplace(scale=4 / EPSILON)
        weight += 0.1 * dpv.release("gradient", gradient)
    return weight


def global_noise(data, rng):
    return float(clipped(data) + np.random.laplace(scale=1 / EPSILON))  # noqa: NPY002 - the recorder cannot see it


def noise_made_inside(data, rng):
    return float(clipped(data) + np.random.default_rng().laplace(scale=1 / EPSILON))


def takes_no_objects(data, rng):
    noise = rng.laplace(scale=1 / EPSILON, size=1)
    noise.view(np.float64)
    return clipped(data) + noise


SOUND = (
    sound_sum,
    sound_mean,
    sound_histogram,
    sound_nan,
    sound_reuse,
    noisy_max,
    sparse_vector,
    randomised_response,
    steps_of_descent,
    global_noise,
    takes_no_objects,
)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sound", SOUND)
def test_sound_code_passes(sound, seed) -> None:
    for claim in (PURE, APPROX):
        result = dpv.audit_replay(sound, LONG, SHORT, claim=claim, seed=seed)
        assert result.evidence is not None
        nothing_shown = result.evidence.detectable == float("inf")  # a hidden coin comes first: a replay cannot tell
        assert result.verdict is (Status.INCONCLUSIVE if nothing_shown else Status.NOT_REFUTED)
        assert result.epsilon_lower is not None
        assert result.epsilon_lower <= EPSILON


def test_what_cannot_be_said_is_said() -> None:
    for sound, words in ((noisy_max, "compared"), (randomised_response, "random"), (takes_no_objects, "plain numbers")):
        evidence = dpv.audit_replay(sound, LONG, SHORT, claim=PURE).evidence
        assert evidence is not None
        assert words in evidence.statistics["hidden_coin"]
        assert (evidence.ceiling, evidence.detectable) == (0.0, math.inf)
    for unseen, key, words in (
        (global_noise, "hidden_coin", "a global generator"),
        (noise_made_inside, "unseen", "randomness that the recorder does not see"),
    ):
        evidence = dpv.audit_replay(unseen, LONG, SHORT, claim=PURE).evidence
        assert evidence is not None
        assert words in evidence.statistics[key]


def test_noise_on_the_boundary_is_measured_to_the_last_digits() -> None:
    result = dpv.audit_replay(sound_sum, LONG, SHORT, claim=PURE)
    assert result.epsilon_lower == pytest.approx(1.0, rel=1e-9)


def test_large_numbers_get_their_rounding() -> None:
    """Sums of 1e15 move by 1 and a rounding: not a violation."""

    def mechanism(data, rng):
        return data.sum() + rng.laplace(scale=1.0)

    long = np.array([1e15, 0.3, 0.7, 1.0])
    assert dpv.audit_replay(mechanism, long, long[:3], claim=PURE).verdict is Status.NOT_REFUTED


# ---- declared sensitivities ----


@dpv.noise_primitive(law="gaussian", value_arg="value", scale_arg="scale", sensitivity_arg="sensitivity")
def gaussian(value, scale, sensitivity, rng):
    return value + scale * rng.standard_normal()


def sampled(data, rng, *, largest=1.0):
    batch = data[rng.random(len(data)) < 0.9]
    return gaussian(np.clip(3.0 * batch, 0.0, largest).sum(), 100.0, 1.0, rng)


def test_a_declared_sensitivity_that_is_exceeded_is_no_proof_and_is_said() -> None:
    import functools

    leak = functools.partial(sampled, largest=3.0)
    result = dpv.audit_replay(leak, LONG, SHORT, claim=APPROX)
    assert result.verdict is Status.INCONCLUSIVE
    assert result.evidence is not None
    assert (result.evidence.measure.kind, result.evidence.measure.claimed) == ("sensitivity", 1.0)
    assert result.evidence.bound == pytest.approx(3.0)
    sound = dpv.audit_replay(sampled, LONG, SHORT, claim=APPROX)
    assert sound.verdict is Status.INCONCLUSIVE  # who is sampled is a hidden coin
    assert "hidden random draw" in sound.row.verdict.reason


# ---- bad input ----


def test_what_raises_is_bad_input() -> None:
    def mechanism(data, rng):
        return 1.0 / (len(data) - 3) + rng.laplace()

    with pytest.raises(InputError, match="ZeroDivisionError"):
        dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE)


def test_the_data_are_copies_and_the_same_seed_gives_the_same_evidence() -> None:
    def mechanism(data, rng):
        data *= 2.0
        return float(data.sum() + rng.laplace(scale=2.0))

    before = LONG.copy()
    first, second = (dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE, seed=3).evidence for _ in range(2))
    assert np.array_equal(LONG, before)
    assert first is not None
    assert second is not None
    assert (first.bound, dict(first.witness)) == (second.bound, dict(second.witness))


def test_a_refutation_of_other_peoples_code_is_a_count_with_its_level():
    """The counts that stand in the evidence give its bound again."""
    evidence = dpv.audit_replay(length_as_public, LONG, SHORT, claim=PURE).evidence
    assert (evidence.error, evidence.proved) == (None, False)
    assert evidence.confidence == 1 - 1e-9
    counts = evidence.statistics["counts"]
    assert evidence.trials == counts["n"] == counts["k1"] > counts["k2"] == 0
    region = JointRegion(k1=counts["k1"], n1=counts["n"], k2=counts["k2"], n2=counts["n"], alpha=counts["alpha"])
    assert Goal(guarantee=PURE).finding(region, 0).bound == evidence.bound
