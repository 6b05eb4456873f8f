"""The ledger's rows on RSGD: what falls, its repair, nine tenths of what stands, and the numbers beside them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpverify.core.claim import Claim
from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed, Evidence
from dpverify.core.plugins import registry
from dpverify.core.subjects import HasPrintedBound
from dpverify.core.verdict import Status, judge
from reference_impls.optimizers.out_pert_gd import OutPertGd
from reference_impls.papers.rsgd.lemmas import contraction, permutation_cost
from reference_impls.papers.rsgd.lemmas.averaging_cost import AveragingCost
from reference_impls.papers.rsgd.lemmas.fixed_step import FixedStep
from reference_impls.papers.rsgd.lemmas.gd_twin import GdTwin
from reference_impls.papers.rsgd.lemmas.gradient_bound import GradientBound
from reference_impls.papers.rsgd.lemmas.last_place import LastPlace
from reference_impls.papers.rsgd.lemmas.place_bound import PlaceBound
from reference_impls.papers.rsgd.lemmas.sensitivity_constants import SensitivityConstants
from reference_impls.papers.rsgd.lemmas.sgd_operator import DrawnSteps, OneStep, SameBatch

REGISTRY = registry()
CLAIMS = {
    name: entry.claim
    for name, entry in REGISTRY.entries.items()
    if name.startswith("RS-") and entry.claim.relation == "numbers"
}
FALL = [
    "RS-COND.a",
    "RS-COND.b",
    "RS-FIXED.b",
    "RS-LAST.a",
    "RS-LAST.c",
    "RS-DELTA.b",
    "RS-DELTA.even",
    "RS-AVG.averaged-h",
    "RS-AVG.literal-h",
    "RS-AVG.literal-s",
    "RS-AVG-LESS.restart",
    "RS-AVG-LESS.reset",
    "RS-AVG-LESS.steps",
    "RS-AVG-LESS.alone",
    "RS-RDP.nominal",
    "RS-RDP.literal",
    "RS-RDP.averaged-h",
    "RS-CONTRACT.b",
    "RS-PERM.b",
]
CLOSE = [
    "RS-CONTRACT.a",
    "RS-CONTRACT-R",
    "RS-RHO",
    "RS-PERM.a",
    "RS-PERM-R",
    "RS-DELTA.a",
    "RS-DELTA-R",
    "RS-DELTA.merged",
    "RS-AVG.rsgd-h",
    "RS-AVG.rsgd-s",
    "RS-AVG.diss-h",
    "RS-AVG.diss-s",
    "RS-AVG-R",
    "RS-LAST.b",
    "RS-LAST-R.within",
    "RS-LAST-R.beyond",
    "RS-FIXED.a",
    "RS-FIXED.c",
    "RS-FIXED-R",
    "RS-COND-R",
    "RS-LEMMA.a",
    "RS-LEMMA.b",
    "RS-AVG-LESS-R",
    "RS-MIX.discrete",
    "RS-MIX.gaussian",
    "RS-RDP.rsgd",
    "RS-RDP.diss",
    "RS-RDP-R",
]
FAR = ("RS-TIGHTER", "RS-GD.logistic", "RS-GD.huber-svm", "RS-GD.softmax", "RS-LEMMA-LOGISTIC", "RS-LEMMA-SOFTMAX")


class Once:
    """A lemma that computes each side once, for searches that look at the same points."""

    def __init__(self, lemma: Any) -> None:
        self.printed, self.truth, self.proved_ratio = map(
            functools.cache, (lemma.printed, lemma.truth, lemma.proved_ratio)
        )
        if hasattr(lemma, "describe"):
            self.describe = lemma.describe


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths:
    """A lemma that prints nine tenths of its bound."""

    lemma: Any

    def printed(self) -> Enclosed:
        found = self.lemma.printed()
        return dataclasses.replace(found, value=0.9 * found.value)

    def truth(self) -> Enclosed:
        return self.lemma.truth()

    def proved_ratio(self) -> Enclosed | None:
        found = self.lemma.proved_ratio()
        return found and dataclasses.replace(found, value=found.value / 0.9, error=found.error / 0.9)


def built(name: str) -> Callable[..., HasPrintedBound]:
    claim: Claim = CLAIMS[name]
    return lambda **searched: REGISTRY.subject(claim.subject)(**{**claim.parameters, **searched})


def test_every_row_of_the_ledger_has_a_claim() -> None:
    rows = "COND LEMMA CONTRACT FIXED RHO LAST PERM DELTA AVG AVG-LESS MIX RDP GD TIGHTER"
    assert {f"RS-{row}" for row in rows.split()} <= {name.partition(".")[0] for name in CLAIMS}
    assert set(FALL) | set(CLOSE) | set(FAR) == set(CLAIMS)


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_the_proof_at_the_own_numbers_holds_the_ratio(name: str) -> None:
    subject = built(name)()
    assert isinstance(subject, HasPrintedBound)
    printed, truth, proof = subject.printed(), subject.truth(), subject.proved_ratio()
    if name.startswith("RS-LEMMA-"):
        assert proof is None
        return
    assert proof is not None
    assert proof.proved
    if printed.value <= 0:
        assert proof.value == (np.inf if truth.value > 0 else 1.0)
        return
    assert proof.error <= 1e-9 * proof.value
    ratio = truth.value / printed.value
    assert proof.lower <= ratio * (1 + 1e-9)  # cells lie below the sums that a search takes
    assert proof.value == pytest.approx(ratio, rel=2e-3)


@pytest.mark.parametrize("name", FALL)
def test_it_falls(name: str, examined: Callable[..., Evidence]) -> None:
    assert judge(examined(name)) is Status.REFUTED


@pytest.mark.parametrize("name", FAR)
def test_it_stands(name: str, examined: Callable[..., Evidence]) -> None:
    assert judge(examined(name)) is Status.NOT_REFUTED


@pytest.mark.parametrize("name", CLOSE)
def test_it_stands_and_nine_tenths_of_it_fall(name: str, examined: Callable[..., Evidence]) -> None:
    """A factor changes nothing in a search: the second one looks at the points of the first."""
    make, known = REGISTRY.subject(CLAIMS[name].subject), dict[str, Once]()

    def once(**given: Any) -> Once:
        return known.setdefault(repr(sorted(given.items())), Once(make(**given)))

    assert judge(examined(name, once)) is Status.NOT_REFUTED
    assert judge(examined(name, lambda **given: NineTenths(lemma=once(**given)))) is Status.REFUTED


def test_a_third_of_zhang_et_als_constant_is_no_longer_above(examined: Callable[..., Evidence]) -> None:
    class Third(SensitivityConstants):
        __slots__ = ()

        def printed_ball(self):
            return SensitivityConstants.printed_ball(self) / 3

    assert judge(examined("RS-TIGHTER", Third)) is Status.REFUTED


def test_another_step_is_no_twin(examined: Callable[..., Evidence], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = OutPertGd.query

    def later(self: OutPertGd, dataset: Any) -> Any:
        return plain(dataclasses.replace(self, steps=self.steps + 1), dataset)

    monkeypatch.setattr(OutPertGd, "query", later)
    assert judge(examined("RS-GD.logistic")) is Status.REFUTED


def test_a_smaller_r_fails_on_drawn_batches() -> None:
    """What the drawn rows compare is the lemma's own right side: half of R is exceeded."""
    near = DrawnSteps(step=1.0, far=8.0, near=0.01, size=1, draw=3)
    assert 0.5 < near.truth().value <= 1.0


