"""Plans of stand-in parts: the runner knows only the Protocols."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from dpverify.core.errors import InputError
from dpverify.runner.plan import PROFILES, check_trials, make_plan, part_of_plan, select_entries


def test_alpha_is_split_over_every_statistical_audit(mean, house, entry):
    registry = house(entry("a"), entry("b"), auditors=[mean(), mean()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), confidence=0.99)
    assert plan.statistical == 4
    assert plan.alpha == pytest.approx(0.01 / 4)
    assert {unit.task.alpha for unit in plan.units} == {plan.alpha}


def test_a_confidence_of_each_row_is_shared_by_the_auditors_of_a_row_only(mean, house, entry):
    registry = house(entry("a"), entry("b"), auditors=[mean(), mean()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), confidence=0.9, per_row=True)
    assert plan.alpha == pytest.approx(0.1 / 2)


def test_only_a_profile_that_limits_numbers_passes_the_limit_on_and_no_number_asked_for_does(house, entry):
    registry = house(entry("a"))
    entries = select_entries(registry, suite="core", profile="benchmark")
    (unit,) = make_plan(registry, entries, profile="benchmark").units
    assert (unit.task.trials, unit.task.numbers) == (PROFILES["benchmark"].trials, PROFILES["benchmark"].numbers)
    (unit,) = make_plan(registry, entries, profile="benchmark", trials=500).units
    assert (unit.task.trials, unit.task.numbers) == (500, None)
    (unit,) = make_plan(registry, entries).units
    assert unit.task.numbers is None


def test_only_keeps_the_share_of_the_whole_plan(house, entry):
    registry = house(entry("a1"), entry("a2"), entry("b"))
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    assert plan.only("a*").alpha == plan.alpha
    assert [unit.entry.claim.id for unit in plan.only("a*").units] == ["a1", "a2"]
    with pytest.raises(InputError, match="matches no claim"):
        plan.only("z*")


def test_the_quick_profile_leaves_out_what_only_the_full_one_audits(house, entry):
    registry = house(entry("a"), entry("b", profile="full"))
    assert len(select_entries(registry, suite="core", profile="quick")) == 1
    assert len(select_entries(registry, suite="core", profile="full")) == 2
    with pytest.raises(InputError, match="profile 'huge'"):
        select_entries(registry, suite="core", profile="huge")
    with pytest.raises(InputError, match="suite 'nope'"):
        select_entries(registry, suite="nope", profile="quick")


@pytest.mark.parametrize("per_row", [False, True])
def test_a_worker_s_part_is_that_of_the_whole_plan_and_builds_no_other_subject(mean, noise, house, entry, per_row):
    registry = house(entry("a"), entry("b", subject="other"), auditors=[mean(), mean()])
    registry.mechanisms.add("other", built := Mock(side_effect=noise))
    entries = select_entries(registry, suite="core", profile="quick")
    plan = make_plan(registry, entries, seed=3, trials=1000, confidence=0.9, per_row=per_row)
    built.reset_mock()
    part = part_of_plan(registry, "a", alpha=plan.alpha, statistical=plan.statistical, **dict(plan.words()))
    (unit,), (whole,) = part.units, plan.only("a").units
    assert not built.called
    assert replace(part, units=()) == replace(plan, units=())
    assert (unit.entry, unit.auditors, unit.refusals) == (whole.entry, whole.auditors, whole.refusals)
    assert (unit.task.alpha, unit.task.trials, unit.task.seed) == (whole.task.alpha, 1000, 3)
    assert unit.task.stream("x").random() == whole.task.stream("x").random()


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1e-300, -1.0, float("nan")])
def test_confidence_is_checked(rows, house, entry, confidence):
    with pytest.raises(InputError, match="confidence"):
        rows(house(entry("a")), confidence=confidence)


class Counting:
    """Needs so many draws for its claim, and must never be run."""

    name, version, statistical = "counting", "1", True

    def __init__(self, **least):
        self.least = least

    def refuses(self, task):
        return None

    def lacks(self, task):
        least = self.least[task.claim.id]
        return least if task.trials < least else None

    def audit(self, task):
        raise AssertionError("it was run")


@pytest.mark.parametrize(("trials", "named"), [(10, "b"), (150, "c"), (299, "c"), (300, None), (None, None)])
def test_draws_that_could_refute_nothing_are_refused_before_the_run(house, entry, trials, named):
    registry = house(entry("a"), entry("b"), entry("c"), auditors=[Counting(a=1, b=100, c=300)])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), trials=trials)
    if named is None:
        return check_trials(plan)
    with pytest.raises(InputError, match=f"--trials {trials}: .*cannot refute {named}, .* 300 for every claim"):
        check_trials(plan)
    return check_trials(plan.only("a"))  # only what is run is asked


def test_a_profiles_own_budget_is_not_asked_whether_it_will_do(house, entry):
    registry = house(entry("a"), auditors=[Counting(a=PROFILES["quick"].trials + 1)])
    chosen = select_entries(registry, suite="core", profile="quick")
    check_trials(make_plan(registry, chosen))
    with pytest.raises(InputError, match="cannot refute a"):  # the same number of draws, asked for
        check_trials(make_plan(registry, chosen, trials=PROFILES["quick"].trials))


def test_an_auditor_by_request_waits_to_be_named(mean, house, entry):
    """It takes no share of the false-alarm probability from the others, and named it looks alone."""
    registry = house(entry("a"), entry("b"), auditors=[mean()])
    asked = mean()
    asked.name, asked.by_request = "asked", True
    registry.auditors.add("asked", asked)
    entries = select_entries(registry, suite="core", profile="quick")
    assert {auditor.name for unit in make_plan(registry, entries).units for auditor in unit.auditors} == {mean().name}
    plan = make_plan(registry, entries, methods=("asked",))
    assert [[auditor.name for auditor in unit.auditors] for unit in plan.units] == [["asked"], ["asked"]]
    assert plan.statistical == 2
    with pytest.raises(InputError, match="no auditors called 'nobody'"):
        make_plan(registry, entries, methods=("nobody",))
    with pytest.raises(InputError, match="no method"):
        make_plan(registry, entries, methods=())
