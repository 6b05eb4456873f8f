"""What every definition must keep. They are found by walking the package: a new one is tested by being added."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr, ndtri

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Float, Guarantee, PrivacyGuarantee
from dpverify.definitions.gdp import GDP
from dpverify.definitions.grammar import built_in, parse_guarantee
from dpverify.definitions.level_curve import Tradeoff

DEFINITIONS: dict[str, Any] = dict(built_in())
EXAMPLES: list[Any] = [example for definition in DEFINITIONS.values() for example in definition.examples()]
PRIVACY: list[Any] = [example for example in EXAMPLES if isinstance(example, PrivacyGuarantee)]

EXACT = 1e-9  # numerical curves are rounded outward by 1e-11
GRID = 1e-4  # what the finest grid below may miss of a supremum
ALPHAS = np.unique(np.concatenate([expit(np.linspace(-30, 30, 241)), np.linspace(0, 1, 160)]))
EPSILONS = np.linspace(-4, 8, 37)

examples = pytest.mark.parametrize("guarantee", EXAMPLES, ids=lambda item: item.text())
privacy = pytest.mark.parametrize("guarantee", PRIVACY, ids=lambda item: item.text())


def check_curve(guarantee: PrivacyGuarantee, *, reverse: bool, alphas: Float = ALPHAS) -> None:
    """f is in [0, 1], at most 1 - alpha, not increasing, and convex."""
    f = guarantee.tradeoff(alphas, reverse=reverse)
    assert f.shape == alphas.shape
    assert np.all((f >= 0) & (f <= 1))
    assert np.all(f <= 1 - alphas + EXACT)
    assert np.all(np.diff(f) <= EXACT)
    share = (alphas[1:-1] - alphas[:-2]) / (alphas[2:] - alphas[:-2])
    assert np.all(f[1:-1] <= (1 - share) * f[:-2] + share * f[2:] + EXACT), "the curve is not convex"


def check_inverse(guarantee: PrivacyGuarantee) -> None:
    """reverse=True gives the generalised inverse of f, up to EXACT in either coordinate (curves may be steep)."""
    top = float(guarantee.tradeoff(0.0))
    inverse = guarantee.tradeoff(ALPHAS, reverse=True)
    after = guarantee.tradeoff(np.minimum(inverse + EXACT, 1))
    before = guarantee.tradeoff(np.maximum(inverse - EXACT, 0))
    assert np.all(after <= ALPHAS + EXACT), "reverse lies below the inverse"
    assert np.all(before >= np.minimum(ALPHAS, top) - EXACT), "reverse lies above the inverse"


def check_profile(guarantee: PrivacyGuarantee, *, reverse: bool) -> None:
    """delta is in [0, 1], not increasing, convex in e^epsilon, and at least 1 - e^epsilon."""
    delta = guarantee.delta(EPSILONS, reverse=reverse)
    assert delta.shape == EPSILONS.shape
    assert np.all((delta >= 0) & (delta <= 1))
    assert np.all(np.diff(delta) <= EXACT)
    x = np.exp(EPSILONS)
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    assert np.all(delta[1:-1] <= (1 - share) * delta[:-2] + share * delta[2:] + EXACT), "the profile is not convex"
    assert np.all(delta >= 1 - x - EXACT)


def check_duality(guarantee: PrivacyGuarantee, *, reverse: bool) -> None:
    """delta(epsilon) = sup_alpha 1 - f(alpha) - e^epsilon alpha, the grid refined about its best point."""
    epsilons = np.array([-2, 0, 0.01, 0.3, 1, 2.5, 6])
    delta = guarantee.delta(epsilons, reverse=reverse)

    def heights(alphas: Float) -> Float:
        return np.asarray(1 - guarantee.tradeoff(alphas, reverse=reverse) - np.exp(epsilons)[:, None] * alphas)

    best = np.clip(np.argmax(heights(ALPHAS), axis=1), 1, ALPHAS.size - 2)
    fine = np.linspace(ALPHAS[best - 1], ALPHAS[best + 1], 301, axis=1)
    highest = np.maximum(np.max(heights(fine), axis=1), 0)
    assert np.all(delta >= highest - EXACT), "delta is smaller than the curve allows"
    assert np.all(delta <= highest + GRID), "delta is larger than the curve allows"


def check_reconstruction(guarantee: PrivacyGuarantee, *, reverse: bool) -> None:
    """f(alpha) = max(0, sup 1 - delta(e) - e^e alpha, sup e^-e (1 - delta_reverse(e) - alpha)) over e >= 0."""
    alphas = np.array([0.01, 0.3, 0.9])
    f = guarantee.tradeoff(alphas, reverse=reverse)

    def lines(epsilons: Float, *, steep: bool) -> Float:
        if steep:
            return np.asarray(1 - guarantee.delta(epsilons, reverse=reverse) - np.exp(epsilons) * alphas[:, None])
        return np.asarray(np.exp(-epsilons) * (1 - guarantee.delta(epsilons, reverse=not reverse) - alphas[:, None]))

    found = []
    for steep in (True, False):
        epsilons = np.linspace(0, 8, 41)[None]
        for _ in range(3):
            best = np.clip(np.argmax(lines(epsilons, steep=steep), axis=1), 1, epsilons.shape[1] - 2)
            row = np.arange(3) if len(epsilons) == 3 else 0
            epsilons = np.linspace(epsilons[row, best - 1], epsilons[row, best + 1], 11, axis=1)
        found.append(np.max(lines(epsilons, steep=steep), axis=1))
    highest = np.maximum(np.maximum(*found), 0)
    assert np.all(highest <= f + EXACT), "the profile's lines pass above the curve"
    assert np.all(highest >= f - 20 * GRID), "the profile's lines leave the curve"


def check_measures(guarantee: PrivacyGuarantee) -> None:
    """No claimed measure is smaller than the profile allows: else it would refute what keeps the claim."""
    for measure in guarantee.measures():
        for reverse in (False, True):
            if measure.kind == "delta":
                assert measure.claimed >= float(guarantee.delta(measure.argument, reverse=reverse)) - EXACT
            if measure.kind == "epsilon":
                assert float(guarantee.delta(measure.claimed, reverse=reverse)) <= measure.argument + EXACT


def test_all_are_found() -> None:
    assert {"PureDP", "ApproxDP", "RDP", "ZCDP", "GDP", "Tradeoff", "SensitivityBound"} <= set(DEFINITIONS)
    assert all(len(definition.examples()) >= 2 for definition in DEFINITIONS.values())


@examples
def test_is_a_guarantee_that_reads_back(guarantee: Any) -> None:
    assert isinstance(guarantee, Guarantee)
    assert parse_guarantee(guarantee.text(), DEFINITIONS) == guarantee
    assert parse_guarantee(guarantee.text()) == guarantee
    assert guarantee.text() == parse_guarantee(guarantee.text()).text()
    measures = guarantee.measures()
    assert len(measures) >= 1
    assert all(isinstance(measure, Measure) for measure in measures)
    assert len({(measure.kind, measure.argument) for measure in measures}) == len(measures)


@examples
def test_is_a_value(guarantee: Any) -> None:
    assert hash(guarantee) == hash(copy.deepcopy(guarantee))
    assert pickle.loads(pickle.dumps(guarantee)) == guarantee  # noqa: S301  # our own bytes
    assert not hasattr(guarantee, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(guarantee, dataclasses.fields(guarantee)[0].name, 1.0)


@privacy
@pytest.mark.parametrize("reverse", [False, True])
def test_curve_and_profile(guarantee: Any, reverse: bool) -> None:
    check_curve(guarantee, reverse=reverse)
    check_profile(guarantee, reverse=reverse)
    check_duality(guarantee, reverse=reverse)


@privacy
def test_inverse_and_reconstruction(guarantee: Any) -> None:
    check_inverse(guarantee)
    check_reconstruction(guarantee, reverse=False)
    if isinstance(guarantee, Tradeoff):
        check_reconstruction(guarantee, reverse=True)


@privacy
def test_measures_are_points_of_the_profile(guarantee: Any) -> None:
    check_measures(guarantee)


@privacy
def test_any_shape(guarantee: Any) -> None:
    for curve, points in ((guarantee.tradeoff, [0.0, 0.1, 0.4, 1.0]), (guarantee.delta, [-1.0, 0.0, 1.0, 7.0])):
        flat = curve(np.array(points))
        assert flat.dtype == np.float64
        assert np.allclose(curve(np.array(points).reshape(2, 2)), flat.reshape(2, 2), rtol=1e-9, atol=1e-15)
        assert curve(points[1]).shape == ()
        assert float(curve(points[1])) == pytest.approx(flat[1], rel=1e-9, abs=1e-15)
        assert curve([]).shape == (0,)


@privacy
def test_ends(guarantee: Any) -> None:
    assert float(guarantee.tradeoff(1.0)) == 0
    assert float(guarantee.delta(math.inf)) == pytest.approx(1 - float(guarantee.tradeoff(0.0)), abs=EXACT)
    assert float(guarantee.delta(-math.inf)) == 1
    assert np.all(np.isfinite(guarantee.delta([1e-300, 700.0, 1e4, 1e300])))
    assert np.all(np.isfinite(guarantee.tradeoff([5e-324, 1e-300, 1 - 1e-16])))
    with pytest.raises(InputError, match="alpha"):
        guarantee.tradeoff([0.5, 1.5])
    with pytest.raises(InputError, match="nan"):
        guarantee.delta(math.nan)


@privacy
@settings(max_examples=15, deadline=None)
@given(logits=st.lists(st.floats(-40, 40), min_size=3, max_size=3, unique=True))
def test_convex_at_any_three_rates(guarantee: Any, logits: list[float]) -> None:
    alphas = np.unique(expit(np.array(logits)))
    if alphas.size == 3:
        check_curve(guarantee, reverse=False, alphas=alphas)


# Sabotage: what is broken must be caught.


@dataclass(frozen=True, kw_only=True)
class Broken:
    """GDP(mu=1) with one thing changed."""

    fault: str

    def text(self) -> str:
        return "GDP(mu=1)"

    def measures(self) -> tuple[Measure, ...]:
        share = 0.9 if self.fault == "measures" else 1.0
        return (Measure(kind="delta", argument=1.0, claimed=share * float(GDP(mu=1).delta(1.0))),)

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        exact = GDP(mu=1).delta(epsilon)
        if self.fault == "small profile":
            return 0.99 * exact
        if self.fault == "large profile":
            return np.minimum(1.01 * exact, 1)
        if self.fault == "flat below epsilon":
            return np.asarray(GDP(mu=1).delta(np.maximum(epsilon, 1.0)))
        return exact

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        alpha = np.asarray(alpha, dtype=np.float64)
        exact = np.asarray(ndtr(-ndtri(alpha) - 1))
        if self.fault == "bent":
            return np.asarray(np.minimum(1 - alpha, exact + 0.02 * np.exp(-(((alpha - 0.5) / 0.05) ** 2))))
        if self.fault == "small region":
            return np.asarray(0.98 * exact + 0.02 * (1 - alpha))
        if self.fault == "above guessing":
            return np.asarray(np.minimum(1.2 * (1 - alpha), 1))
        if self.fault == "reverse" and reverse:
            return np.asarray(ndtr(-ndtri(alpha) - 1.01))
        return exact


def test_the_unbroken_twin_passes() -> None:
    for reverse in (False, True):
        for check in (check_curve, check_profile, check_duality, check_reconstruction):
            check(Broken(fault="none"), reverse=reverse)
    check_inverse(Broken(fault="none"))
    check_measures(Broken(fault="none"))


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("bent", check_curve),
        ("above guessing", check_curve),
        ("small region", check_duality),
        ("small profile", check_duality),
        ("large profile", check_duality),
        ("large profile", check_reconstruction),
        ("flat below epsilon", check_profile),
    ],
)
def test_a_broken_curve_is_caught(fault: str, check: Any) -> None:
    with pytest.raises(AssertionError):
        check(Broken(fault=fault), reverse=False)


def test_a_broken_inverse_or_measure_is_caught() -> None:
    with pytest.raises(AssertionError, match="reverse"):
        check_inverse(Broken(fault="reverse"))
    with pytest.raises(AssertionError):
        check_measures(Broken(fault="measures"))
