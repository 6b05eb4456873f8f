"""Level curves: the parameter from (epsilon, delta), the least upper bound over all pairs of a curve, and its words."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Explains
from dpverify.definitions.gdp import GDP
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.level_curve import LevelCurve, Tradeoff
from dpverify.definitions.level_curve_families import ProfileBounds
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.definitions.rdp import ZCDP
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw

RATES = np.array([0.0, 1e-9, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1.0])
LEVELS = np.array([-2.0, -0.1, 0.0, 0.05, 0.3, 0.7, 0.95, 1.0, 2.0, 9.0])


def classic_pairs(sigma, levels):
    """The pairs of the classic Gaussian's level curve that promise anything."""
    deltas = 1.25 * np.exp(-0.5 * (levels * sigma) ** 2)
    return [(level, delta) for level, delta in zip(levels.tolist(), deltas.tolist(), strict=True) if delta < 1]


def test_the_parameters_are_those_of_the_formulas():
    classic = LevelCurve(family="gaussian-classic", epsilon=0.5, delta=1e-5).curve
    assert classic.sigma == pytest.approx(9.6896, abs=1e-4), "sqrt(2 ln(1.25e5)) / 0.5"
    assert LevelCurve(family="gaussian-analytic", epsilon=4.377178, delta=1e-5).curve.mu == pytest.approx(1, abs=1e-6)
    rho = LevelCurve(family="zcdp", epsilon=1, delta=1e-5).curve.rho
    assert rho + 2 * math.sqrt(rho * math.log(1e5)) == pytest.approx(1, rel=1e-12)
    assert LevelCurve(family="zcdp", epsilon=0, delta=1e-5).curve.rho == 0
    np.testing.assert_allclose(LevelCurve(family="zcdp", epsilon=0, delta=1e-5).tradeoff(RATES), 1 - RATES, atol=1e-12)


def test_the_stated_pair_is_a_point_of_its_curve():
    for claim in LevelCurve.examples():
        assert float(claim.delta(claim.epsilon)) <= claim.claimed_delta + 1e-12
        if claim.family in ("gaussian-analytic", "laplace"):
            assert float(claim.delta(claim.epsilon)) == pytest.approx(claim.claimed_delta, rel=1e-9)


def test_the_classic_curve_is_the_highest_of_all_its_pairs_one_by_one():
    """The naive twin: the largest trade-off over 400 pairs, each an (epsilon, delta) claim of its own."""
    claim = LevelCurve(family="gaussian-classic", epsilon=0.9, delta=1e-3)
    pairs = [*classic_pairs(claim.curve.sigma, np.linspace(1e-3, 1.0, 400)), (0.9, 1e-3)]
    naive = np.max([ApproxDP(epsilon=e, delta=d).tradeoff(RATES) for e, d in pairs], axis=0)
    np.testing.assert_allclose(claim.tradeoff(RATES), naive, atol=2e-6)
    assert np.all(claim.tradeoff(RATES) >= naive - 2e-6)
    for level in (0.0, 0.3, 0.95, 1.0):  # the profile of the same pairs: the conjugate of that curve
        grid = np.unique(np.concatenate([np.geomspace(1e-12, 1, 4000), np.linspace(0, 1, 4000)]))
        highest = np.max([ApproxDP(epsilon=e, delta=d).tradeoff(grid) for e, d in pairs], axis=0)
        assert float(claim.delta(level)) == pytest.approx(np.max(1 - highest - math.exp(level) * grid), abs=2e-5)


def test_what_finitely_many_pairs_allow_is_hardly_more_than_what_all_do():
    """Against the supremum over the whole curve, found by a continuous search: never above, at most 1e-5 below."""
    curve = LevelCurve(family="gaussian-classic", epsilon=0.9, delta=1e-3).curve

    def height(t, alpha):
        delta = min(1.0, 1.25 * math.exp(-0.5 * (t * curve.sigma) ** 2))
        return max(1 - delta - math.exp(t) * alpha, math.exp(-t) * (1 - delta - alpha), 0.0)

    for alpha in (1e-4, 0.01, 0.1, 0.3):
        starts = np.linspace(0, 1, 50)
        best = max(range(49), key=lambda i, a=alpha: max(height(starts[i], a), height(starts[i + 1], a)))
        bounds = (max(starts[best] - 0.05, 0.0), min(starts[best + 1] + 0.05, 1.0))
        found = minimize_scalar(lambda t, a=alpha: -height(t, a), bounds=bounds, method="bounded")
        most = max(-found.fun, *(height(end, alpha) for end in bounds))
        assert most - 1e-5 <= float(curve.tradeoff(alpha)) <= most + 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [(0.9, 1e-3), (0.5, 1e-5), (0.99, 0.1), (0.1, 1e-9)])
