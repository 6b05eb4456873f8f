"""The search auditor: finds and shrinks what plain points do not show, and rests on fresh draws alone.

False alarms: each audit of a true claim here runs at alpha = 1e-10; the calibration states its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from auditors.privacy.search.auditor import FAILED, SearchAuditor
from auditors.privacy.search.pilots import PILOT
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.datasets.neighbors.replace import Replace
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import task_streams
from tests.calibration.boundaries import Response, boundaries
from tests.calibration.harness import exceedances

SAFE = 1e-10


@dataclass(frozen=True, kw_only=True)
class Gated:
    """A sum with Laplace noise for a sensitivity of 1, which moves by up to three while `gain` is within 2 of 7.3."""

    gain: float = 0.0
    broken: bool = True

    def sample(self, dataset, size, *, rng):
        factor = 0.5 + 2.5 * math.exp(-(((self.gain - 7.3) / 1.5) ** 2)) if self.broken else 1.0
        return factor * float(np.sum(dataset)) + rng.laplace(size=size)


@dataclass
class Build:
    parameters: list
    broken: bool = True

    def __call__(self, **searched):
        self.parameters.append(searched)
        return Gated(broken=self.broken, **searched)


def task(*, broken=True, guarantee=None, neighbors=None, trials=20_000, alpha=SAFE, seed=0, effort=1.0, names=None):
    def streams(*parts):
        if names is not None:
            names.append(parts)
        return task_streams(seed, "search")(*parts)

    return Task(
        claim=Claim(
            id="gated",
            guarantee=guarantee or PureDP(epsilon=1.0),
            relation="replace",
            subject="gated",
            source=Source(paper="tests", locus=""),
            parameters={"gain": 0.0},
            space=SearchSpace(size=3, low=0.0, high=1.0, parameters={"gain": (0.0, 10.0)}),
        ),
        build=Build([], broken=broken),
        neighbors=neighbors or Replace(),
        alpha=alpha,
        trials=trials,
        stream=streams,
        effort=effort,
        seed=seed,
    )


def test_finds_what_no_plain_point_shows():
    """The violation lies between the plain values of the parameter (0, 5, 10)."""
    evidence = SearchAuditor().audit(task())
    assert judge(evidence) is Status.REFUTED
    assert abs(evidence.witness["parameters"]["gain"] - 7.3) < 1.5
    assert evidence.statistics["failed_in_search"]
    assert evidence.statistics["shrunk_log_e"] >= math.log(FAILED)
    # Shrunk: one record goes from one end of the range to the other, which moves the sum the most.
    d0, d1 = np.array(evidence.witness["d0"]), np.array(evidence.witness["d1"])
    assert abs(d1.sum() - d0.sum()) == 1.0
    assert 1.5 < evidence.bound < 3.0


def test_a_true_claim_survives_and_says_what_it_would_have_caught():
    evidence = SearchAuditor().audit(task(broken=False, effort=0.3))
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.statistics["shrunk_log_e"] < math.log(FAILED)
    assert evidence.detectable > 1.0
    assert evidence.ceiling > evidence.detectable
    assert evidence.confidence == 1 - SAFE


def test_no_draw_of_the_search_is_counted():
    """Streams of the certification and of the search have no name in common."""
    names = []
    SearchAuditor().audit(task(names=names, effort=0.2))
    certified = {parts for parts in names if parts[0] == "certified"}
    assert certified
    assert {parts[0] for parts in names} - {"certified"} <= {"pairs", "hypothesis", "look", "bet"}
    assert any(parts[1] == "certify" for parts in certified)


def test_events_are_bet_on_in_other_draws_than_chose_them():
    """Of every point's pilot and bets: streams of different names, none opened twice, and as many draws in each."""
    names, drawn = [], []
    asked = task(names=names, effort=0.2)
    inside = asked.build

    def build(**searched):
        return Watched(inside(**searched), drawn)

    SearchAuditor().audit(replace(asked, build=build))
    looked, bet = ([name[1:] for name in names if name[0] == part and name[-1] in (0, 1)] for part in ("look", "bet"))
    assert len(bet) > 20
    assert len(set(looked)) == len(looked)
    assert len(set(bet)) == len(bet)
    assert set(bet) <= set(looked)
    assert {digest for digest, _ in bet} == {name[1] for name in names if name[0] == "bet"}, "bets have their own draws"
    pilots = [state for size, state in drawn if size == PILOT]
    assert len(pilots) == len(set(pilots)) >= len(looked) + len(bet), "every stream was drawn from, none twice"


class Watched:
    """Writes down how much was drawn, and a checksum of the generator's state when it was."""

    def __init__(self, inside, drawn):
        self.inside, self.drawn = inside, drawn

    def sample(self, dataset, size, *, rng):
        self.drawn.append((size, repr(rng.bit_generator.state)))
        return self.inside.sample(dataset, size, rng=rng)


def test_a_point_looks_the_same_whenever_it_is_looked_at():
    one, two = (SearchAuditor().audit(task(effort=0.3, broken=False)) for _ in range(2))
    assert one == two


def test_other_guarantees_are_bet_against_at_their_tangents():
    evidence = SearchAuditor().audit(task(guarantee=GDP(mu=1.2), trials=50_000))
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["failed_in_search"]


def test_what_cannot_be_audited_is_refused():
    with pytest.raises(AuditError, match="no two different neighbours"):
        SearchAuditor().audit(task(neighbors=Numbers()))
    with pytest.raises(InputError, match="cannot refute"):
        SearchAuditor().audit(task(trials=20))
    assert SearchAuditor().lacks(task(trials=20)) > 20
    assert SearchAuditor().refuses(task()) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounting(SearchAuditor):
    """Sabotage: certifies again and again, and keeps the best."""

    def audit(self, task):
        return max((SearchAuditor.audit(self, _again(task, look)) for look in range(4)), key=lambda one: one.excess)


def _again(task, look):
    return replace(task, stream=lambda *names: task.stream(look, *names))


@pytest.mark.ci
def test_calibration_at_the_boundary():
    """Fails with probability below 1e-8 for a valid auditor."""
    named = {boundary.name: boundary for boundary in boundaries()}
    assert isinstance(named["response"].subject, Response)
    tally = exceedances(SearchAuditor(), named["response"], alpha=0.2, trials=100, repetitions=60, settle=True)
    assert not tally.fails, tally.text()


@pytest.mark.slow
def test_calibration_sees_sabotage():
    named = {boundary.name: boundary for boundary in boundaries()}
    tally = exceedances(Recounting(), named["response"], alpha=0.2, trials=1000, repetitions=120, settle=True)
    assert tally.fails, tally.text()
