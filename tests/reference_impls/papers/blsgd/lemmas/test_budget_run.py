"""BL-BUDGET: the account added up by hand, each text's end, mutants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost, search_step, total_budget
from reference_impls.papers.blsgd.lemmas import budget_run
from reference_impls.papers.blsgd.lemmas.budget_run import BudgetRun


def test_the_account_is_the_sum_of_what_was_released():
    run = BudgetRun(epsilon=0.4, noise="gaussian")
    order, spent, budget = run.account
    total = 0.0
    for rho in run.transcript.public["gradient-budget"].tolist():
        total += float(printed_cost(amplified(gradient_step(rho), 0.1), (order,))[0])
    for rho in run.transcript.public["search-budget"].tolist():
        total += float(printed_cost(amplified(search_step("gaussian", rho, 30), 0.1), (order,))[0])
    assert spent == pytest.approx(total, rel=1e-12)
    assert budget == total_budget(0.4, 1e-8, (order,))[0]


def test_it_is_the_order_that_comes_nearest():
    run = BudgetRun(epsilon=1.0, most_steps=20.0)
    spent = np.stack([*run.transcript.public["budget"]]).sum(axis=0)
    total = total_budget(1.0, 1e-8, range(2, 501))
    kept = total > 0
    assert run.truth().value / run.printed().value == pytest.approx(float(np.min(spent[kept] / total[kept])), rel=1e-12)


def test_the_papers_text_never_ends_and_the_dissertations_does():
    shares = {}
    for text in ("paper", "diss"):
        for steps in (100.0, 200.0):
            run = BudgetRun(text=text, most_steps=steps)
            shares[text, steps] = run.truth().value / run.printed().value
            gradients = run.describe()["gradients"]
            assert gradients >= steps if text == "paper" else gradients < steps
    assert shares["paper", 200.0] > shares["paper", 100.0] + 1
    assert shares["diss", 200.0] == shares["diss", 100.0]


@pytest.mark.parametrize(
    "settings", [{}, {"text": "paper", "most_steps": 60.0}, {"raised": 1e5}, {"noise": "gaussian"}]
)
def test_the_proof_is_the_float_ratio(proved_as_floats, settings):
    run = BudgetRun(**settings)
    proved_as_floats(run, rel=1e-9)


@dataclass(frozen=True, kw_only=True)
class NineTenths(BudgetRun):
    """The repaired run on nine tenths of the budget that it kept."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * BudgetRun.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        return Enclosed(value=self.truth().value / self.printed().value, error=1e-9, proved=True)


@pytest.mark.parametrize("reading", ["paper", "diss", "first"])
def test_refuted_as_printed_and_not_as_repaired(status, reading):
    assert status(f"BL-BUDGET.{reading}") is Status.REFUTED
    assert status(f"BL-BUDGET.{reading}", text="repaired", raised=1e3) is Status.NOT_REFUTED


def test_the_repaired_text_stands_and_uses_nearly_all(status, examined):
    assert status("BL-BUDGET-R") is Status.NOT_REFUTED
    assert examined("BL-BUDGET-R").bound > 0.9
    assert status("BL-BUDGET-R", NineTenths) is Status.REFUTED


@pytest.mark.parametrize("reading", ["paper", "diss", "first"])
def test_remarks_show_what_they_say(reading):
    assert registry().remarks.get(f"BL-BUDGET.{reading}").shown().holds


def test_the_dissertations_excess_comes_of_amp(monkeypatch):
    """Where amp is left out of the account too, it takes off what was tested, and the remark no longer stands."""
    monkeypatch.setattr(budget_run, "amplified", lambda step, q: step)
    shown = budget_run.shown_diss()
    numbers = dict(shown.numbers)
    assert numbers["as subtracted"] == numbers["a gradient's cost as tested there"]
    assert not shown.holds


@pytest.mark.parametrize("settings", [{"text": "third"}, {"raised": 0.0}, {"most_steps": 0.0}])
def test_bad_settings_are_said(settings):
    with pytest.raises(InputError):
        BudgetRun(**settings)


def test_a_budget_at_no_order_is_said():
    with pytest.raises(InputError, match="no order"):
        BudgetRun(epsilon=0.01).truth()
