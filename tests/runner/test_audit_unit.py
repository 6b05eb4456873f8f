"""What an exact method has settled is still sampled, with fewer draws that would notice a sampler of another law."""

from dataclasses import replace

import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.audit_unit import decided_by_exact_method, reduced_task
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan, select_entries
from dpverify.runner.record import record
from dpverify.runner.row import rows_status
from dpverify.stats.power import detectable_epsilon

PROOF = {"proved": True, "coverage": "enumeration"}
ALL = 2_000_000


class Exact:
    """Says of the law what it is told to."""

    name, version, statistical = "exact", "1", False

    def __init__(self, **says):
        self.says = {"bound": 1.0, "excess": 0.0, "error": 0.0, **says}

    def refuses(self, task):
        return None

    def audit(self, task):
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            **self.says,
        )


class Glance:
    """Says what it was asked to draw, and draws nothing."""

    name, version, statistical = "mean", "1", True

    def refuses(self, task):
        return None

    def audit(self, task):
        measure = task.claim.guarantee.measures()[0]
        said = {"measure": measure, "bound": 0.0, "excess": -1.0, "confidence": 1 - task.alpha, "trials": task.trials}
        return Evidence(claim=task.claim.id, auditor=self.name, version="1", **said)


class Saw(Glance):
    """Draws nothing either, and says what it is told to, as if sampled."""

    name = "first"  # in the order of names, too

    def __init__(self, bound, excess):
        self.says = {"bound": bound, "excess": excess}

    def audit(self, task):
        return replace(super().audit(task), **self.says)


class Needs(Glance):
    """Refuses fewer draws than it needs, as an auditor does that could say nothing with them."""

    def __init__(self, least):
        self.least = least

    def audit(self, task):
        if task.trials < self.least:
            raise InputError(f"{task.trials} trials", allowed=f"at least {self.least}")
        return super().audit(task)


@pytest.fixture
def settled_row(house, entry):
    """``settled_row(says, *, epsilon=1.0, auditor=Glance(), **given)``: draws by auditor, beside an exact one."""

    def run(says, *, epsilon=1.0, auditor=None, **given):
        registry = house(entry("a", guarantee=PureDP(epsilon=epsilon)), auditors=[auditor or Glance(), Exact(**says)])
        chosen = select_entries(registry, suite="core", profile=given.get("profile", "quick"))
        (row,) = execute(make_plan(registry, chosen, **given))
        return {item.auditor: item.trials for item in row.verdict.evidence}

    return run


@pytest.mark.parametrize(
    ("says", "drawn"),
    [
        ({}, 50_000),
        ({"bound": 0.991}, 50_000),
        ({"bound": 0.7} | PROOF, 50_000),
        ({"bound": 2.0, "excess": 1.0, "proved": True}, 50_000),
        ({"bound": 0.98}, ALL),
        ({"bound": 2.0, "excess": 1.0}, ALL),
    ],
    ids=["reached", "as good as reached", "certified", "refuted", "not reached", "exceeded without a proof"],
)
def test_what_an_exact_method_settled_is_still_sampled_at_a_small_budget(settled_row, says, drawn):
    assert settled_row(says) == {"exact": 0, "mean": drawn}
    assert settled_row(says, profile="full") == {"exact": 0, "mean": 40_000_000}


