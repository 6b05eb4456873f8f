"""Small audits of every method that counts, as rows and as records: what tests of rechecking look at again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.event_bounds import Finding, Goal
from auditors.privacy.floating_point.auditor import FloatingPointAuditor
from auditors.privacy.gate.auditor import GateAuditor
from auditors.privacy.histogram.auditor import HistogramAuditor
from auditors.privacy.loss import LossAuditor
from auditors.privacy.one_run.auditor import OneRunAuditor
from auditors.privacy.recorded import RecordedAuditor
from auditors.privacy.renyi.auditor import RenyiAuditor
from auditors.privacy.scores.auditor import ScoreAuditor
from auditors.privacy.search.auditor import SearchAuditor
from auditors.privacy.sequential.auditor import SequentialAuditor
from auditors.privacy.tradeoff import TradeoffAuditor
from auditors.privacy.transcript import level_curve
from auditors.privacy.transcript.auditor import TranscriptAuditor
from auditors.utility.expectation import ExpectationAuditor
from auditors.utility.paired import PairedAuditor
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.comparing import Grid, Series, series_key
from dpverify.core.evidence import Evidence
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.recorded_draws import RecordedDraws
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import decide
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.comparisons import Ordering
from dpverify.definitions.gdp import GDP
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.number_bounds import Expectation
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP
from dpverify.runner.plan import task_streams
from dpverify.runner.recheck import RecheckedRecord, recheck
from dpverify.runner.record import record
from dpverify.runner.row import Row, rarest_of
from dpverify.runner.store.codec import evidence_of
from reference_impls.mechanisms.replayable import Replayable


@dataclass(frozen=True, kw_only=True)
class Handed:
    """Draws of a shifted Laplace law that were made already: 4,000 choose, 2,000 count."""

    scale: float

    def recorded_draws(self) -> RecordedDraws:
        """The same draws every time."""
        rng = np.random.default_rng(0)
        first, second = (side + self.scale * rng.laplace(size=6_000) for side in (1.0, 0.0))
        return RecordedDraws(choosing=(first[:4_000], second[:4_000]), counting=(first[4_000:], second[4_000:]))


@dataclass(frozen=True, kw_only=True)
class Noisy:
    """A number plus noise, in whatever form is asked for."""

    scale: float = 1.0
    kind: str = "laplace"
    low: float = 0.0
    draws: int = 1_000
    statements: int = 1

    def sample(self, dataset, size, *, rng):
        return float(dataset) + getattr(rng, self.kind)(scale=self.scale, size=size)

    def traces(self, dataset, size, *, rng):
        return float(dataset) + self.scale * rng.normal(size=(size, 2, 1))

    def statistic(self, size, *, rng):
        return np.abs(rng.laplace(scale=self.scale, size=size))

    def lacks(self):
        return ""

    def series(self, arms, metrics, task):
        rng = task.stream("series")
        values = {
            series_key("data", arm, metric, 1.0): rng.normal(size=12).tolist() for arm in arms for metric in metrics
        }
        moved = [
            {"arm": "a", "setting": "s", "value": 2, "values": {"data|a|accuracy|1": rng.normal(size=12).tolist()}}
        ]
        return Series(values=values, grid=Grid(data=("data",), xs=(1.0,)), moved=moved, ranges={"data|accuracy": 2.0})

    def scores(self, *, rng):
        return rng.normal(1.0, self.scale, 300), rng.normal(0.0, self.scale, 200)


@dataclass(frozen=True, kw_only=True)
class Canaries:
    """Canaries of which each shows itself by so much."""

    gap: float = 2.0
    values: int = 2
    canaries: int = 200

    def canary_run(self, *, rng):
        included = rng.integers(0, 2, self.canaries)
        return self.gap * included + rng.normal(size=self.canaries), included


@dataclass(frozen=True)
class Released(Replayable):
    """One noisy sum."""

    def run(self, dataset: Any, tape: Any) -> Any:
        return tape.perturb("sum", float(np.sum(dataset)), law="laplace", scale=0.4)


def _case(auditor: Any, guarantee: Any, subject: Any, *, trials: int = 2_000) -> Row:
    task = _task(auditor, guarantee, subject, trials=trials)
    return row(task.claim, auditor.audit(task))


def _task(auditor: Any, guarantee: Any, subject: Any, *, trials: int) -> Task:
    data = (np.array([1.0]), np.array([0.0])) if isinstance(subject, Released) else (0.0, 1.0)
    return Task(
        claim=Claim(
            id=auditor.name, guarantee=guarantee, relation="value", subject="s", source=Source(paper="t", locus="")
        ),
        build=lambda **_searched: subject,
        neighbors=FixedPair(d0=data[0], d1=data[1], relation="value"),
        alpha=1e-3,
        trials=trials,
        stream=task_streams(0, auditor.name),
    )


def _in_instalments(guarantee: Any, subject: Any) -> Row:
    """Evidence of three instalments, each of which goes on from what is left: 0.1.0 made it with `run --steer`."""
    task = _task(SequentialAuditor(), guarantee, subject, trials=1)
    kept = Path(__file__).parent / "sequential" / "in_instalments.json"
    return row(task.claim, evidence_of(kept.read_text(encoding="utf-8")))


def row(claim: Claim, *evidence: Evidence) -> Row:
    """The row of a claim with this evidence."""
    return Row(
        entry=SuiteEntry(claim=claim),
        verdict=decide(claim, evidence),
        seconds=1.0,
        seed=0,
        reproduce=f"dpverify run core --only {claim.id}",
        rarest=rarest_of(claim.guarantee, evidence),
    )


CURVE = Tradeoff(alphas=(0.0, 0.3, 1.0), betas=(1.0, 0.4, 0.0))
CASES = {
    "event": partial(_case, EventAuditor(), PureDP(epsilon=1.0), Noisy(scale=0.5)),
    "event on a curve": partial(_case, EventAuditor(), CURVE, Noisy(kind="normal", scale=0.7)),
    "event that stands": partial(_case, EventAuditor(), ApproxDP(epsilon=2.0, delta=1e-3), Noisy()),
    "histogram": partial(_case, HistogramAuditor(), GDP(mu=1.0), Noisy(kind="normal", scale=0.6)),
    "floating-point": partial(_case, FloatingPointAuditor(), PureDP(epsilon=1.0), Noisy(scale=0.5)),
    "search": partial(_case, SearchAuditor(), PureDP(epsilon=1.0), Noisy(scale=0.5)),
    "tradeoff": partial(_case, TradeoffAuditor(), GDP(mu=1.0), Noisy(kind="normal")),
    "tradeoff refuted": partial(_case, TradeoffAuditor(), GDP(mu=1.0), Noisy(kind="normal", scale=0.5)),
    "renyi": partial(_case, RenyiAuditor(), RDP(orders=(2, 8), epsilons=(0.5, 3.0)), Noisy(kind="normal", scale=0.8)),
    "renyi as one event": partial(_case, RenyiAuditor(), PureDP(epsilon=2.0), Noisy(kind="normal", scale=0.2)),
    "sequential": partial(_case, SequentialAuditor(), PureDP(epsilon=1.0), Noisy(scale=0.3)),
    "sequential that stands": partial(_case, SequentialAuditor(), ApproxDP(epsilon=1.5, delta=0.01), Noisy()),
    "sequential on a curve": partial(_case, SequentialAuditor(), CURVE, Noisy(kind="normal", scale=0.3)),
    "sequential in instalments": partial(_in_instalments, PureDP(epsilon=1.0), Noisy(scale=0.9)),
    "gate": partial(_case, GateAuditor(), PureDP(epsilon=1.0), Noisy(scale=0.3)),
    "gate that stands": partial(_case, GateAuditor(), PureDP(epsilon=1.0), Noisy()),
    "scores": partial(_case, ScoreAuditor(), ApproxDP(epsilon=1.0, delta=1e-3), Noisy()),
    "samples": partial(_case, RecordedAuditor(), PureDP(epsilon=1.0), Handed(scale=0.5)),
    "samples that stand": partial(_case, RecordedAuditor(), ApproxDP(epsilon=2.0, delta=1e-3), Handed(scale=1.0)),
    "scores in halves": partial(_case, ScoreAuditor(method="split"), GDP(mu=1.0), Noisy()),
    "scores beyond one": partial(_case, ScoreAuditor(method="threshold", threshold=0.5), PureDP(epsilon=1.0), Noisy()),
    "one-run": partial(_case, OneRunAuditor(), ApproxDP(epsilon=1.0, delta=1e-5), Canaries()),
    "one-run of mu": partial(_case, OneRunAuditor(guesses=[(20, 20), (60, 60)]), GDP(mu=1.0), Canaries(gap=1.0)),
    "loss": partial(_case, LossAuditor(), ApproxDP(epsilon=1.0, delta=1e-5), Released(), trials=400),
    "mean": partial(_case, ExpectationAuditor(), Expectation(bound=0.7), Noisy()),
    "paired": partial(_case, PairedAuditor(), Ordering(metric="accuracy", better=("a",), worse=("b",)), Noisy()),
    "paired that gains": partial(
        _case, PairedAuditor(), Ordering(metric="accuracy", better=("a",), worse=("b",), margin=-9.0), Noisy()
    ),
    "transcript": partial(
        _case,
        TranscriptAuditor(),
        SubsampledGaussian(rate=1.0, sigma=1.5, steps=2, at_delta=1e-2),  # no sampling: two normal laws
        Noisy(scale=1.0),
    ),
}


finding = Goal.finding
COARSE = patch.object(level_curve, "TOLERANCE", 0.02)
"""The level-curve bound by fewer curves, for the record as for the recheck."""


@cache
def _finding(guarantee: Any, region: Any, direction: int) -> Finding:
    return finding(Goal(guarantee=guarantee), region, direction)


@cache
def text(name: str) -> str:
    """The case's record, as a report has it."""
    with COARSE:
        return dump(record(CASES[name]()))


def fresh(name: str) -> dict[str, Any]:
    """The same, read back: nobody else's to change."""
    found: dict[str, Any] = json.loads(text(name))
    return found


def look(item: dict[str, Any]) -> RecheckedRecord:
    """Recheck with everything that is installed; what the same counts gave in an earlier look is not computed again."""
    with COARSE, patch.object(Goal, "finding", lambda goal, *given: _finding(goal.guarantee, *given)):
        return recheck(item, read=read, auditors=dict(registry().auditors.items()))


@cache
def read(words: str) -> Guarantee:
    """The guarantee of these words: the same each time, so that a curve is computed once and not in every look."""
    return parse_guarantee(words, definitions=dict(registry().definitions.items()))
