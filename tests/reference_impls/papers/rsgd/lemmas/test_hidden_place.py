"""Mixtures over a hidden place: the house's laws as oracle, cells below sums, the algorithms' own draws and laws."""

from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.laws.balls import working_precision
from dpverify.laws.density import GaussianLaw
from dpverify.laws.product import MixtureLaw
from dpverify.sampling.streams import stream
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.rsgd_privacy import renyi
from reference_impls.optimizers.rsgd_sensitivity import sensitivities, step_sizes
from reference_impls.papers.rsgd.lemmas.hidden_place import HiddenPlace, cells_ball, divergence
from reference_impls.papers.rsgd.lemmas.mixture_bound import DiscreteMixture, h_ball
from reference_impls.papers.rsgd.lemmas.nsgd_margins import NsgdMargins
from reference_impls.papers.rsgd.lemmas.one_feature_runs import OneFeatureRuns
from reference_impls.papers.rsgd.lemmas.rsgd_ar_margins import RsgdArMargins

FALSE_ALARM = 1e-9


def mixture(means: np.ndarray, weights: np.ndarray) -> MixtureLaw:
    laws = tuple(GaussianLaw(locations=np.array([mean]), scales=np.array(1.0)) for mean in means.tolist())
    return MixtureLaw(laws=laws, weights=tuple(weights.tolist()))


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(1.2, 20.0))
def test_the_sum_is_the_houses_quadrature_and_cells_lie_below(draw: int, parts: int, order: float) -> None:
    rng = np.random.default_rng(draw)
    first, second, weights = rng.normal(size=parts), rng.normal(size=parts), rng.dirichlet(np.ones(parts) * 3)
    weights = np.maximum(weights, 1e-3) / np.maximum(weights, 1e-3).sum()
    found = divergence(first, second, weights, order)
    house = mixture(first, weights).against(mixture(second, weights)).renyi(order)
    assert found.value == pytest.approx(house.value, rel=1e-7, abs=1e-9)
    with working_precision():
        balls = [[flint.arb(x) for x in each.tolist()] for each in (first, second, weights)]
        cells = cells_ball(*balls, order)
    assert float(cells.upper()) <= found.value + found.error + 1e-12
    assert float(cells.mid()) == pytest.approx(found.value, rel=5e-3, abs=1e-6)


def test_one_place_is_a_gaussian_mechanism() -> None:
    one = HiddenPlace(rows=4000, epochs=3, interval=3, schedule="restart", order=5.0, noise=2.0)
    assert one.printed().value == pytest.approx(5.0 / (2 * 2.0**2), rel=1e-12)
    assert one.truth().value == pytest.approx(5.0 / (2 * 2.0**2), rel=1e-9)  # attained by records that are 0


def test_the_printed_side_is_the_algorithms_own() -> None:
    row = HiddenPlace(rows=14, batch=4, epochs=4, interval=2, schedule="restart", l2=0.01, order=6.0, noise=1.5)
    for believed, shares, kind in (("nominal", "uniform", "published"), ("own", "sizes", "repaired")):
        there = HiddenPlace(
            **{name: getattr(row, name) for name in ("rows", "batch", "epochs", "interval", "schedule", "l2")},
            order=6.0,
            noise=1.5,
            believed=believed,
            shares=shares,
        )
        algorithm = RsgdArMargins(kind=kind, epochs=4, interval=2, l2=0.01).algorithm()
        shifts, weights = algorithm.parts(14)
        expected = renyi(6.0, shifts, weights, 1.5 * float(shifts.max()))
        assert there.printed().value == pytest.approx(expected, rel=1e-9)


def test_averaged_to_the_letter_by_the_plain_recursion() -> None:
    """Section 4.3: Algorithm 2 by eta_0 / s, averaged every tau epochs; the run's own Delta is larger."""
    shared = {"rows": 8, "batch": 4, "epochs": 6, "interval": 2, "l2": 0.01, "order": 6.0, "noise": 2.5}
    row = HiddenPlace(schedule="restart", accounting="averaged", **shared)
    found = []
    for schedule in ("epoch", "restart"):
        steps = step_sizes(schedule, 1.0, 6, interval=2)
        found.append(sensitivities(steps, (4, 4), lipschitz=1.0, smoothness=1.01, strong_convexity=0.01, interval=2))
    expected = renyi(6.0, found[0], np.full(2, 0.5), 2.5 * float(found[0].max()))
    assert row.printed().value == pytest.approx(expected, rel=1e-9)
    assert found[1].max() > 1.3 * found[0].max()
    assert row.truth().value > row.printed().value
    mended = HiddenPlace(schedule="restart", accounting="run", **shared)
    assert mended.truth().value <= mended.printed().value * (1 + 1e-9)


