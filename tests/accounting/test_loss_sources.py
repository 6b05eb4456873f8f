"""Which losses a step has, in how many directions, and when their order matters."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.loss_sources import (
    ONE_ORDER,
    FiniteLoss,
    GaussianLoss,
    GaussianMixtureLoss,
    LaplaceLoss,
    directions,
    losses_of,
    order_matters,
)
from dpverify.accounting.privacy_loss import ReversedLoss, SampledLoss
from dpverify.accounting.side_by_side import account
from dpverify.core.errors import UnsupportedError
from dpverify.core.plugins import registry
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.subsampled_pair import SubsampledPair

ONE_WAY = "discrete(p=(0.9, 0.1), q=(0.5, 0.5))"
OTHER = "discrete(p=(0.3, 0.7), q=(0.8, 0.2))"
BALANCED = "discrete(p=(0.5, 0.3, 0.2), q=(0.2, 0.3, 0.5))"


def read(text):
    return read_composition(text, registry())


def first(text):
    return directions(read(text).parts[0].step)


def test_families():
    assert first("gaussian(sigma=2, sensitivity=1)") == ((GaussianLoss(mu=0.5),),)
    assert first("laplace(scale=2, sensitivity=1)") == ((LaplaceLoss(shift=0.5),),)
    forth, back = first("poisson-gaussian(q=0.1, sigma=2)")
    assert forth == (SampledLoss(base=GaussianLoss(mu=0.5), rate=0.1),)
    assert back == (ReversedLoss(base=forth[0]),)
    assert [len(first(text)) for text in (ONE_WAY, BALANCED)] == [2, 1]
    assert isinstance(first(ONE_WAY)[0][0], FiniteLoss)


def laplace(*locations):
    return LaplaceLaw(locations=np.array(locations), scales=np.array(1.0))


def test_a_sample_of_one_laplace_coordinate_has_a_loss_and_of_two_none():
    one, two = (laplace(*[1.0] * size).against(laplace(*[0.0] * size)) for size in (1, 2))
    assert losses_of(SubsampledPair(base=one, rate=0.3)) == (SampledLoss(base=LaplaceLoss(shift=1.0), rate=0.3),)
    with pytest.raises(UnsupportedError, match="several Laplace coordinates"):
        losses_of(SubsampledPair(base=two, rate=0.3))


def test_a_step_without_laws_is_refused():
    with pytest.raises(UnsupportedError):
        directions(object.__new__(type("Opaque", (), {"text": lambda _: "opaque()"})))


@pytest.mark.parametrize(
    ("text", "matters"),
    [
        (f"{ONE_WAY}*5", False),
        (f"{ONE_WAY} + {BALANCED} + pure(epsilon=1)", False),
        (f"{ONE_WAY} + {OTHER}", True),
        (f"{ONE_WAY} + poisson-gaussian(q=0.1, sigma=2)", True),
        ("poisson-gaussian(q=0.1, sigma=2) + poisson-gaussian(q=0.2, sigma=2)", False),
    ],
)
def test_notes_say_when_the_order_matters(text, matters):
    assert order_matters(read(text)) == matters
    rows = account(text, accountants=("pld", "enumeration")).rows
    assert rows
    assert all((ONE_ORDER in row.bracket.note) == matters for row in rows)


def test_finite():
    law = FiniteLoss(log_p=np.log([0.5, 0.5]), log_q=np.array([0.0, -np.inf]), error=0.0)
    assert law.atoms().loss.tolist() == [math.log(0.5), math.inf]
    assert law.masses(np.zeros(1)) is None
    assert law.bounds()[1] == math.inf


def test_equal_laws_lose_nothing_whatever_their_error():
    logs = np.log([0.3, 0.7])
    assert FiniteLoss(log_p=logs, log_q=logs.copy(), error=1e-6).bounds() == (0.0, 0.0)
    low, high = FiniteLoss(log_p=logs, log_q=logs[::-1].copy(), error=1e-6).bounds()
    assert low < -math.log(7 / 3) - 1e-6 and math.log(7 / 3) + 1e-6 < high


T = np.linspace(-1.5, 1.5, 7)


def mixed_points(thresholds, weights, shifts):
    """Where the mixture's loss passes each threshold, by bisection."""
    low, high = np.full(thresholds.shape, -40.0), np.full(thresholds.shape, 45.0)
    for _ in range(200):
        middle = (low + high) / 2
        ratio = sum(w * np.exp(s * (middle - s / 2)) for w, s in zip(weights, shifts, strict=True))
        small = np.log(ratio) < thresholds
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return (low + high) / 2


@pytest.mark.parametrize("mu", [0.3, 1.0, 5.0])
def test_gaussian(mu):
    found = GaussianLoss(mu=mu).masses(T)
    ends = np.concatenate(([-np.inf], T, [np.inf]))
    assert found.p == pytest.approx(np.diff(norm.cdf(ends, mu * mu / 2, mu)), abs=1e-15)
    assert found.q == pytest.approx(np.diff(norm.cdf(ends, -mu * mu / 2, mu)), abs=1e-15)


@pytest.mark.parametrize(
    ("weights", "shifts"), [((0.99, 0.01), (0.0, 1.0)), ((0.5, 0.3, 0.2), (0.1, 2.0, 6.0)), ((0.5, 0.5), (0.01, 20.0))]
)
def test_a_mixture_within_its_error(weights, shifts):
    law = GaussianMixtureLoss(weights=np.array(weights), shifts=np.array(shifts))
    found, points = law.masses(T), mixed_points(T, weights, shifts)
    above = np.cumsum(found.p[::-1])[::-1][1:]
    truth = sum(w * norm.sf(points, s) for w, s in zip(weights, shifts, strict=True))
    assert np.all(np.abs(above - truth) <= found.p_error + 1e-14)
    assert np.all(found.p_error < 1e-9)


def test_a_missed_threshold_is_counted(monkeypatch):
    """Points moved by hand: the errors hold all that lies in the wrong cell, also where the density rises."""
    law = GaussianMixtureLoss(weights=np.array([0.5, 0.5]), shifts=np.array([0.5, 3.0]))
    truth, right = law.masses(T), law._points(T)
    for moved in (-0.05, 0.05):
        monkeypatch.setattr(GaussianMixtureLoss, "_points", lambda self, _, moved=moved: right + moved)
        found = law.masses(T)
        for a, b, error in ((found.p, truth.p, found.p_error), (found.q, truth.q, found.q_error)):
            assert np.all(np.abs(np.cumsum(a - b)[:-1]) <= error)
