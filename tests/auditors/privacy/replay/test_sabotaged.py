"""What the findings of a replay rest on, taken away one by one: then sound code is refuted, or is said to exceed.

Fresh runs stand behind all of it for callables, so most of these lead to an excess without a proof.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.replay import laws as replay_laws
from auditors.privacy.replay import runs as replay_runs
from dpverify.core.verdict import Status
from dpverify.recording import compare_runs as comparing

LONG, SHORT = np.array([0.25, 0.5, 0.75, 1.0]), np.array([0.25, 0.5, 0.75])
PURE = dpv.PureDP(epsilon=1.0)


def verdict(function, long=LONG) -> Status:
    return dpv.audit_replay(function, long, long[:3], claim=PURE).verdict


def epsilon_lower(function) -> float | None:
    result = dpv.audit_replay(function, LONG, SHORT, claim=PURE)
    assert result.verdict is Status.INCONCLUSIVE
    return result.epsilon_lower


def with_noise_of_its_own(data, rng):
    return float(data.sum() + np.random.default_rng().laplace(scale=1.0))


def noisy_max(data, rng):
    return int(np.argmax(np.array([data.sum(), 2.0]) + rng.laplace(scale=0.1, size=2)))


def released_then_used(data, rng):
    total = dpv.release("total", data.sum() + rng.laplace(scale=1.0))
    return total * 2.0


def huge_sum(data, rng):
    return data.sum() + rng.laplace(scale=1.0)


HUGE = np.array([1e15, 0.3, 0.7, 1.0])


def test_all_of_these_pass() -> None:
    for function, data in ((released_then_used, LONG), (huge_sum, HUGE)):
        assert verdict(function, data) is Status.NOT_REFUTED
    assert verdict(noisy_max, LONG) is Status.INCONCLUSIVE  # a hidden coin comes before anything is shown
    assert epsilon_lower(with_noise_of_its_own) == 0.0


def test_without_further_runs(monkeypatch) -> None:
    monkeypatch.setattr(replay_runs, "AGAIN", 0)
    assert epsilon_lower(with_noise_of_its_own) == float("inf")  # said of it, though fresh runs do not bear it out


def test_without_regard_to_hidden_coins(monkeypatch) -> None:
    def shown(transcript):
        return [step for step in transcript.steps if step.kind not in ("query", "coin")], None

    monkeypatch.setattr(comparing, "_shown", shown)
    monkeypatch.setattr(replay_runs.Replayer, "certain", lambda *_given, **_named: True)
    assert verdict(noisy_max) is not Status.NOT_REFUTED  # a real excess of the noise, counted or not


def test_without_holding_what_was_released(monkeypatch) -> None:
    beside = replay_runs.Replayer._beside

    def loose(self, pair, reverse, first, other):
        second = self.subject.replay(other, dataclasses.replace(first, held=False))
        found = beside(self, pair, reverse, first, other)
        return dataclasses.replace(found, second=second, comparison=comparing.compare(first, second))

    monkeypatch.setattr(replay_runs.Replayer, "_beside", loose)
    monkeypatch.setattr(replay_runs.Replayer, "certain", lambda *_given, **_named: True)
    assert verdict(released_then_used) is Status.INCONCLUSIVE


def test_without_the_allowance_for_rounding(monkeypatch) -> None:
    long = np.array([1e15, 0.3, 0.7, 1.0])
    assert long.sum() - long[:3].sum() == pytest.approx(1.0, abs=0.2)
    monkeypatch.setattr(replay_laws, "allowance", lambda _pair, one, _other: np.zeros(one.clean.shape))
    assert dpv.audit_replay(huge_sum, long, long[:3], claim=dpv.PureDP(epsilon=0.999)).verdict is Status.INCONCLUSIVE
    monkeypatch.undo()
    assert dpv.audit_replay(huge_sum, long, long[:3], claim=dpv.PureDP(epsilon=0.999)).verdict is Status.NOT_REFUTED