def test_the_right_noise_keeps_the_classic_curve(epsilon, delta):
    claim = LevelCurve(family="gaussian-classic", epsilon=epsilon, delta=delta)
    truth = GDP(mu=1 / claim.curve.sigma)
    levels = np.linspace(0, 3, 301)
    assert np.all(truth.delta(levels)[levels <= 1] <= claim.delta(levels)[levels <= 1])
    # beyond 1 the theorem says nothing, and the curve stays at its last value
    assert float(claim.delta(3.0)) == pytest.approx(min(float(claim.delta(1.0)), delta), rel=1e-9)


def test_above_one_the_formula_is_held_to_its_word_everywhere():
    claim = LevelCurve(family="gaussian-classic", epsilon=6, delta=0.01)
    truth = GDP(mu=1 / claim.curve.sigma)
    assert float(truth.delta(6.0)) < 0.01, "the stated pair holds"
    assert float(truth.delta(14.4)) > 5 * float(claim.delta(14.4))
    assert max(float(truth.delta(m.argument)) / m.claimed for m in claim.measures()[1:]) > 5


def test_the_laplace_curve_is_that_of_laplace_noise():
    for epsilon in (0.1, 1.0, 3.0):
        claim = LevelCurve(family="laplace", epsilon=epsilon)
        laws = [LaplaceLaw(locations=np.array([place]), scales=np.array(1 / epsilon)) for place in (1.0, 0.0)]
        pair = laws[0].against(laws[1])
        np.testing.assert_allclose(claim.tradeoff(RATES), pair.tradeoff(RATES), atol=1e-12)
        for level in (0.0, 0.4 * epsilon, epsilon, 2 * epsilon):
            assert float(claim.delta(level)) == pytest.approx(pair.delta(level).value, abs=1e-12)


def test_closed_families_are_their_parameters_own_guarantee():
    analytic = LevelCurve(family="gaussian-analytic", epsilon=1, delta=1e-5)
    np.testing.assert_array_equal(analytic.delta(LEVELS), GDP(mu=analytic.curve.mu).delta(LEVELS))
    np.testing.assert_array_equal(analytic.tradeoff(RATES), GDP(mu=analytic.curve.mu).tradeoff(RATES))
    assert [m.kind for m in analytic.measures()][:3] == ["epsilon", "delta", "mu"]


def response(epsilon):
    """Randomised response at its exact law, both ways alike."""
    laws = [DiscreteLaw.from_log_weights(weights) for weights in ([epsilon, 0.0], [0.0, epsilon])]
    return laws[0].against(laws[1])


def zcdp_at(rho, delta):
    return LevelCurve(family="zcdp", epsilon=rho + 2 * math.sqrt(rho * math.log(1 / delta)), delta=delta)


def test_the_zcdp_curve_is_the_highest_of_all_its_pairs_one_by_one():
    """The naive twin: the largest trade-off over 400 pairs, each an (epsilon, delta) claim of its own."""
    claim = zcdp_at(0.05, 1e-5)
    pairs = [(0.05 + 2 * math.sqrt(0.05 * -math.log(d)), d) for d in np.geomspace(1e-12, 1 - 1e-9, 400)]
    naive = np.max([ApproxDP(epsilon=e, delta=d).tradeoff(RATES) for e, d in pairs], axis=0)
    np.testing.assert_allclose(claim.tradeoff(RATES), naive, atol=1e-4)
    for epsilon, delta in pairs:
        assert float(claim.delta(epsilon)) <= delta * (1 + 1e-3) + 1e-12
    truth = ZCDP(rho=0.05)
    assert np.all(truth.delta(LEVELS) <= claim.delta(LEVELS) + 1e-12), "zCDP itself promises more"


def test_keeping_every_pair_of_zcdp_is_enough():
    """Randomised response with 0.6 keeps every pair that rho = 0.05 is converted to, and is not 0.05-zCDP."""
    claim, subject = zcdp_at(0.05, 1e-5), response(0.6)
    grid, rates = np.linspace(0, 3, 301), np.linspace(0, 1, 301)
    assert subject.renyi(2.0).lower > ZCDP(rho=0.05).measures()[0].claimed * 2
    assert all(measure.kind in ("epsilon", "delta") for measure in claim.measures())
    assert all(subject.delta(level).upper <= float(claim.delta(level)) for level in grid.tolist())
    assert np.all(subject.tradeoff(rates) >= claim.tradeoff(rates))


