"""AP-SAME-BUDGET: both costs beside the library's curve, the proof, what falls and what stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.accounting.filters import AdpSgdBudget
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from reference_impls.optimizers.adp_sgd_schedules import polynomial
from reference_impls.papers.adpsgd.lemmas.same_budget import BATCH, DELTA, RECORDS, SameBudget, shown


@pytest.mark.parametrize(("epsilon", "order", "steps"), [(12.8, 2.0, 50.0), (102.4, 5.0, 2000.0), (3.0, 8.0, 20.0)])
def test_both_costs_are_the_librarys(epsilon: float, order: float, steps: float) -> None:
    subject = SameBudget(epsilon=epsilon, order=order, steps=steps)
    given = AdpSgdBudget(epsilon=epsilon, delta=DELTA, n=RECORDS, steps=int(steps))
    alpha = np.sqrt(polynomial(20.0, 1.0, int(steps)))

    def cost(scale: float) -> float:
        return float(PoissonGaussianStep(q=BATCH / RECORDS, sigma=BATCH * scale).renyi([order])[0])

    same = int(steps) * cost(given.sigma())
    other = sum(cost(each * given.sigma(alpha.tolist())) for each in alpha.tolist())
    assert subject.printed().value == pytest.approx(same, rel=1e-8)
    assert subject.truth().value == pytest.approx(other, rel=1e-8)
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert proof.value == pytest.approx(other / same, rel=1e-8)


def test_without_sampling_the_cost_is_the_sum() -> None:
    subject = SameBudget(order=3.0, steps=40.0, sampled=False)
    assert subject.printed().value == pytest.approx(3 / 2 * 40 * subject.spent, rel=1e-12)
    assert subject.truth().value == pytest.approx(subject.printed().value, rel=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Less(SameBudget):
    """A mutant: nine tenths of DP-SGD's cost."""

    def printed(self) -> Enclosed:
        found = SameBudget.printed(self)
        return Enclosed(value=0.9 * found.value, error=found.error)

    def proved_ratio(self) -> Enclosed | None:
        found = SameBudget.proved_ratio(self)
        return None if found is None else Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


@pytest.mark.parametrize(("row", "own"), [("least", 1.005), ("largest", 17.0)])
def test_the_uneven_schedule_is_dearer(examined, row: str, own: float) -> None:
    evidence = examined(f"AP-SAME-BUDGET.{row}")
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert evidence.statistics["own"]["ratio"] > own


def test_the_repair_stands_and_nine_tenths_of_it_falls(examined) -> None:
    assert judge(examined("AP-SAME-BUDGET-R")) is Status.NOT_REFUTED
    assert judge(examined("AP-SAME-BUDGET-R", Less)) is Status.REFUTED


def test_what_the_remark_shows_holds() -> None:
    assert shown().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="order"):
        SameBudget(order=1.0)