def test_two_world_rows_by_hand() -> None:
    """Two epochs, m = 2, mu = lambda, own batch the last: d = 2 eta_1 / |B| (1 - eta_2 mu)^2 + 2 eta_2 / |B|."""
    row = PlaceBound(rows=8, batch=4, epochs=2, l2=0.1)
    expected = 2 * 1.0 / 4 * (1 - 0.05) ** 2 + 2 * 0.5 / 4
    assert row.printed().value == pytest.approx(expected, rel=1e-14)
    # five records: the last is alone
    uneven = PlaceBound(rows=5, batch=4, epochs=1, l2=0.0)
    assert (uneven.printed().value, uneven.truth().value) == pytest.approx((0.5, 2.0))
    assert dataclasses.replace(uneven, believed="own").printed().value == pytest.approx(2.0)


def test_the_last_place_by_hand() -> None:
    """One epoch of eta = 2.5, two batches: 2 eta / |B| against (eta L - 1) times that."""
    last = LastPlace(initial_step=2.5, epochs=1, batches=2, place=0.0, own=0.4, rest=1.0)
    assert last.printed().value == pytest.approx(5.0 / 4000)
    assert last.truth().value == pytest.approx((2.5 * 1.001 - 1) * 5.0 / 4000)
    assert dataclasses.replace(last, taken="largest").printed().value == pytest.approx(last.truth().value)
    assert dataclasses.replace(last, compared="bounds").truth().value == pytest.approx(last.truth().value)


def test_the_closed_form_by_hand() -> None:
    printed = FixedStep(initial_step=1.0, batches=3, batch=10, l2=0.1, epochs=2)
    assert printed.printed().value == pytest.approx(2 / (10 * (1 - 0.9**3)))
    assert dataclasses.replace(printed, bound="finite").printed().value == pytest.approx(0.2 * (1 + 0.9**3))
    special = dataclasses.replace(printed, bound="particular")
    assert special.printed().value == pytest.approx(2 / (10 * 0.1))
    assert special.steps == (2 / 1.2,) * 2
    assert FixedStep(initial_step=2.0, l2=0.0).printed().value == np.inf  # 2 / L: nothing is promised
    with pytest.raises(InputError, match="fixed"):
        FixedStep(schedule="epoch")