def test_a_broken_pair_of_the_zcdp_curve_is_measured():
    claim, subject = zcdp_at(0.05, 1e-5), response(1.5)
    broken = [m for m in claim.measures() if m.kind == "delta" and subject.delta(m.argument).lower > m.claimed]
    assert broken
    assert any(m not in claim.measures()[:2] for m in broken)
    assert "a point of its level curve" in claim.refutation(broken[-1])
    assert float(response(1.5).tradeoff(0.1)) < float(claim.tradeoff(0.1))


def test_nothing_overflows_beyond_what_a_double_holds():
    """Epsilons whose exponential is none; warnings are errors here."""
    for claim in (
        LevelCurve(family="gaussian-classic", epsilon=800, delta=1e-5),
        LevelCurve(family="zcdp", epsilon=2000, delta=1e-5),
        LevelCurve(family="laplace", epsilon=800),
    ):
        assert float(claim.delta(claim.epsilon)) <= claim.claimed_delta * (1 + 1e-12)
        assert float(claim.delta(0.0)) <= 1.0
        assert np.all(np.diff(claim.delta(np.linspace(0, 2 * claim.epsilon, 99))) <= 0)
        assert np.all(np.isfinite(claim.tradeoff(RATES)))
        assert float(claim.tradeoff(0.0)) >= 1 - claim.claimed_delta - 1e-12
        assert np.all(claim.tradeoff(RATES[1:]) == 0)
        assert len(claim.measures()) > 2
    assert float(LevelCurve(family="laplace", epsilon=800).delta(400.0)) == pytest.approx(1.0)
    at = np.geomspace(1e-320, 1e-3, 30)
    assert np.all(LevelCurve(family="laplace", epsilon=730).tradeoff(at) <= 1)
    lone = ProfileBounds.of(np.array([800.0]), np.array([1e-3]))
    assert lone.delta(np.array([799.0, 800.0, 900.0])).tolist() == [1.0, 1e-3, 1e-3]
    assert lone.tradeoff(np.array([0.0, 1e-300])).tolist() == [0.999, 0.0]


def test_promises_forget_what_others_imply():
    weak = np.array([1.0, 1.5]), np.array([1e-3, 2e-3])
    strong = np.array([1.0]), np.array([1e-3])
    for both, one in zip(
        (ProfileBounds.of(*weak).slopes, ProfileBounds.of(*weak).heights),
        (ProfileBounds.of(*strong).slopes, ProfileBounds.of(*strong).heights),
        strict=True,
    ):
        np.testing.assert_allclose(both, one)
    np.testing.assert_allclose(
        ProfileBounds.of(*strong).tradeoff(RATES), ApproxDP(epsilon=1, delta=1e-3).tradeoff(RATES), atol=1e-15
    )


def test_words():
    claim = LevelCurve(family="gaussian-classic", epsilon=0.9, delta=1e-3)
    assert claim.text() == 'LevelCurve(family="gaussian-classic", epsilon=0.9, delta=0.001)'
    assert parse_guarantee(claim.text()) == claim
    assert isinstance(claim, Explains)
    assert not isinstance(GDP(mu=1), Explains)
    assert claim.refutation(claim.measures()[0]).endswith("for (0.9, 0.001), at the stated pair")
    point = Measure(kind="delta", argument=1.0, claimed=1.877e-4)
    assert claim.refutation(point) == (
        "refutes the gaussian-classic calibration for (0.9, 0.001), at delta(epsilon=1) <= 0.0001877, a point of its "
        "level curve"
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"family": "gauss", "epsilon": 1, "delta": 1e-5}, "gaussian-classic"),
        ({"family": "gaussian-classic", "epsilon": 0, "delta": 1e-5}, "epsilon > 0"),
        ({"family": "gaussian-analytic", "epsilon": 1}, "0 < delta < 1"),
        ({"family": "zcdp", "epsilon": 1, "delta": 0}, "0 < delta < 1"),
        ({"family": "laplace", "epsilon": 1, "delta": 0.1}, "delta = 0"),
        ({"family": "laplace", "epsilon": -1}, "epsilon = -1"),
        ({"family": "zcdp", "epsilon": 1, "delta": 1}, r"a number in \[0, 1\)"),
        ({"family": "gaussian-analytic", "epsilon": 1e9, "delta": 0.5}, "mu up to"),
    ],
)
def test_refused(given, says):
    with pytest.raises(InputError, match=says) as caught:
        LevelCurve(**given)
    assert "\n" not in str(caught.value)


def neyman_pearson(p: np.ndarray, q: np.ndarray) -> Tradeoff:
    """The exact curve of a pair of finite laws: outcomes by likelihood ratio, largest first."""
    order = np.argsort(-p / q)
    alphas = np.concatenate([[0.0], np.cumsum(q[order])])
    betas = np.concatenate([[1.0], 1 - np.cumsum(p[order])])
    alphas[-1], betas[-1] = 1.0, 0.0
    return Tradeoff(alphas=tuple(alphas), betas=tuple(np.maximum(betas, 0)))


