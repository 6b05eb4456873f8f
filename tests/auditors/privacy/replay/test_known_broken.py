"""Known bugs that run on a tape: refuted by replay under their own claims; and the same bits on the same data."""

from __future__ import annotations

import pytest

from auditors.privacy.replay.auditor import ReplayAuditor
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.recording.compare_runs import compare, same_bits
from dpverify.runner.plan import subject_builder, task_streams
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.replayable import Replayable

CLAIMS = {
    entry.claim.id: entry.claim
    for _, entry in registry().entries.items()
    if entry.claim.subject in registry().known_broken
    and isinstance(registry().subject(entry.claim.subject)(**entry.claim.parameters), Replayable)
}
MISSED = {
    "mean-true-size-true-noisy-laplace": "the count in the scale is hidden: a coin",
    "mean-true-size-true-noisy-gaussian": "the count in the scale is hidden: a coin",
    "mean-true-size-noisy-true-laplace": "the count in the mean is hidden: a coin",
    "mean-true-size-noisy-true-gaussian": "the count in the mean is hidden: a coin",
}
"""What a replay cannot prove: noise that nobody sees comes first. The event auditor finds them."""


def task(claim: Claim) -> Task:
    return Task(
        claim=claim,
        build=subject_builder(registry(), claim),
        neighbors=registry().neighbors.get(claim.space.generator or claim.relation),
        alpha=1e-3,
        trials=1,
        stream=task_streams(0, claim.id),
    )


def test_there_are_some() -> None:
    assert len(CLAIMS) >= 13


@pytest.mark.parametrize("name", CLAIMS)
def test_known_bugs_are_proved(name: str) -> None:
    examined = task(CLAIMS[name])
    assert ReplayAuditor().refuses(examined) is None
    evidence = ReplayAuditor().audit(examined)
    assert isinstance(evidence.measure, Measure)
    assert judge(evidence) is (Status.NOT_REFUTED if name in MISSED else Status.REFUTED), evidence.witness


@pytest.mark.parametrize("name", CLAIMS)
def test_a_replay_on_the_same_data_gives_the_same_bits(name: str) -> None:
    examined = task(CLAIMS[name])
    subject = examined.build()
    (pair, *_) = examined.neighbors.candidates(examined.claim.space, limit=1, rng=stream(0, "pairs"))
    first = subject.transcript(pair.d0, rng=stream(0, name))
    again = subject.replay(pair.d0, first)
    assert same_bits(first.result, again.result)
    assert first.state == again.state
    assert compare(first, again).apart is None
