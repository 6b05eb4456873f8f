"""On a tape, a difference that comes after noisy values is as likely as the values: fresh runs say how likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auditors.privacy.replay import evidence as replay_found
from auditors.privacy.replay.auditor import ReplayAuditor
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.runner.plan import task_streams
from reference_impls.mechanisms.replayable import Replayable

SEEDS = range(40)


@dataclass(frozen=True)
class Tells(Replayable):
    """Noise that has nothing to do with the data, and then the data, if the noise lies above a threshold."""

    above: float

    def run(self, dataset: Any, tape: Any) -> Any:
        noisy = tape.perturb("noise", [0.0], law="laplace", scale=1.0)[0]
        if noisy > self.above:
            tape.publish("data", dataset)
        return np.array([0.0])


def verdict(above: float, delta: float, seed: int) -> Status:
    pair = FixedPair(d0=np.array([1.0]), d1=np.array([0.0]), relation="x")
    guarantee = ApproxDP(epsilon=1.0, delta=delta)
    claim = Claim(id="tells", guarantee=guarantee, relation="x", subject="x", source=Source(paper="test", locus=""))
    stream = task_streams(seed, "tells")
    task = Task(claim=claim, build=lambda: Tells(above), neighbors=pair, alpha=1e-3, trials=1, stream=stream)
    return judge(ReplayAuditor().audit(task))


def test_rare_differences_do_not_refute_a_claim_that_allows_them(monkeypatch) -> None:
    """The noise lies above 1.2 with probability 0.151, and (1, 0.165)-DP allows it, though some runs do differ."""
    assert {verdict(1.2, 0.165, seed) for seed in SEEDS} == {Status.NOT_REFUTED}
    monkeypatch.setattr(replay_found, "range", lambda _size: (), raising=False)
    assert Status.REFUTED in {verdict(1.2, 0.165, seed) for seed in SEEDS}


def test_certain_ones_are_as_likely_as_the_fresh_runs_say() -> None:
    """16 runs that all differ: a probability of at least 1e-12^(1/16) = 0.178, at an error of 1e-12."""
    assert verdict(-50.0, 0.17, 0) is Status.REFUTED
    assert verdict(-50.0, 0.18, 0) is Status.NOT_REFUTED
