"""Draws of torch: coins where the recorded generator seeds them, and nothing is hidden before the first."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.verdict import Status
from dpverify.recording.user_hooks import Recording

torch = pytest.importorskip("torch")

LONG, SHORT = [1.0, 1.0], [1.0]
PURE = dpv.PureDP(epsilon=1.0)

DRAWS = {
    "normal": lambda: torch.normal(0.0, 1.0, (1,)),
    "randn": lambda: torch.randn(1),
    "normal_": lambda: torch.empty(1).normal_(),
    "bernoulli": lambda: torch.bernoulli(torch.tensor([0.5])),
    "randperm": lambda: torch.randperm(3),
    "dropout": lambda: torch.nn.functional.dropout(torch.ones(3)),
    "distribution": lambda: torch.distributions.Laplace(0.0, 1.0).sample(),
}


def seeded(rng):
    torch.manual_seed(int(rng.integers(2**62)))


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_is_a_coin_at_its_own_line(name):
    def mechanism(data, rng):
        seeded(rng)
        return float(sum(data)) + float(DRAWS[name]().sum())

    recording = Recording(np.random.default_rng(0))
    recording.run(mechanism, LONG)
    coins = [step for step in recording.transcript.steps if step.kind == "coin"]
    assert coins and all(coin.name.endswith(" of torch") for coin in coins)
    assert coins[0].where.startswith("tests/recording/test_torch_draws.py:")


def test_what_is_shown_before_torch_draws_is_compared():
    def mechanism(data, rng):
        seeded(rng)
        dpv.public("rows", len(data))
        return float(sum(data)) + float(torch.randn(1))

    result = dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE)
    assert result.verdict is Status.REFUTED
    assert result.evidence.witness["where"].startswith("tests/recording/test_torch_draws.py:")


def test_what_is_shown_after_a_draw_proves_nothing():
    def mechanism(data, rng):
        seeded(rng)
        return float(sum(data)) + float(torch.randn(1))

    result = dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE)
    assert result.verdict is not Status.REFUTED
    assert "of torch" in result.evidence.statistics["hidden_coin"]


def test_noise_of_a_fixed_seed_is_none():
    def mechanism(data, rng):
        torch.manual_seed(7)
        return float(sum(data)) + float(torch.randn(1))

    result = dpv.audit_replay(mechanism, LONG, SHORT, claim=PURE)
    assert result.verdict is Status.REFUTED and result.evidence.statistics["hidden_coin"] is None


def test_torch_is_as_before_after_a_run():
    plain = torch.manual_seed
    Recording(np.random.default_rng(0)).run(lambda data, rng: seeded(rng), LONG)
    assert torch.manual_seed is plain is torch.random.manual_seed


def test_numbers_are_those_of_an_unrecorded_run():
    def mechanism(data, rng):
        seeded(rng)
        return float(torch.randn(1))

    runs = [Recording(np.random.default_rng(3)).run(mechanism, LONG) for _ in range(2)]
    assert runs[0] == runs[1]
