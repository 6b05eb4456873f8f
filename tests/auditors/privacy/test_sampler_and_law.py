"""A quick run holds every sampler against its law: with the real auditors, on a subject whose two halves differ.

False alarms: the honest subject is sampled at alpha = 1e-10; the leaking one is expected to be refuted.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.exact.auditor import ExactAuditor
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.discrete import DiscreteLaw
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan, select_entries


@dataclass(frozen=True)
class Response:
    """Randomised response over three values; its law is that of `promised`, whatever it samples at."""

    promised: float = 1.0
    sampled: float = 1.0

    def shares(self, dataset, epsilon):
        shares = np.ones(3)
        shares[int(dataset)] = math.exp(epsilon)
        return shares / shares.sum()

    def sample(self, dataset, size, *, rng):
        return rng.choice(3, size=size, p=self.shares(dataset, self.sampled))

    def output_law(self, dataset):
        return DiscreteLaw(log_probabilities=np.log(self.shares(dataset, self.promised)))


def run(claimed, sampled, *, promised=1.0):
    registry = Registry()
    registry.mechanisms.add("response", Response)
    registry.neighbors.add("value", Value())
    registry.auditors.add("event", EventAuditor())
    registry.auditors.add("exact", ExactAuditor())
    claim = Claim(
        id="response",
        guarantee=PureDP(epsilon=claimed),
        relation="value",
        subject="response",
        source=Source(paper="tests", locus=""),
        parameters={"promised": promised, "sampled": sampled},
        space=SearchSpace(size=3),
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation="stands", suites=("core",)))
    entries = select_entries(registry, suite="core", profile="quick")
    (row,) = execute(make_plan(registry, entries, confidence=1 - 1e-10))
    return row


@pytest.mark.parametrize("claimed", [1.0, 1.005])
def test_a_private_law_with_a_sampler_that_leaks_is_refuted(claimed):
    honest = run(claimed, 1.0)
    assert str(honest.verdict.status) != "refuted"
    assert {item.auditor: item.trials for item in honest.verdict.evidence} == {"exact": 0, "event": 50_000}
    leaking = run(claimed, 2.0)
    assert leaking.verdict.status == "refuted"
    assert leaking.verdict.leading.auditor == "event"
    assert leaking.surprise


def test_where_few_draws_could_not_refute_whatever_came_more_are_drawn():
    """9.5 is beyond the check's floor: more are drawn, and refute a sampler that tells everything."""
    row = run(9.5, 40.0, promised=9.5)
    assert row.verdict.status == "refuted"
    drawn = {item.auditor: item.trials for item in row.verdict.evidence}
    assert 50_000 < drawn["event"] <= 2_000_000