def test_what_stands_beside_is_of_both_sides() -> None:
    row = HiddenPlace(interval=10.0, schedule="restart", own=0.0)
    (folds,) = row.describe().values()
    by_name = {each["data"]: each for each in folds}
    assert by_name["IPUMS-US"]["epsilon of (3.9)"] == row.printed().value
    assert by_name["IPUMS-US"]["exact"] == row.truth().value
    uneven = {name: each["last batch"] < 4000 for name, each in by_name.items()}
    assert {name: each["ratio"] > 1.0 for name, each in by_name.items()} == uneven


@pytest.mark.parametrize(("rows", "kind"), [(5, "published"), (8, "published"), (5, "repaired")])
def test_trainings_follow_the_exact_law(rows: int, kind: str) -> None:
    """Dvoretzky, Kiefer, Wolfowitz with Massart's constant: false alarms below `FALSE_ALARM` a case."""
    subject, size = RsgdArMargins(kind=kind), 200_000
    data = np.zeros(rows)
    data[1] = 1.0
    drawn = np.sort(subject.sample(data, size, rng=stream(0, "law", kind, rows))[:, 0])
    sigma = subject.algorithm().noise_scale(rows)
    line = OneFeatureRuns(rows=rows, batch=4, epochs=2, interval=1, schedule="restart", l2=subject.l2)
    with working_precision():
        means = [float(line.end_ball(1, place).mid()) for place in range(len(line.sizes))]
    shares = np.array(line.sizes) / rows
    exact = sum(share * stats.norm.cdf(drawn, mean, sigma) for share, mean in zip(shares, means, strict=True))
    steps = np.arange(size + 1) / size
    distance = max(np.abs(exact - steps[1:]).max(), np.abs(exact - steps[:-1]).max())
    assert distance <= math.sqrt(math.log(2.0 / FALSE_ALARM) / (2.0 * size))
    wrong = stats.norm.cdf(drawn, means[0], sigma)
    if rows == 5:  # the test sees the rare place
        assert np.abs(wrong - steps[1:]).max() > math.sqrt(math.log(2.0 / FALSE_ALARM) / (2.0 * size))


def test_the_margins_of_nsgd_are_its_own_law() -> None:
    subject = NsgdMargins(initial_step=0.7)
    data = np.array([0.3, -0.2, 0.9, 1.0, -1.0, 0.0, 0.5, 0.1])
    law = subject.output_law(data)
    plain = Nsgd(model="huber-svm", epochs=2, batch_size=4, initial_step=0.7, l2=0.001, order=8.0, epsilon=1.0)
    assert np.array_equal(law.locations, plain.query(subject.table(data)))
    assert law.scales == pytest.approx(plain.noise_scale(8))
    turned = NsgdMargins(initial_step=0.7, turned=True)
    assert np.array_equal(turned.query(data), subject.query(data[::-1].copy()))
    for wrong in (np.array([1.5]), np.zeros((2, 2)), np.array([])):
        with pytest.raises(InputError, match="vector of margins"):
            subject.query(wrong)
    for kind in (NsgdMargins, RsgdArMargins):
        with pytest.raises(InputError, match="kind = 'other'; allowed: published, repaired"):
            kind(kind="other")


def test_a_lone_record_moves_nsgd_by_the_sizes_ratio() -> None:
    """One epoch, zeros otherwise: 2 eta over its own batch of one, against the Delta of batches of four."""
    laws = [NsgdMargins(epochs=1).output_law(np.array([0.0] * 4 + [record])) for record in (1.0, -1.0)]
    assert laws[0].against(laws[1]).renyi(8.0).value == pytest.approx(16.0, rel=1e-9)


def test_mixtures_by_enumeration() -> None:
    subject = DiscreteMixture(order=3.0, parts=2, outcomes=3, draw=7)
    weights, pairs = subject.laws()
    p, q = (np.array([[float(x) for x in pair[side]] for pair in pairs]) for side in (0, 1))
    w = np.array([float(x) for x in weights])
    assert subject.truth().value == pytest.approx(((w @ p) ** 3 * (w @ q) ** -2).sum(), rel=1e-12)
    assert subject.printed().value == pytest.approx((w * (p**3 * q**-2).sum(axis=1)).sum(), rel=1e-12)
    assert float(h_ball(pairs[0][0], pairs[0][0], 3.0).mid()) == pytest.approx(1.0)
