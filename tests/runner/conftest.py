"""What tests of the runner share: a claim, an auditor, and a registry of stand-in parts."""

import numpy as np
import pytest

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.registry import Registry
from dpverify.core.subjects import Pair
from dpverify.core.suite import SuiteEntry
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan, select_entries


class Promise:
    def text(self):
        return "Promise()"

    def measures(self):
        return (Measure(kind="epsilon", argument=0.0, claimed=1.0),)


class Generator:
    name = relation = "replace"

    def count(self, space):
        return None

    def check(self, d0, d1):
        return None

    def candidates(self, space, *, limit, rng):
        return [Pair(d0=0, d1=1)]

    def box(self, space):
        return None

    def decode(self, space, vector):
        return Pair(d0=0, d1=1)


class Noise:
    def __init__(self, shift=0.0):
        self.shift = shift

    def sample(self, dataset, size, *, rng):
        return rng.normal(size=size) + self.shift


class Mean:
    """Reports a mean of named draws: enough to see whose numbers depend on what."""

    name, version, statistical = "mean", "1", True

    def __init__(self, problem=None):
        self.problem = problem

    def refuses(self, task):
        return None

    def audit(self, task):
        if self.problem:
            raise self.problem
        value = float(np.mean(task.build().sample(0, task.trials, rng=task.stream("certify", 0))))
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            bound=abs(value),
            excess=abs(value) - 1,
            confidence=1 - task.alpha,
            trials=task.trials,
        )


@pytest.fixture(scope="session")
def noise():
    """The class `Noise`: subject "noise" of every house."""
    return Noise


@pytest.fixture(scope="session")
def mean():
    """The class `Mean`."""
    return Mean


def _entry(name, expectation=None, *, subject="noise", profile="quick", guarantee=None, **parameters):
    claim = Claim(
        id=name,
        guarantee=guarantee or Promise(),
        relation="replace",
        subject=subject,
        source=Source(paper="test", locus=""),
        parameters=parameters,
        space=SearchSpace(),
    )
    return SuiteEntry(claim=claim, expectation=expectation, suites=("core",), profile=profile)


@pytest.fixture(scope="session")
def entry():
    """``entry(name, expectation=None, *, subject="noise", profile="quick", guarantee=Promise(), **parameters)``."""
    return _entry


def _house(*entries, auditors=None):
    registry = Registry()
    registry.mechanisms.add("noise", Noise)
    registry.neighbors.add("replace", Generator())
    for auditor in auditors or [Mean()]:
        registry.auditors.add(f"{auditor.name}{len(registry.auditors)}", auditor)
    for item in entries:
        registry.add_entry(item)
    return registry


@pytest.fixture(scope="session")
def house():
    """``house(*entries, auditors=[Mean()])``: their registry."""
    return _house


def _rows(registry, *, jobs=1, **given):
    chosen = select_entries(registry, suite="core", profile=given.get("profile", "quick"))
    return execute(make_plan(registry, chosen, trials=1000, **given), jobs=jobs)


@pytest.fixture(scope="session")
def rows():
    """``rows(registry, *, jobs=1, **given)``: its entries planned, with 1000 draws a side, and executed."""
    return _rows