@pytest.mark.parametrize(
    ("bound", "excess"), [(2.0, 1.0), (0.995, -0.005), (1.0, 0.0)], ids=["refuted", "nearly reached", "reached"]
)
def test_what_was_sampled_settles_nothing(house, entry, bound, excess):
    registry = house(entry("a", guarantee=PureDP(epsilon=0.1)), auditors=[Saw(bound, excess), Glance()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    (row,) = execute(plan)
    assert {item.auditor: item.trials for item in row.verdict.evidence} == {"first": ALL, "mean": ALL}
    assert not any(decided_by_exact_method(item) for item in row.verdict.evidence)


def test_what_was_sampled_does_not_make_the_check_lighter(house, entry):
    """Beside a law that as good as reaches the claim, one sampling audit that refutes leaves the other its draws."""

    registry = house(entry("a", guarantee=PureDP(epsilon=0.1)), auditors=[Saw(2.0, 1.0), Glance(), Exact(bound=0.1)])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    (row,) = execute(plan)
    drawn = {item.auditor: item.trials for item in row.verdict.evidence}
    assert drawn["first"] == drawn["mean"] > 50_000


@pytest.mark.parametrize("trials", [1, 3900, 4000, 50_000, 3_000_000])
def test_draws_asked_for_by_number_are_drawn(settled_row, trials):
    assert settled_row({}, trials=trials) == {"exact": 0, "mean": trials}


def test_small_claims_are_checked_with_more_draws(settled_row):
    drawn = [settled_row(PROOF, epsilon=epsilon)["mean"] for epsilon in (3.0, 1.0, 0.2, 0.1, 0.002)]
    assert drawn == sorted(drawn)
    assert (drawn[0], drawn[-1]) == (50_000, ALL)
    assert 50_000 < drawn[3] < ALL


def test_what_a_proof_has_refuted_is_sampled_at_the_floor_whatever_the_claim(settled_row):
    refuted = {"bound": 2.0, "excess": 1.0, "proved": True}
    assert [settled_row(refuted, epsilon=epsilon)["mean"] for epsilon in (1.0, 0.1)] == [50_000, 50_000]


@pytest.mark.parametrize("trials", [1, 100, 49_999, 50_000, 50_001, 10**6])
def test_the_check_never_draws_more_than_there_are_nor_fewer_than_the_floor(house, entry, trials):
    registry = house(entry("a", guarantee=PureDP(epsilon=0.05)))
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), trials=trials)
    assert min(trials, 50_000) <= reduced_task(plan.units[0].task).trials <= trials


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_the_draws_of_the_check_would_catch_half_as_much_again(house, entry, epsilon):
    registry = house(entry("a", guarantee=PureDP(epsilon=epsilon)))
    task = make_plan(registry, select_entries(registry, suite="core", profile="quick")).units[0].task
    n = reduced_task(task).trials
    given = {"epsilon_claim": epsilon, "alpha": task.alpha}
    assert min(detectable_epsilon(q, n, n, **given) for q in (0.1, 0.01, 0.001)) <= 1.5 * epsilon * 1.001
    assert n == 50_000 or detectable_epsilon(0.1, n // 2, n // 2, **given) > 1.5 * epsilon


def test_the_small_budget_does_not_change_the_share_of_the_false_alarms(mean, house, entry):
    registry = house(entry("a"), entry("b"), auditors=[mean(), Exact()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    assert plan.statistical == 2
    sampled = [item for row in execute(plan) for item in row.verdict.evidence if item.auditor == "mean"]
    assert [item.confidence for item in sampled] == [1 - plan.alpha] * 2


@pytest.mark.parametrize("says", [{}, PROOF], ids=["reached", "certified"])
@pytest.mark.parametrize("profile", ["quick", "full"])
def test_a_sampler_that_leaks_more_than_its_law_is_refuted(mean, rows, house, entry, says, profile):
    (row,) = rows(house(entry("a", "stands", shift=5.0), auditors=[mean(), Exact(**says)]), profile=profile)
    assert row.verdict.status == "refuted"
    assert row.verdict.leading.auditor == "mean"
    assert rows_status([row]) == 1
    assert [part["auditor"] for part in record(row)["evidence"]] == ["mean", "exact"]


@pytest.mark.parametrize(("least", "drawn"), [(50_000, 50_000), (50_001, ALL), (ALL + 1, None)])
def test_where_few_draws_can_show_nothing_all_are_drawn(settled_row, least, drawn):
    assert settled_row({}, auditor=Needs(least)).get("mean") == drawn
