"""Steered runs: what greed does to false alarms, and that nobody's clock or number of hands shows.

The stand-in auditor bets on one known event of randomised response, in microseconds; slow tests steer the real one.

False alarms: of m claims that all hold, whoever is steered, each is refuted with probability at most alpha given all
that the others did, so the count has the moments of a binomial at most and P[count >= k] <= exp(-m KL(k/m, alpha)). A
count is convicted where that is below 1e-8, which is the probability that a sound runner fails a test below.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner import steer as steer_module
from dpverify.runner import steer_instalment
from dpverify.runner.limits import Limits
from dpverify.runner.plan import suite_plan, task_streams
from dpverify.runner.steer import betting_auditor, steer
from dpverify.runner.steer_order import Standing
from dpverify.runner.store.store import Store
from tests.runner.bettor import ALPHA, Bettor, FixedN, numbers, plan_of, spent

TOO_RARE = 1e-8
NULLS = 2000


def tail(count, *, of):
    """Upper bound on the probability of at least so many false refutations among steered audits."""
    rate = count / of
    if rate <= ALPHA:
        return 1.0
    rest = (1 - rate) * math.log((1 - rate) / (1 - ALPHA)) if rate < 1 else 0.0
    return math.exp(-of * (rate * math.log(rate / ALPHA) + rest))


def refuted(rows):
    return sum(row.verdict.status is Status.REFUTED for row in rows)


# False alarms


@pytest.mark.ci
def test_greed_refutes_no_more_of_what_is_true_than_alpha():
    plan = plan_of([1.0] * NULLS, Bettor())
    assert plan.units[0].task.alpha == pytest.approx(ALPHA)
    rows = steer(plan, total=800 * NULLS)
    assert all(row.verdict.status in (Status.REFUTED, Status.NOT_REFUTED) for row in rows)
    most = max(row.verdict.evidence[0].trials for row in rows)
    assert most > 3 * 800  # greedy: some had far more than an even share
    assert spent(rows) > 0.9 * 800 * NULLS
    assert refuted(rows) > 0.2 * ALPHA * NULLS  # and it is no wonder of never looking: the edge is reached
    assert tail(refuted(rows), of=NULLS) >= TOO_RARE, refuted(rows)


@pytest.mark.ci
def test_the_same_greed_with_bounds_for_a_fixed_number_is_convicted():
    rows = steer(plan_of([1.0] * 1000, FixedN()), total=800 * 1000)
    assert tail(refuted(rows), of=1000) < TOO_RARE, refuted(rows)


@pytest.mark.ci
def test_the_same_greed_with_draws_that_come_again_is_convicted(monkeypatch):
    def again(seed, claim, auditor, place, attempt):
        return task_streams(seed, claim, auditor, "instalment")

    monkeypatch.setattr(steer_instalment, "instalment_streams", again)
    monkeypatch.setattr(Standing, "next", property(lambda one: one.first))
    plan = plan_of([1.0] * 500, Bettor())
    careful = steer(plan, total=800 * 500)
    assert {row.verdict.evidence[0].statistics["stop"] for row in careful} == {"repeats", "refuted"}
    assert tail(refuted(careful), of=500) >= TOO_RARE  # what draws the same is noticed, and no more is bet on it
    monkeypatch.setattr(steer_instalment.InstalmentJournal, "drew", lambda self, first: None)
    rows = steer(plan, total=800 * 500)
    assert tail(refuted(rows), of=500) < TOO_RARE, refuted(rows)


@pytest.mark.slow
def test_greed_with_the_sequential_auditor_refutes_no_more_than_alpha():
    rows = steer(plan_of([1.0] * NULLS, SequentialAuditor()), total=640 * NULLS)
    assert tail(refuted(rows), of=NULLS) >= TOO_RARE, refuted(rows)


def test_alpha_is_the_plans_and_shared_by_all_of_its_claims():
    plan = plan_of([1.0] * 10, Bettor(), confidence=0.9, per_row=False)
    (row, *_) = steer(plan.only("claim-0000"), total=1000)
    assert row.verdict.evidence[0].statistics["alpha"] == pytest.approx(0.01)
    assert row.verdict.evidence[0].confidence == pytest.approx(0.99)


def test_stakes_sum_to_less_than_one():
    stakes = [steer_instalment.stake(place) for place in range(1000)]
    assert min(stakes) > 0
    assert math.fsum(stakes) == pytest.approx(1 - 1 / 1001)


# The same bits


@pytest.mark.parametrize("jobs", [2, 7])
def test_numbers_do_not_depend_on_the_number_of_workers(jobs):
    plan = plan_of([1.0] * 12 + [1.5], Bettor(), confidence=0.9)
    alone, together = (steer(plan, total=20_000, jobs=many) for many in (1, jobs))
    assert numbers(together) == numbers(alone)


def test_what_was_finished_before_a_kill_is_not_made_again(tmp_path, monkeypatch):
    plan = plan_of([1.0] * 12 + [1.5], Bettor(), confidence=0.9)
    whole = numbers(steer(plan, total=20_000))
    made = []
    honest = Bettor.audit

    def mortal(self, task):
        made.append(task.claim.id)
        if len(made) == 20:
            raise KeyboardInterrupt
        return honest(self, task)

    with Store(tmp_path / "s.sqlite", make=True) as store:
        run = store.begin("core", {}, {})
        monkeypatch.setattr(Bettor, "audit", mortal)
        cut = steer(plan, total=20_000, store=store, run=run)
        assert {row.cut for row in cut} == {"", "interrupted"}
        first = len(made)
        rows = steer(plan, total=20_000, store=store, run=run)
        assert numbers(rows) == whole
        afresh = sum(len(row["evidence"][0]["statistics"]["instalments"]) for row in whole)
        assert len(made) - first == afresh - (first - 1)


def test_a_cut_by_the_clock_says_so_and_keeps_what_was_finished(monkeypatch):
    """The clock runs out after four instalments, in the middle of the second round; no real clock is asked."""
    plan = plan_of([1.0] * 3, Bettor(), confidence=1 - 1e-9)
    honest, finished = steer_module.in_threads, []

    def until_four(plan, due, **given):
        for one, found in honest(plan, due, **{**given, "deadline": None}):
            if len(finished) < 4:
                finished.append(one.claim)
                yield one, found

    monkeypatch.setattr(steer_module, "in_threads", until_four)
    rows = steer(plan, total=10**4, limits=Limits(seconds=50.0))
    assert {row.cut for row in rows} == {"out of time"}
    assert {row.verdict.status for row in rows} == {Status.INCONCLUSIVE}
    assert all("--max-seconds" in row.verdict.reason for row in rows)
    told = [row.verdict.evidence[0].statistics for row in rows]
    assert all(said["stop"] == "cut" for said in told)
    assert [len(said["instalments"]) for said in told] == [finished.count(row.id) for row in rows]
    assert sum(len(said["instalments"]) for said in told) == 4


def test_no_time_at_all_leaves_rows_that_say_so():
    rows = steer(plan_of([1.0] * 3, Bettor()), total=10**4, limits=Limits(seconds=1e-9))
    assert {(row.cut, row.verdict.status) for row in rows} == {("out of time", Status.INCONCLUSIVE)}
    assert all("--resume" in row.verdict.reason for row in rows)


def test_worker_processes_make_the_same_numbers_with_the_real_auditor_and_its_record():
    """A registered suite; in processes each worker makes the plan again from its words."""
    known = registry()
    plan = suite_plan(
        known, suite="core", profile="quick", seed=3, confidence=0.999, trials=None, methods=betting_auditor(known)
    ).only("randomised-response*")
    here, there = (steer(plan, total=4000, backend=backend) for backend in ("threads", "processes"))
    assert numbers(there) == numbers(here)
    (row,) = here
    (evidence,) = row.verdict.evidence
    said, place = evidence.statistics, 0
    assert evidence.auditor == "sequential"
    assert len(said["instalments"]) > 1
    wealth = 0.0
    for one in said["instalments"]:  # all of one run, or of those that led
        own = 1.0
        for block in said["blocks"][place : place + one["blocks"]]:
            own *= won(block, np.array(said["fractions"]))
        place += one["blocks"]
        if one["blocks"]:
            assert own == pytest.approx(one["e_value"], rel=1e-9)
            wealth = ((wealth if one["goes_on"] else 0.0) + one["stake"]) * own
    assert place == len(said["blocks"])
    assert wealth == pytest.approx(said["e_value"], rel=1e-9)


def won(block, fractions):
    """By how much the bets of a block multiplied the wealth, from its counts alone."""
    total = 0.0
    for slot in block["slots"]:
        slope, delta = slot["slope"], slot["delta"]
        logs = sum(
            count * np.log1p(fractions / (slope + delta) * (kind // 2 - slope * (kind % 2) - delta))
            for kind, count in enumerate(slot["counts"])
        )
        total += float(np.array(slot["weights"]) @ np.exp(logs))
    return total


# What goes wrong


def test_a_failure_ends_its_own_audit_only(monkeypatch):
    honest = Bettor.audit

    def audit(self, task):
        if task.claim.id == "claim-0001":
            raise RuntimeError("no more")
        return honest(self, task)

    monkeypatch.setattr(Bettor, "audit", audit)
    rows = steer(plan_of([1.0] * 3, Bettor(), confidence=1 - 1e-9), total=3000)
    assert [row.verdict.status for row in rows] == [Status.NOT_REFUTED, Status.ERROR, Status.NOT_REFUTED]
    assert rows[1].verdict.reason == "bettor: RuntimeError: no more"


def test_a_claim_that_nobody_bets_against_is_unsupported_and_one_without_draws_inconclusive():
    plan = plan_of([1.0] * 2, Bettor())
    units = (replace(plan.units[0], auditors=(), refusals=("bettor: no",)), plan.units[1])
    rows = steer(replace(plan, units=units), total=100)
    assert rows[0].verdict.status is Status.UNSUPPORTED
    assert rows[0].verdict.reason == "bettor: no"
    few = steer(plan_of([1.0] * 9, Bettor()), total=20)
    assert few[-1].verdict.status is Status.INCONCLUSIVE
    assert "spent" in few[-1].verdict.reason


@pytest.mark.parametrize("given", [{"total": 3}, {"total": 1000, "detect": 1.0}, {"total": 1000, "backend": "dask"}])
def test_what_cannot_be_steered_is_refused(given):
    with pytest.raises(InputError):
        steer(plan_of([1.0], Bettor()), **given)
