"""AP-OPT and AP-ALT: M beside its definition and an optimiser, what falls and what stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import numpy as np
import pytest
from scipy import optimize

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from reference_impls.optimizers.adp_sgd_schedules import least_noise_cost, noise_cost
from reference_impls.papers.adpsgd.lemmas.noise_cost import NoiseCost, mirror_misfit, shown_exists, shown_mirror

SMALL = {"steps": 7.0, "wave": 1.0, "seed": 3.0}


def test_both_sides_are_the_schedules_own() -> None:
    subject = NoiseCost(**SMALL, skew=0.5)
    squares, b = subject.sequences()
    assert subject.printed().value == pytest.approx(noise_cost(np.sqrt(squares), b), rel=1e-12)
    assert subject.truth().value == pytest.approx(least_noise_cost(b), rel=1e-12)


def test_an_optimiser_finds_no_less() -> None:
    _, b = NoiseCost(**SMALL).sequences()
    found = optimize.minimize(lambda logs: math.log(noise_cost(np.exp(logs), b)), np.zeros(7), method="BFGS")
    assert math.exp(found.fun) == pytest.approx(least_noise_cost(b), rel=1e-8)
    ratios = np.exp(2 * found.x) / b
    assert ratios == pytest.approx(np.full(7, ratios[0]), rel=1e-3)


def test_mirrored_alphas_satisfy_the_relation() -> None:
    squares, b = NoiseCost(part="mirror", **SMALL, skew=0.7).sequences()
    alpha = np.sqrt(squares)
    assert alpha * alpha[::-1] == pytest.approx(b, rel=1e-12)
    assert np.array_equal(b, b[::-1])
    assert np.abs(np.log(alpha / alpha[::-1])).max() > 0.1


def test_the_misfit_is_the_least_of_all_alphas() -> None:
    _, b = NoiseCost(steps=6.0).sequences()

    def worst(logs: np.ndarray) -> float:
        return float(np.abs(logs + logs[::-1] - np.log(b)).max())

    least = min(
        optimize.minimize(
            worst, start, method="Nelder-Mead", options={"maxiter": 20000, "xatol": 1e-9, "fatol": 1e-9}
        ).fun
        for start in (np.log(b) / 2, np.full(6, np.log(b).mean() / 2))
    )
    assert mirror_misfit(b) <= least + 1e-12
    assert mirror_misfit(b) == pytest.approx(least, rel=1e-3)
    assert NoiseCost(part="exists", steps=6.0).truth().value == pytest.approx(mirror_misfit(b), rel=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Less(NoiseCost):
    def printed_ball(self) -> flint.arb | None:
        found = NoiseCost.printed_ball(self)
        return None if found is None else found * flint.arb(9) / 10


@pytest.mark.parametrize("row", ["AP-OPT.least", "AP-OPT.attained", "AP-ALT-R"])
def test_what_stands_and_nine_tenths_of_it(examined, row: str) -> None:
    assert judge(examined(row)) is Status.NOT_REFUTED
    assert judge(examined(row, Less)) is Status.REFUTED


@pytest.mark.parametrize("row", ["AP-ALT.exists", "AP-ALT.mirror"])
def test_the_alternative_falls_at_the_papers_own_point(examined, row: str) -> None:
    evidence = examined(row)
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert evidence.statistics["own"]["ratio"] > 1


def test_what_the_remarks_show_holds() -> None:
    assert shown_exists().holds
    assert shown_mirror().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="part"):
        NoiseCost(part="most")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="skew"):
        NoiseCost(skew=-1.0)
