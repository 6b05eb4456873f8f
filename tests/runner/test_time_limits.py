"""A unit under a time limit: what was finished decides, what was not is thrown away."""

import time

import pytest

from dpverify.adapters.time_limit import OutOfTimeError, TimeLimit
from dpverify.core.verdict import Status
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.plan import make_plan, select_entries

SOON = 0.1


@pytest.fixture
def unit_row(entry, house, mean):
    """``unit_row(shift, limit)``: the row of a unit whose first auditor measures `shift`, and whose second hangs."""

    class Hangs(mean):
        name = "then-hangs"

        def audit(self, task):
            while True:
                time.sleep(0.001)

    class Never(mean):
        name = "then-never"

        def audit(self, task):
            raise AssertionError("time was up before")

    def run(shift, limit):
        registry = house(entry("a-claim", shift=shift), auditors=[mean(), Hangs(), Never()])
        plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), trials=1000)
        return run_unit(plan.units[0], plan, report=lambda _message, _share: None, limit=limit)

    return run


def test_what_was_not_finished_is_inconclusive_and_says_why(unit_row):
    with TimeLimit(seconds=SOON) as limit:
        verdict = unit_row(0.0, limit).verdict
    assert verdict.status is Status.INCONCLUSIVE
    assert "0.1 s for the whole audit" in verdict.reason
    assert [item.auditor for item in verdict.evidence] == ["mean"]


def test_a_refutation_that_was_finished_stands(unit_row):
    """The mean of 1000 draws around 9 is below 1 with probability below 1e-300."""
    with TimeLimit(seconds=SOON) as limit:
        assert unit_row(9.0, limit).verdict.status is Status.REFUTED


def test_without_the_limit_in_hand_the_ring_goes_on_to_who_has_it(unit_row):
    with pytest.raises(OutOfTimeError), TimeLimit(seconds=SOON):
        unit_row(0.0, None)
