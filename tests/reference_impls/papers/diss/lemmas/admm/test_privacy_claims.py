"""What the theorems say that a training costs: by hand, and beside the accountants."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.accounting.amplification_printed import without_replacement_bound
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from reference_impls.admm.admm_obj_p import AdmmObjP
from reference_impls.admm.admm_training import ORDERS
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.admm.ss_admm import SsAdmm


def test_theorem_4_1() -> None:
    algorithm = SsAdmm(steps=7, sigma=0.3, clip=1.5)
    assert algorithm.batch(90) == 9
    claim = algorithm.guarantee(90)
    each = without_replacement_bound(0.1, lambda orders: np.asarray(orders) * (3.0 / 9) ** 2 / (2 * 0.09), ORDERS)
    assert claim.orders == ORDERS
    assert claim.epsilons == pytest.approx(7 * each, rel=1e-12)
    composition = algorithm.composition(90)
    assert (composition.size, composition.relation) == (7, "replace")
    printed = registry().accountants.get("rdp-printed")
    assert printed.refuses(composition) is None
    best = min(eps + math.log(1e8) / (order - 1) for order, eps in zip(ORDERS, claim.epsilons, strict=True))
    assert printed.compose(composition).epsilon(1e-8).upper == pytest.approx(best, rel=1e-9)  # at order 4, of all


@pytest.mark.parametrize("kind", [MpAdmm, MpAdmmRepaired])
@pytest.mark.parametrize("schedule", ["constant", "root"])
def test_theorem_4_3(kind: type[MpAdmm], schedule: str) -> None:
    algorithm = kind(epochs=4, sigma=0.01, initial_step=2.5, rho=0.5, schedule=schedule)
    squares = sum(moved**2 * (1 + 1 + 0.25) for moved in algorithm.sensitivities(50))
    claim = algorithm.guarantee(50)
    assert claim.epsilons == pytest.approx([order * squares / 2e-4 for order in ORDERS], rel=1e-12)
    composition = algorithm.composition(50)
    assert composition.size == 12
    total = sum(part.count * part.step.renyi(np.array(ORDERS)) for part in composition)  # type: ignore[attr-defined]
    assert total == pytest.approx(claim.epsilons, rel=1e-12)


def test_the_joint_price_is_lower_and_the_repair_pays_more_where_eta_passes_1() -> None:
    for eta in (0.5, 3.0):
        settings = {"epochs": 4, "sigma": 0.01, "initial_step": eta}
        repaired, printed = MpAdmmRepaired(**settings), MpAdmm(**settings)
        ratio = np.divide(repaired.guarantee(50).epsilons, printed.guarantee(50).epsilons)
        assert ratio == pytest.approx(np.full(len(ORDERS), eta * eta), rel=1e-12)
        joint = sum(part.count * part.step.mu() ** 2 for part in repaired.joint_composition(50))  # type: ignore[attr-defined]
        apart = sum(part.count * part.step.mu() ** 2 for part in repaired.composition(50))  # type: ignore[attr-defined]
        assert joint / apart == pytest.approx(2 / 2.25, rel=1e-12)  # rho = 1/2: 1 + 1 of 1 + 1 + 1/4


def test_dp_admm_costs_a_gaussian_mechanism_an_iteration() -> None:
    composition = DpAdmm(rounds=9, noise_multiplier=2.0).composition(50)
    assert composition.size == 9
    assert composition.parts[0].step.mu() == 0.5  # type: ignore[attr-defined]  # all Gaussian


def test_perturbed_objectives_cost_what_their_jacobian_and_b_do() -> None:
    claim = AdmmObjP(rounds=6, epsilon=0.2, rho=0.5, norm=2.0, descent_steps=None).guarantee(40)
    assert claim.epsilon == pytest.approx(6 * (0.2 + 2 * math.log(1 + 0.25 * 4 / (40 * 0.5))), rel=1e-12)
    assert AdmmObjP(epsilon=0.2, norm=2.0).noise_scale == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"noise_multiplier": 0.0}, "noise_multiplier"),
        ({"noise_multiplier": 0.5}, "noise_multiplier"),
        ({"descent_steps": 20}, "descent_steps=None"),
    ],
)
def test_perturbed_objectives_claim_nothing_for_less_noise_nor_for_less_than_minima(
    wrong: dict[str, float], named: str
) -> None:
    with pytest.raises(InputError, match=named):
        AdmmObjP(**{"descent_steps": None, **wrong}).guarantee(40)  # type: ignore[arg-type]
    assert AdmmObjP(descent_steps=None, noise_multiplier=2.0).guarantee(40) == AdmmObjP(descent_steps=None).guarantee(
        40
    )


@pytest.mark.parametrize("algorithm", [SsAdmm(sigma=0.0), MpAdmm(sigma=0.0), MpAdmmRepaired(sigma=0.0)])
def test_no_noise_no_claim(algorithm: SsAdmm | MpAdmm) -> None:
    for claim in (algorithm.composition, algorithm.guarantee):
        with pytest.raises(InputError):
            claim(10)