ASYMMETRIC = Tradeoff(alphas=(0, 0.1, 0.4, 0.9, 1), betas=(0.95, 0.6, 0.2, 0, 0))


def test_forward_and_reverse_by_hand() -> None:
    assert np.allclose(ASYMMETRIC.tradeoff([0, 0.05, 0.4, 0.65, 0.95]), [0.95, 0.775, 0.2, 0.1, 0])
    assert np.allclose(ASYMMETRIC.tradeoff([0, 0.1, 0.2, 0.6, 0.95, 1], reverse=True), [0.9, 0.65, 0.4, 0.1, 0, 0])
    assert float(ASYMMETRIC.delta(0.0)) == pytest.approx(0.4)
    assert float(ASYMMETRIC.delta(math.inf)) == pytest.approx(0.05)
    assert float(ASYMMETRIC.delta(math.inf, reverse=True)) == pytest.approx(0.1)


laws = st.integers(2, 6).flatmap(
    lambda size: st.tuples(*[st.lists(st.floats(0.05, 1), min_size=size, max_size=size) for _ in range(2)])
)


@given(laws=laws, epsilon=st.floats(-3, 3))
def test_profile_of_finite_laws_is_the_sum_of_excesses(laws: tuple[list[float], list[float]], epsilon: float) -> None:
    p, q = (np.array(weights) / np.sum(weights) for weights in laws)
    curve = neyman_pearson(p, q)
    forward = np.sum(np.maximum(p - np.exp(epsilon) * q, 0))
    backward = np.sum(np.maximum(q - np.exp(epsilon) * p, 0))
    assert float(curve.delta(epsilon)) == pytest.approx(forward, abs=1e-12)
    assert float(curve.delta(epsilon, reverse=True)) == pytest.approx(backward, abs=1e-12)
    swapped = neyman_pearson(q, p)
    alphas = np.linspace(0, 1, 23)
    assert np.allclose(curve.tradeoff(alphas, reverse=True), swapped.tradeoff(alphas), atol=1e-12)


def test_measures_are_the_edges_and_the_weaker_direction() -> None:
    found = {round(math.exp(item.argument), 9): item.claimed for item in ASYMMETRIC.measures()}
    # Slopes 3.5, 4/3 and 0.4, the last one as 2.5 of the way back.
    assert sorted(found) == [1.333333333, 2.5, 3.5]
    assert found[3.5] == pytest.approx(max(0.05, 0.1))
    assert found[2.5] == pytest.approx(max(1 - 0.6 - 0.25, 1 - 0.4 - 2.5 * 0.2))


def test_a_curve_that_promises_nothing_has_a_measure_nobody_exceeds() -> None:
    (measure,) = Tradeoff(alphas=(0, 1), betas=(0, 0)).measures()
    assert measure.claimed == 1


@pytest.mark.parametrize(
    ("alphas", "betas", "message"),
    [
        ((0, 0.5, 1), (0.9, 0.45, 0.0), None),
        ((0, 0.5, 1), (1, 0.9, 0), "beta <= 1 - alpha"),
        ((0, 0.4, 0.6, 1), (0.8, 0.4, 0.35, 0), "convex"),
        ((0, 0.5, 0.5, 1), (1, 0.5, 0.4, 0), "strictly increasing"),
        ((0, 0.5, 1), (0.4, 0.5, 0), "do not increase"),
        ((0.1, 1), (0.9, 0), "from 0 to 1"),
        ((0, 0.9), (1, 0), "from 0 to 1"),
        ((0, 1), (1, 0.1), "beta <= 1 - alpha"),
        ((0, 1), (1,), "as many"),
        ((0,), (1,), "at least two"),
        ((0, math.nan, 1), (1, 0.5, 0), r"alphas\[1\] = nan"),
        ((0, 1), (1.5, 0), r"betas\[0\] = 1.5"),
        (0.5, 0.5, "a tuple"),
    ],
)
def test_what_is_no_curve_is_refused(alphas: tuple[float, ...], betas: tuple[float, ...], message: str | None) -> None:
    if message is None:
        Tradeoff(alphas=alphas, betas=betas)
        return
    with pytest.raises(InputError, match=message):
        Tradeoff(alphas=alphas, betas=betas)


def test_collinear_vertices_survive_rounding() -> None:
    alphas = tuple(np.linspace(0, 1, 98))
    curve = Tradeoff(alphas=alphas, betas=tuple(1 - alpha for alpha in alphas))
    assert float(curve.delta(0.0)) == pytest.approx(0, abs=1e-15)
