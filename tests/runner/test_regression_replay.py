"""Saved failures are tried before anything else, on fresh draws, and only where they lie inside the claim.

False alarms: the one test that draws states its own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.add_remove import AddRemove
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.value import Value
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.runner.plan import subject_builder, task_streams
from dpverify.runner.regression_replay import ReplayingAuditor, foreign_pair, with_replays
from dpverify.runner.regressions import Regression, digest, new_failures
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import exceedances
from tests.calibration.plain import Plain
from tests.runner.saved import HARMLESS, SAVED, Looker, Subject, claim, fixed, row, task


def test_a_replay_that_refutes_is_the_evidence_and_nothing_else_is_audited():
    looker = Looker()
    evidence = ReplayingAuditor(inside=looker, saved=(SAVED,)).audit(task())
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound == 3.0
    assert evidence.statistics["replayed"] == [{"file": "a.json", "says": "refuted"}]
    assert len(looker.tasks) == 1
    assert looker.tasks[0].alpha == 0.01


def test_a_replay_that_does_not_refute_leaves_the_audit_half_its_alpha():
    looker = Looker()
    evidence = ReplayingAuditor(inside=looker, saved=(HARMLESS, replace(HARMLESS, d1=[0.0, 0.3], file="c.json"))).audit(
        task()
    )
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.bound == 0.5
    assert [each["says"] for each in evidence.statistics["replayed"]] == ["not_refuted", "not_refuted"]
    assert [each.alpha for each in looker.tasks] == [0.005, 0.005, 0.01]
    assert sum(each.alpha for each in looker.tasks) == pytest.approx(task().alpha)


def test_exact_looks_have_no_alpha_to_share():
    looker = Looker(statistical=False)
    ReplayingAuditor(inside=looker, saved=(HARMLESS,)).audit(task())
    assert [each.alpha for each in looker.tasks] == [0.02, 0.02]


def test_replays_draw_from_streams_of_their_own():
    looker = Looker()
    ReplayingAuditor(inside=looker, saved=(HARMLESS, replace(HARMLESS, d1=[0.0, 0.3]))).audit(task())
    draws = {float(each.stream("draw").random()) for each in looker.tasks}
    assert len(draws) == 3
    assert float(task().stream("draw").random()) in draws  # the audit's own are those it has without replays


def test_saved_parameters_reach_subject_and_claim():
    looker = Looker()
    space = SearchSpace(size=2, low=0.0, high=3.0, parameters={"rho": (0.5, 4.0)}, proportional="rho")
    asked = claim(guarantee=RDP(order=2.0, epsilon=1.0), parameters={"rho": 1.0}, space=space)
    built = []

    def build(**searched):
        built.append(searched)
        return Subject(gain=searched.get("rho", 1.0))

    evidence = ReplayingAuditor(inside=looker, saved=(replace(SAVED, parameters={"rho": 2.0}),)).audit(
        task(claim=asked, build=build)
    )
    assert evidence.bound == 6.0
    assert evidence.measure.claimed == 2.0
    assert not looker.tasks[0].claim.space.parameters
    assert {"rho": 2.0} in built


@pytest.mark.parametrize("d1", [[5.0, 6.0], [1.0], "words", {"a": 1}, [[1.0], 2.0]])
def test_a_pair_that_does_not_fit_is_told_and_the_audit_goes_on(d1):
    evidence = ReplayingAuditor(inside=Looker(), saved=(replace(SAVED, d1=d1),)).audit(task())
    (told,) = evidence.statistics["replayed"]
    assert told["says"].startswith("cannot be replayed")
    assert "\n" not in told["says"]
    assert evidence.bound == 0.5


def told_of(**more):
    given = {key: more.pop(key) for key in ("claim", "neighbors", "build") if key in more}
    looker = Looker()
    evidence = ReplayingAuditor(inside=looker, saved=(replace(SAVED, **more),)).audit(task(**given))
    assert len(looker.tasks) == 1 or evidence.statistics["replayed"][0]["says"] in ("refuted", "not_refuted")
    return evidence.statistics["replayed"][0]["says"]


@pytest.mark.parametrize(
    "outside",
    [
        {"d1": [0.0, 3.5]},  # the range ends at 3
        {"d0": [0.0, -1.0], "d1": [0.0, 2.0]},
        {"d0": [0.0], "d1": [3.0]},  # the claim is for two entries
        {"d0": [0.0] * 3, "d1": [0.0, 0.0, 3.0]},
        {"d1": [0.0, math.nan]},
        {"parameters": {"gain": 5.0}},  # nobody claims anything of other gains
        {"parameters": {"gain": 5.0}, "claim": claim(space=SearchSpace(size=2, high=3.0, parameters={"gain": (1, 2)}))},
        {"parameters": {"gain": "2"}, "claim": claim(space=SearchSpace(size=2, high=3.0, parameters={"gain": (1, 2)}))},
    ],
)
def test_nothing_outside_the_claim_refutes_it(outside):
    assert told_of(**outside).startswith("cannot be replayed")


def test_all_that_is_inside_is_replayed():
    assert told_of() == "refuted"
    boxed = claim(space=SearchSpace(size=2, low=0.0, high=3.0, parameters={"gain": (1, 2)}))
    assert told_of(claim=boxed, parameters={"gain": 2}) == "refuted"
    several = claim(space=SearchSpace(size=2, low=0.0, high=3.0, sizes=(1, 3)))
    assert told_of(claim=several, d0=[0.0], d1=[3.0]) == "refuted"
    scaled = claim(space=SearchSpace(size=2, low=0.0, high=1.5, unit="gain"))
    doubled = {"claim": scaled, "build": lambda **_: Subject(gain=2.0)}
    assert told_of(**doubled) == "refuted"
    assert told_of(**doubled, d1=[0.0, 3.5]).startswith("cannot")
    assert told_of(neighbors=AddRemove(), d0=[0.0], d1=[0.0, 3.0]) == "refuted"
    assert told_of(neighbors=AddRemove(), d0=[0.0] * 2, d1=[0.0, 0.0, 3.0]).startswith("cannot")


def test_a_claim_that_has_changed_since_is_not_refuted_by_old_failures():
    evidence = Looker().audit(task(neighbors=fixed([0.0, 0.0], [0.0, 2.0])))
    (found,) = new_failures([row(evidence)])
    assert found.claimed == digest(claim())
    same = {"claimed": found.claimed}
    assert told_of(**same) == "refuted"
    for changed in (
        {"guarantee": PureDP(epsilon=0.9)},
        {"parameters": {"gain": 1.0}},
        {"space": SearchSpace(size=2, low=0.0, high=3.5)},
    ):
        says = told_of(**same, claim=claim(**changed))
        assert says.startswith("cannot be replayed: the claim has changed since")


def test_the_sound_laplace_claim_survives_a_file_about_another_epsilon():
    known = registry()
    entry = known.entries.get("laplace")
    asked = Task(
        claim=entry.claim,
        build=subject_builder(known, entry.claim),
        neighbors=known.neighbors.get(entry.claim.relation),
        alpha=1e-10,
        trials=100,
        stream=task_streams(1, "laplace", "exact"),
        effort=0.1,
    )
    foreign = Regression(claim="laplace", auditor="exact", d0=[0], d1=[1], parameters={"epsilon": 5.0}, file="x.json")
    evidence = ReplayingAuditor(inside=known.auditors.get("exact"), saved=(foreign,)).audit(asked)
    assert judge(evidence) is not Status.REFUTED
    assert "searches no parameter epsilon" in evidence.statistics["replayed"][0]["says"]


def small_table(last):
    return Table(features=np.array([[1.0, 0.5], [1.0, last]]), labels=np.array([1.0, -1.0]), name="t")


def test_tables_and_finite_domains():
    space, listed = SearchSpace(size=2, low=-1.0, high=1.0), [Pair(d0=small_table(0.2), d1=small_table(0.3))]
    generator = registry().neighbors.get("replace/table")
    monkeyed = partial(foreign_pair, _Boxed(generator), space, listed=listed)
    assert monkeyed(small_table(0.2), small_table(0.9)) is None
    assert "outside" in monkeyed(small_table(0.2), small_table(1.5))
    assert "neither" in monkeyed(small_table(0.8), small_table(0.9))
    value, domain = partial(foreign_pair, Value(), listed=[]), SearchSpace(size=3)
    assert value(domain, 0, 2) is None
    assert "domain" in value(domain, 0, 3)
    assert "no such pair" in foreign_pair(fixed([0.0], [1.0]), SearchSpace(), np.zeros(1), np.array([0.5]), [])


class _Boxed:
    """A generator whose data set need not be here."""

    relation = "replace"

    def __init__(self, generator):
        self.check = generator.check

    def box(self, space):
        return np.zeros((4, 2))


def test_the_audits_own_problems_are_not_hidden():
    def broken(**_searched):
        raise InputError("a subject", allowed="another")

    with pytest.raises(InputError):
        ReplayingAuditor(inside=Looker(), saved=(SAVED,)).audit(task(build=broken))


def test_who_replays_what():
    one, two = Looker(), Looker(name="other")
    foreign = replace(SAVED, auditor="absent")
    first, second = with_replays([one, two], [SAVED, foreign])
    assert first.saved == (SAVED, foreign)
    assert second.saved == (foreign,)
    assert with_replays([one, two], []) == (one, two)
    assert (first.name, first.version, first.statistical, first.refuses(task())) == ("looker", "1", True, None)


@pytest.mark.ci
@pytest.mark.parametrize("each", [0.5, 1.0])
def test_saved_false_alarms_stay_as_rare_as_alpha(each, monkeypatch):
    """With a saved failure that was one by chance a true claim is refuted with probability alpha at most: the tally
    fails with probability below 1e-8. Paying for replay and audit with the whole alpha each is seen."""
    only = FixedPair(d0=0, d1=1, relation="value", generator=Value())
    boundary = replace(next(one for one in boundaries() if one.name == "die"), neighbors=only)
    saved = Regression(claim="boundary-die", auditor="plain", d0=0, d1=1, file="chance.json")
    if each == 1.0:
        monkeypatch.setattr(ReplayingAuditor, "_afterwards", lambda self, task: task)
        again = ReplayingAuditor._again
        monkeypatch.setattr(
            ReplayingAuditor, "_again", lambda self, task, one: replace(again(self, task, one), alpha=0.2)
        )
    tally = exceedances(
        ReplayingAuditor(inside=Plain(), saved=(saved,)), boundary, alpha=0.2, trials=500, repetitions=1000, settle=True
    )
    assert tally.fails == (each == 1.0), tally.text()
