"""Calibration: an independent accountant agrees; the paper's accountant has its floor; bad input is one line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composed, Composition
from dpverify.core.errors import InputError
from dpverify.core.rules import Positive
from dpverify.datasets.table import Table
from dpverify.utility.calibrated_base import Checked
from dpverify.utility.calibration import family_of, floor, true_epsilon
from dpverify.utility.calibration_family import Asked, Cost, Family
from dpverify.utility.closed_forms import printed_renyi
from reference_impls.line_search.dp_blgd import DpBlgd
from reference_impls.line_search.dp_blsgd_repaired import DpBlsgdRepaired
from reference_impls.optimizers.dp_adam import DpAdam
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.rsgd_ar import RsgdAr

ADULT = {"delta": 1e-5, "relation": "add-remove", "rows": 48842}


def test_dp_accounting_agrees_on_the_sampled_gaussian() -> None:
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    found = DpSgd(model="logistic", rate=0.01, steps=500, clip=1.0).calibrated(epsilon=0.5, **ADULT)
    assert found.accountant == "pld"
    assert found.noise[0] == "noise_multiplier"
    assert found.algorithm.divisor == pytest.approx(488.42)
    one = pld.from_gaussian_mechanism(found.noise[1], sampling_prob=0.01, value_discretization_interval=1e-4)
    assert 0.99 * 0.5 <= one.self_compose(500).get_epsilon_for_delta(1e-5) <= 0.5 * (1 + 1e-3)


def test_thirty_two_moments_have_a_floor() -> None:
    """SGD-MA: whatever the noise, ln(1 / delta) / 32 at least."""
    trainer = DpSgd(rate=1 / math.sqrt(48842), steps=500)
    assert floor(trainer, **ADULT) == pytest.approx(math.log(1e5) / 32, rel=1e-6)
    with pytest.raises(InputError, match=r"more than 0\.359779"):
        trainer.calibrated(epsilon=0.3, accounted="then", **ADULT)
    found = trainer.calibrated(epsilon=0.5, accounted="then", **ADULT)
    assert found.true_epsilon.upper < 0.45  # the floor is the accountant's, not the algorithm's
    assert "is no bound" in found.text()


def test_a_published_account_that_is_too_small_is_told_by_the_true_epsilon() -> None:
    """RSGD-AR's short last batch: 48,842 records in batches of 4,000."""
    where = {"delta": 1e-5, "relation": "replace", "rows": 48842}
    printed = RsgdAr().calibrated(epsilon=0.5, accounted="then", **where)
    assert printed.true_epsilon.upper > 1.0
    assert "rsgd-ar-repaired" in RsgdAr().calibrated(epsilon=0.5, **where).accountant


@pytest.mark.parametrize("trainer", [DpBlsgdRepaired(), DpBlgd()])
def test_what_spends_by_a_rule_of_its_own_spends_the_whole_budget(trainer: Any) -> None:
    found = trainer.calibrated(epsilon=1.0, **ADULT).algorithm
    assert len(found.orders) == 1
    assert found.records == 48842
    assert found.rho_grad > trainer.first_levels.rho_grad


def test_dp_adam_divides_by_a_public_number_and_not_by_the_table_s_own() -> None:
    """Where all gradients are zero nothing but noise is left, and its scale must not tell the number of records."""
    trainer = DpAdam(steps=3, rate=1.0, stabiliser=10.0, step_size=1.0)
    found = trainer.calibrated(epsilon=1.0, delta=1e-5, relation="add-remove", rows=50).algorithm
    assert found.divisor == 50.0

    def size(rows: int, algorithm: DpAdam) -> float:
        table = Table(features=np.zeros((rows, 4000)), labels=np.ones(rows))
        return float(np.linalg.norm(algorithm.train(table, rng=np.random.default_rng(1))))

    # The norm of 4,000 independent coordinates varies by 1.6 %: 15 % is beyond six standard deviations of the ratio.
    assert 0.85 < size(50, found) / size(25, found) < 1.15
    assert size(25, trainer) / size(50, trainer) > 1.7


def test_an_unreachable_budget_says_the_least_one() -> None:
    with pytest.raises(InputError, match="which is the least that a sound accountant certifies") as problem:
        DpBlgd().calibrated(epsilon=0.005, **ADULT)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0.0},
        {"epsilon": math.nan},
        {"epsilon": "1"},
        {"epsilon": 1e6},
        {"delta": 0.0},
        {"delta": 1.0},
        {"relation": "swap"},
        {"rows": 0},
        {"rows": 10.5},
        {"rows": True},
        {"accounted": "soon"},
    ],
)
def test_bad_input_is_one_line(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="allowed") as problem:
        DpSgd().calibrated(**{"epsilon": 1.0, **ADULT, **change})
    assert "\n" not in str(problem.value)


def test_a_setting_without_noise_has_no_bound() -> None:
    assert true_epsilon(DpSgd(noise_multiplier=0.0), **ADULT).upper == math.inf


class _PrintedAlone(Family):
    knob = "sigma"
    then = "Lemma 2.3"

    def priced(self, algorithm: Any, asked: Asked) -> tuple[Cost, ...]:
        step = WithoutReplacementStep(q=0.1, step=GaussianStep(sigma=algorithm.sigma))
        return (Composition.repeat(step, 10),)

    def printed(self, algorithm: Any, asked: Asked) -> Composed:
        return printed_renyi(*self.priced(algorithm, asked))  # type: ignore[arg-type]  # the composition


@dataclass(frozen=True, slots=True, kw_only=True)
class Own(Checked):
    """A user's own class of algorithms."""

    sigma: Positive = 1.0

    family = _PrintedAlone()


def test_a_printed_bound_certifies_nothing() -> None:
    """And a class of one's own is calibrated by its attribute `family`."""
    found = Own().calibrated(epsilon=1.0, accounted="then", **ADULT)
    assert 0.99 <= found.epsilon <= 1.0
    assert found.true_epsilon.upper == math.inf
    with pytest.raises(InputError):
        Own().calibrated(epsilon=1.0, **ADULT)


class Quiet(DpSgd):
    """Derived from ours, and without its noise."""

    __slots__ = ()

    @property
    def noise_scale(self) -> float:
        return 0.0


def test_a_class_of_somebody_else_is_not_certified_by_its_name_or_its_base() -> None:
    namesake = type("DpSgd", (Own,), {"family": None, "__slots__": (), "__module__": "somebody.else"})
    for algorithm in (Quiet(), namesake()):
        with pytest.raises(InputError, match="nobody has said what it costs"):
            algorithm.calibrated(epsilon=1.0, **ADULT)
    vouched = type("Vouched", (DpSgd,), {"__slots__": (), "family": family_of(DpSgd())})
    assert vouched().calibrated(epsilon=1.0, **ADULT).accountant == "pld"
