"""How close the event auditor comes to the truth, and how fast: the Laplace mechanism at its exact boundary."""

import pytest

from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.plugins import registry
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import subject_builder, task_streams

TRIALS = 20_000_000


def laplace_task(epsilon):
    known = registry()
    claim = Claim(
        id=f"benchmark-{epsilon:g}",
        guarantee=PureDP(epsilon=epsilon),
        relation="one-query",
        subject="laplace",
        parameters={"epsilon": epsilon},
        space=SearchSpace(size=1),
        source=Source(paper="benchmark", locus=""),
    )
    return Task(
        claim=claim,
        build=subject_builder(known, claim),
        neighbors=known.neighbors.get("one-query"),
        alpha=1e-3,
        trials=TRIALS,
        stream=task_streams(0, claim.id),
    )


@pytest.mark.benchmark(group="event audit of Laplace, 99.9 %, 2e7 trials a side")
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_laplace(benchmark, epsilon):
    auditor = registry().auditors.get("event")
    found = benchmark.pedantic(auditor.audit, args=(laplace_task(epsilon),), rounds=3, warmup_rounds=1)
    share = found.bound / epsilon
    benchmark.extra_info["bound / epsilon"] = share
    print(f"\nepsilon {epsilon:g}: lower bound {found.bound:.5f}, {share:.4f} of the truth")
    assert share >= 0.98
