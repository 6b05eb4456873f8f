"""BL-SVT-GAUSS-RDP-R: both sides by hand; the theorem falls on these families, the sound bound does not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status
from reference_impls.papers.blsgd.lemmas.gaussian_stops import GaussianStops, stripes


def _stopping(levels: np.ndarray, scales: tuple[float, float]) -> np.ndarray:
    """P(stop at i), P(never), by quadrature over the threshold."""

    def part(index: int) -> float:
        def integrand(z: float) -> float:
            below = stats.norm.cdf((z - levels) / scales[1])
            stop = 1.0 if index == levels.size else 1.0 - below[index]
            return float(stats.norm.pdf(z, 0, scales[0]) * np.prod(below[:index]) * stop)

        return float(integrate.quad(integrand, -12 * scales[0], 12 * scales[0], limit=200, epsabs=1e-14)[0])

    return np.array([part(index) for index in range(levels.size + 1)])


def test_the_truth_by_quadrature():
    subject = GaussianStops(
        queries="bounded", rho=0.5, order=3.0, max_it=4.0, level=0.4, last=-0.7, loss=1.0, before=-1.0, after=0.5
    )
    levels, moves = subject.pair()
    assert np.array_equal(moves, [2.0, 2.0, 2.0, 0.5])
    p, q = _stopping(levels + moves, subject.scales), _stopping(levels, subject.scales)
    both = [math.log(float(np.sum(a**3 * b**-2.0))) / 2 for a, b in ((p, q), (q, p))]
    assert subject.truth().value == pytest.approx(max(both), rel=1e-7)


def test_the_theorem_is_order_rho_and_the_bound_at_most_that_and_the_outcomes():
    for queries, times in (("losses", 1.0), ("arbitrary", 1.0), ("bounded", 4.0)):
        subject = GaussianStops(queries=queries, rho=0.3, order=5.0, max_it=30.0)
        theorem = GaussianStops(queries=queries, rho=0.3, order=5.0, max_it=30.0, bound="theorem").printed().value
        assert theorem == pytest.approx(1.5)
        size = subject.pair()[0].size
        assert subject.printed().value <= (times * theorem + math.log1p(size) / 4) * (1 + 1e-8)


def test_stripes_shrink_and_move_by_turns():
    levels, moves = stripes(1000, 16, (-3.0, 1.0), 2.0)
    values, counts = np.unique(levels, return_counts=True)
    assert values.size == 16
    assert np.all(np.diff(counts) <= 0)
    assert counts[0] > 5 * counts[-1]
    assert abs(levels.size - 1000) <= 16
    assert [moves[levels == value][0] for value in values] == [1.0, -1.0] * 8


@pytest.mark.parametrize(
    "settings",
    [
        {"queries": "bounded", "rho": 1.0, "order": 8.0, "level": 2.3, "last": -2.3, "before": -1.0},
        {"queries": "losses", "rho": 0.1, "order": 2.0, "bound": "theorem"},
    ],
)
def test_the_proof_is_the_float_ratio(settings):
    subject = GaussianStops(**settings)
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    ratio = subject.truth().value / subject.printed().value
    assert 0.99 * ratio <= proof.lower <= ratio * (1 + 1e-7)


@pytest.mark.parametrize(
    "settings",
    [
        {"queries": "bounded", "rho": 1.0, "order": 8.0, "level": 2.3, "last": -2.3, "before": -1.0},
        {"queries": "arbitrary", "rho": 0.01, "max_it": 1000.0, "level": -3.1, "last": 0.1, "growth": 0.5},
    ],
)
def test_a_witness_against_the_theorem_and_none_against_the_bound(settings):
    truth = GaussianStops(**settings).truth()
    assert truth.lower > 1.05 * GaussianStops(**settings, bound="theorem").printed().value
    assert truth.upper < GaussianStops(**settings).printed().value


def test_the_theorem_is_proved_to_fall():
    proof = GaussianStops(
        queries="bounded", rho=1.0, order=8.0, level=2.3, last=-2.3, before=-1.0, bound="theorem"
    ).proved_ratio()
    assert proof is not None
    assert proof.lower > 1.2


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["b", "c"])
def test_the_theorem_falls_here_and_the_bound_does_not(status, reading):
    assert status(f"BL-SVT-GAUSS-RDP-R.{reading}", bound="theorem", effort=0.5) is Status.REFUTED
    assert status(f"BL-SVT-GAUSS-RDP-R.{reading}") is Status.NOT_REFUTED


@pytest.mark.slow
def test_neither_falls_on_losses(status):
    assert status("BL-SVT-GAUSS-RDP-R.a", bound="theorem") is Status.NOT_REFUTED
    assert status("BL-SVT-GAUSS-RDP-R.a") is Status.NOT_REFUTED


class Half(GaussianStops):
    """Half of the sound bound."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.5 * GaussianStops.printed(self).value)


@pytest.mark.slow
def test_half_of_the_bound_falls(status):
    assert status("BL-SVT-GAUSS-RDP-R.b", Half, effort=0.5) is Status.REFUTED


@pytest.mark.parametrize("settings", [{"queries": "some"}, {"bound": "none"}, {"loss": -0.5}, {"order": 1.0}])
def test_bad_settings_are_said(settings):
    with pytest.raises(InputError):
        GaussianStops(**settings)
