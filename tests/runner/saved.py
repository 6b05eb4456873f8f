"""What tests of saved failures share: who refutes by the pair alone, a task, and two files about it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Pair
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Verdict, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.replace import Replace
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import task_streams
from dpverify.runner.regressions import Regression
from dpverify.runner.row import Row


@dataclass
class Looker:
    """Refutes where the pair's sum moves by more than the claim; remembers the tasks it was given."""

    name: str = "looker"
    statistical: bool = True
    version: str = "1"

    def __post_init__(self):
        self.tasks = []

    def refuses(self, task):
        return None

    def audit(self, task):
        self.tasks.append(task)
        (pair,) = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("pairs"))
        gain = task.build().gain
        moved = gain * abs(float(np.sum(pair.d1) - np.sum(pair.d0)))
        measure = task.claim.guarantee.measures()[0]
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=measure,
            bound=moved,
            excess=moved - measure.claimed,
            confidence=1 - task.alpha,
            witness={"d0": pair.d0, "d1": pair.d1, "parameters": {"gain": gain}, "event": "it moves"},
            statistics={"draw": float(task.stream("draw").random())},
        )


@dataclass(frozen=True, kw_only=True)
class Subject:
    gain: float = 1.0


class Quiet(Replace):
    """Lists no pair that shows anything."""

    def candidates(self, space, *, limit, rng):
        return [Pair(d0=np.array([0.0, 0.0]), d1=np.array([0.0, 0.5]))]


def claim(**more):
    given = {
        "id": "moves",
        "guarantee": PureDP(epsilon=1.0),
        "relation": "replace",
        "subject": "subject",
        "source": Source(paper="tests", locus=""),
        "space": SearchSpace(size=2, low=0.0, high=3.0),
    }
    return Claim(**{**given, **more})


def task(**more):
    given = {
        "claim": claim(),
        "build": lambda **searched: Subject(**searched),
        "neighbors": Quiet(),
        "alpha": 0.02,
        "trials": 100,
        "stream": task_streams(1, "moves", "looker"),
    }
    return Task(**{**given, **more})


SAVED = Regression(
    claim="moves", auditor="looker", d0=[0.0, 0.0], d1=[0.0, 3.0], event="it moves", seed=4, file="a.json"
)
HARMLESS = replace(SAVED, d1=[0.0, 0.25], file="b.json")


def row(evidence, *, expectation=None, status=None):
    return Row(
        entry=SuiteEntry(claim=claim(), expectation=expectation),
        verdict=Verdict(claim=claim(), status=status or judge(evidence), evidence=(evidence,)),
        seconds=0.0,
        seed=4,
        reproduce="",
    )


def fixed(d0, d1):
    return FixedPair(d0=np.array(d0), d1=np.array(d1), relation="replace", generator=Replace())
