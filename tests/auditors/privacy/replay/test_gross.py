"""The eight gross leaks that everybody writes once: refuted by a few hundred runs of the program, counted here.

No time is measured: a run costs what the program costs, and a third of a millisecond. And programs that release one
value after another, each of which depends on the ones before: refuted where they spend too much, and not where not.
"""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.replay import counts as replay_counts
from dpverify.core.verdict import Status
from dpverify.recording.user_hooks import Recording

LONG = np.array([0.25, 0.5, 0.75, 1.0, 20.0])
SHORT = LONG[:4]
PURE, APPROX = dpv.PureDP(epsilon=1.0), dpv.ApproxDP(epsilon=1.0, delta=1e-5)


def clipped(data):
    return np.clip(data, 0.0, 1.0).sum()


def length_as_public(data, rng):
    return float(clipped(data) + rng.laplace()) / len(data), len(data)


def domain_from_data(data, rng):
    return {str(value): float((data == value).sum() + rng.laplace()) for value in np.unique(data)}


def unclipped_sum(data, rng):
    return float(data.sum() + rng.laplace())


def zero_sensitivity(data, rng):
    return clipped(data) + rng.laplace(scale=0.0)


def nan_through_a_clip(data, rng):
    with np.errstate(invalid="ignore"):
        return float(np.clip(np.sqrt(2.0 - data), 0.0, 1.0).sum() + rng.laplace())


def noise_used_twice(data, rng):
    noise = rng.laplace(scale=2.0)
    return [clipped(data) + noise, clipped(2.0 * data) / 2.0 + noise]


def budget_spent_again_and_again(data, rng):
    return [clipped(data) + rng.laplace() for _ in range(4)]


def scale_from_data(data, rng):
    return data.min() + rng.laplace(scale=data.max())


GROSS = {
    length_as_public: 700,
    domain_from_data: 700,
    unclipped_sum: 1500,
    zero_sensitivity: 700,
    nan_through_a_clip: 700,
    noise_used_twice: 700,
    budget_spent_again_and_again: 2500,
    scale_from_data: 2000,
}
"""At most so many runs of the program."""


@pytest.mark.parametrize(("leak", "most"), GROSS.items(), ids=lambda each: getattr(each, "__name__", str(each)))
def test_gross_leaks_take_few_runs(leak, most, monkeypatch) -> None:
    calls = [0]
    run = Recording.run

    def counted(self, function, dataset, **named):
        calls[0] += 1
        return run(self, function, dataset, **named)

    monkeypatch.setattr(Recording, "run", counted)
    result = dpv.audit_replay(leak, LONG, SHORT, claim=PURE)
    assert result.verdict is Status.REFUTED
    assert calls[0] <= most


# ---- one release after another ----


def spent_in_turn(data, rng):
    first = dpv.release("first", clipped(data) + rng.laplace())
    second = dpv.release("second", clipped(data) + 0.1 * first + rng.laplace(scale=0.1))
    return clipped(data) * (1 if second > 0 else -1) + rng.laplace(scale=0.1)


def gaussian_in_turn(data, rng):
    weight = dpv.release("gradient", clipped(data) + rng.normal(scale=5.0))
    return clipped(data) - 0.1 * weight + rng.normal(scale=0.1)


def rounded(data, rng):
    return round(20.0 * clipped(data) + rng.laplace(), 2)


@pytest.mark.parametrize(
    ("leak", "claim"), [(spent_in_turn, PURE), (spent_in_turn, APPROX), (gaussian_in_turn, APPROX), (rounded, PURE)]
)
def test_what_is_released_one_after_another_is_weighed_whole(leak, claim, monkeypatch) -> None:
    monkeypatch.setattr(replay_counts, "PILOT", (64, 512))  # the leaks are gross: the event is plain
    result = dpv.audit_replay(leak, LONG, SHORT, claim=claim)
    assert result.verdict is Status.REFUTED
    assert result.evidence is not None
    assert "log-ratio of densities" in result.evidence.witness["event"]
    assert result.evidence.confidence == 1.0 - 1e-9


def sound_in_turn(data, rng):
    first = dpv.release("first", clipped(data) + rng.laplace(scale=2.0))
    return dpv.release("second", clipped(data) * (1 if first > 0 else -1) + rng.laplace(scale=2.0))


def sound_rounded(data, rng):
    return round(clipped(data) + rng.laplace(), 1)


@pytest.mark.parametrize("sound", [sound_in_turn, sound_rounded])
def test_sound_programs_of_the_same_kind_pass(sound) -> None:
    for claim in (PURE, APPROX):
        assert dpv.audit_replay(sound, LONG, SHORT, claim=claim).verdict is Status.NOT_REFUTED
