"""What tests of the exact and of the event auditor share: stand-in subjects, and tasks about them."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.laws.stopping import StoppingLaw
from dpverify.sampling.streams import stream

# Exact laws


@dataclass(frozen=True, kw_only=True)
class Svt:
    """AboveThreshold on query vectors of any length, or of `expects` entries only."""

    noise: str = "laplace"
    epsilon: float = 1.0
    threshold_scale: float = 2.0
    query_scale: float = 4.0
    multiplier: float = 1.0
    expects: int | None = None

    def output_law(self, dataset):
        if self.expects not in (None, dataset.size):
            raise InputError(f"{dataset.size} queries", allowed=f"{self.expects}")
        return StoppingLaw(
            noise=self.noise,
            threshold_scale=self.multiplier * self.threshold_scale / self.epsilon,
            query_scale=self.multiplier * self.query_scale / self.epsilon,
            levels=dataset,
        )


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What `build` makes, with the claim's parameters in place."""

    factory: type = Svt
    parameters: dict = field(default_factory=dict)

    def __call__(self, **searched):
        return self.factory(**{**self.parameters, **searched})


def _exact_task(
    guarantee,
    factory=Svt,
    *,
    neighbors=None,
    effort=1.0,
    seed=0,
    searched=None,
    size=10,
    low=-60.0,
    high=60.0,
    **parameters,
):
    neighbors = neighbors or AllQueries()
    claim = Claim(
        id="a-claim",
        guarantee=guarantee,
        relation=neighbors.relation,
        subject="a-subject",
        source=Source(paper="none", locus=""),
        parameters=parameters,
        space=SearchSpace(size=size, low=low, high=high, parameters=searched or {}),
    )
    return Task(
        claim=claim,
        build=Subject(factory=factory, parameters=parameters),
        neighbors=neighbors,
        alpha=0.01,
        trials=1,
        stream=lambda *names: stream(seed, "exact", *names),
        effort=effort,
        seed=seed,
    )


@pytest.fixture(scope="session")
def exact_task():
    """``exact_task(guarantee, factory=Svt, *, neighbors=AllQueries(), searched=None, size=10, ..., **parameters)``."""
    return _exact_task


# Samples


@dataclass(frozen=True)
class Noise:
    """Every answer plus its own noise."""

    scale: float = 1.0
    kind: str = "laplace"
    power: float = 1.0

    def sample(self, dataset, size, *, rng):
        answers = np.asarray(dataset, dtype=float)
        draw = rng.laplace if self.kind == "laplace" else rng.normal
        outputs = answers + self.power * draw(scale=self.scale, size=(size, answers.size))
        return outputs[:, 0] if answers.size == 1 else outputs


@dataclass(frozen=True)
class Response:
    """Randomised response over `size` values, counted in the kernel: the true value comes e^epsilon times as often."""

    epsilon: float
    size: int = 2

    def counts(self, dataset, size, *, rng):
        shares = np.ones(self.size)
        shares[int(dataset)] = math.exp(self.epsilon)
        return rng.multinomial(size, shares / shares.sum())

    def sample(self, dataset, size, *, rng):
        raise AssertionError("counts are offered, so nothing is to be sampled")


@dataclass
class Function:
    """A batch function as a subject; remembers how much was drawn of it."""

    function: Any
    drawn: list = field(default_factory=list)

    def sample(self, dataset, size, *, rng):
        self.drawn.append(size)
        return self.function(np.asarray(dataset, dtype=float), size, rng)


def _event_task(
    subject, guarantee, neighbors, *, space=None, trials=20_000, alpha=1e-3, seed=0, effort=1.0, names=None
) -> Task:
    def streams(*parts):
        if names is not None:
            names.append(parts)
        return stream(seed, "claim", "event", *parts)

    claim = Claim(
        id="claim",
        guarantee=guarantee,
        relation=neighbors.relation,
        subject="subject",
        source=Source(paper="tests", locus=""),
        space=space or SearchSpace(),
    )
    build = subject if isinstance(subject, type) or callable(subject) else lambda: subject
    return Task(
        claim=claim,
        build=build,
        neighbors=neighbors,
        alpha=alpha,
        trials=trials,
        stream=streams,
        effort=effort,
        seed=seed,
    )


@pytest.fixture(scope="session")
def noise():
    """The class `Noise`."""
    return Noise


@pytest.fixture(scope="session")
def response():
    """The class `Response`."""
    return Response


@pytest.fixture(scope="session")
def function():
    """The class `Function`."""
    return Function


@pytest.fixture(scope="session")
def pair():
    """``pair(d0, d1, relation="one-query")``: the only one."""
    return lambda d0, d1, relation="one-query": FixedPair(d0=d0, d1=d1, relation=relation)


@pytest.fixture(scope="session")
def event_task():
    """``event_task(subject, guarantee, neighbors, *, trials=20_000, alpha=1e-3, ..., names=None)``; `names` gets those
    of all streams that are asked for."""
    return _event_task


@pytest.fixture(scope="session")
def audit():
    """``audit(subject, guarantee, neighbors, **options)``: the event auditor's evidence on such a task."""
    return lambda *given, **options: EventAuditor().audit(_event_task(*given, **options))