def test_averaging_by_hand() -> None:
    """One batch, mu = 0: the mean of 1, 1 + 1/2, 1 + 1/2 + 1/3, and twice that after a restart."""
    cost = AveragingCost(batches=1, batch=10, interval=3, runs=2, l2=0.0, schedule="restart")
    mean = 0.2 * (3 * 1 + 2 / 2 + 1 / 3) / 3
    described = cost.describe()
    assert described["largest Delta with averaging"] == pytest.approx(2 * mean)
    assert described["largest Delta without"] == pytest.approx(0.2 * sum(1 / s for s in range(1, 7)))
    assert cost.truth().value / cost.printed().value == pytest.approx(
        (2 * mean / described["largest Delta without"]) ** 2
    )


def test_averaging_alone_may_cost_however_little_is_forgotten() -> None:
    extreme = {"interval": 1, "runs": 10, "batches": 10, "order": 60.0, "noise": 1e-3, "schedule": "restart"}
    cost = AveragingCost(against="same", l2=1e-5, **extreme)
    assert cost.proved_ratio().lower > 1.0
    assert AveragingCost(against="same", l2=0.0, **extreme).proved_ratio().upper < 1.0


def test_one_step_by_hand() -> None:
    step = OneStep(step=0.5, l2=0.1, w=1.0, v=0.8, size=2, record=1.0, other=-1.0, rest=0.0)
    # slopes at 1.0 and -0.8: -(1.5 - 1) = -0.5, and -1 for the record -1
    one, other = 1.0 - 0.5 * (-0.5 / 2 + 0.1), 0.8 - 0.5 * (1.0 / 2 + 0.08)
    assert step.truth().value == pytest.approx(one - other)
    assert step.printed().value == pytest.approx(0.95 * 0.2 + 2 * 0.5 / 2)
    same = SameBatch(step=0.5, l2=0.1, w=1.0, v=0.8, size=2, record=1.0)
    assert same.printed().value == pytest.approx(0.95 * 0.2)
    assert same.truth().value == pytest.approx(one - (0.8 - 0.5 * (-0.7 / 2 + 0.08)))


def test_contraction_by_hand() -> None:
    """All records 1, both points where the loss is quadratic: |1 - eta L| times the distance."""
    row = contraction.Contraction(step=3.0, l2=0.5, w=1.1, v=0.9, size=3, record=1.0, rest=1.0)
    assert row.printed().value == pytest.approx(0.2)
    assert row.truth().value == pytest.approx((3.0 * 1.5 - 1.0) * 0.2)
    least = contraction.LeastRho(mu=0.5, ratio=3.0, share=2.0)
    assert least.truth().value == pytest.approx(0.5)
    assert least.printed().value == pytest.approx(2.0)  # eta = 2: max(|1 - 1|, |1 - 3|)


def test_a_random_place_by_hand() -> None:
    """One epoch, m = 2: Delta = (rho, 1) 2 eta / |B|."""
    row = permutation_cost.PermutationCost(epochs=1, batches=2, l2=0.1, order=3.0, noise=1.5)
    expected = np.log((np.exp(3.0 * 0.9**2 / 1.5**2) + np.exp(3.0 / 1.5**2)) / 2) / 2
    assert row.truth().value == pytest.approx(expected, rel=1e-12)
    assert row.printed().value == pytest.approx(3.0 / (2 * 1.5**2))


def test_gradients_by_hand() -> None:
    assert GradientBound(where="space", bound=5.0, l2=0.1).truth().value == pytest.approx(12.0)
    assert GradientBound(where="difference", weight=1.0, first=1.0, second=-1.0).truth().value == pytest.approx(1.5)
    run = GradientBound(where="run", rows=4, batch=4, epochs=1, own=1.0, rest=1.0, l2=0.1)
    assert run.truth().value == pytest.approx(1.0)  # only w_0 = 0 is stepped from
    with pytest.raises(InputError, match="where"):
        GradientBound(where="elsewhere")


def test_twins_agree_to_the_bit_and_their_noise_does_not() -> None:
    first, second = GdTwin(draw=5).ends()
    assert np.array_equal(first, second)


REMARKS = [remark for name, remark in registry().remarks.items() if name.startswith("RS-")]


def test_every_row_that_fell_has_a_remark() -> None:
    more = {"RS-NSGD.b", "RS-NSGD.c", "RS-RDP-SAMPLED.nominal"}
    assert set(FALL) | more <= {remark.claim for remark in REMARKS}


@pytest.mark.parametrize("remark", REMARKS, ids=lambda remark: remark.claim)
def test_a_remarks_numbers_show_it(remark: Any) -> None:
    assert remark.shown().holds
    assert remark.shown() == remark.shown()
