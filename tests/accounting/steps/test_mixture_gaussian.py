from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting.loss_sources import directions
from dpverify.accounting.steps.gaussian import GaussianStep, MixtureGaussianStep, MixtureStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import HasLaws
from dpverify.core.errors import InputError

ORDERS = np.array([1.001, 1.5, 2.0, 8.0, 64.0, 512.0])


def normalised(parts):
    total = math.fsum(weight for weight, _ in parts)
    weights = [weight / total for weight, _ in parts]
    return {"weights": tuple(weights), "shifts": tuple(shift for _, shift in parts)}


mixtures = st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 2)), min_size=1, max_size=4).map(normalised)


@given(mixtures, st.floats(0.5, 20))
def test_the_lemma_letter_by_letter(parts, sigma):
    step = MixtureStep(**parts, sigma=sigma)
    for order in (1.5, 2.0, 7.0):
        more = [math.expm1(order * (order - 1) * shift**2 / (2 * sigma**2)) for shift in step.shifts]
        moment = math.fsum(weight * power for weight, power in zip(step.weights, more, strict=True))
        printed = math.log1p(moment) / (order - 1)  # weights sum to 1: e^x - 1 keeps the digits of small moves
        assert step.renyi([order])[0] == pytest.approx(printed, rel=1e-10, abs=1e-300)


@given(mixtures, st.floats(0.3, 5))
@settings(max_examples=25, deadline=None)
def test_no_exact_divergence_is_above_the_lemma(parts, sigma):
    step = MixtureGaussianStep(**parts, sigma=sigma)
    for pair in step.laws():
        for order in (1.5, 2.0, 8.0):
            assert pair.renyi(order).lower <= step.renyi([order])[0]


def test_weights_that_nearly_sum_to_one_are_shared_out():
    """The tolerance is for decimals that were typed: the law has mass 1, and the bound is that law's."""
    loose = {"weights": (0.25 + 2e-10, 0.75 + 6e-10), "shifts": (0.0, 1.0), "sigma": 0.9}
    whole = loose | {"weights": (0.25, 0.75)}
    assert MixtureStep(**loose).renyi(ORDERS) == pytest.approx(MixtureStep(**whole).renyi(ORDERS), rel=1e-13)
    ((loss,), _), ((exact,), _) = (MixtureGaussianStep(**each).losses() for each in (loose, whole))
    assert loss.weights == pytest.approx(exact.weights, rel=1e-15)
    forth, _ = MixtureGaussianStep(**loose).laws()
    assert forth.renyi(2.0).value <= MixtureStep(**whole).renyi([2.0])[0]


def test_a_published_index_attains_the_lemma():
    """The sum over the index of w_j times each part's moment, by the Gaussian curve."""
    step = MixtureStep(weights=(0.7, 0.3), shifts=(0.2, 1.1), sigma=0.9)
    parts = [GaussianStep(sigma=0.9, sensitivity=shift).renyi(ORDERS) for shift in step.shifts]
    exact = np.logaddexp(*(np.log(w) + (ORDERS - 1) * part for w, part in zip(step.weights, parts, strict=True)))
    assert step.renyi(ORDERS) == pytest.approx(exact / (ORDERS - 1), rel=1e-9)


def test_one_part_is_the_gaussian_step_and_a_still_one_the_sampled_step():
    one = MixtureStep(weights=(1,), shifts=(0.7,), sigma=2)
    assert one.renyi(ORDERS) == pytest.approx(GaussianStep(sigma=2, sensitivity=0.7).renyi(ORDERS), rel=1e-12)
    sampled = MixtureGaussianStep(weights=(0.9, 0.1), shifts=(0, 1), sigma=1.5)
    exact = PoissonGaussianStep(q=0.1, sigma=1.5)
    for mine, theirs in zip(sampled.laws(), exact.laws(), strict=True):
        for epsilon in (0.0, 0.1, 0.5):
            assert mine.delta(epsilon).value == pytest.approx(theirs.delta(epsilon).value, rel=1e-9)
    thresholds = np.array([-0.05, 0.0, 0.05, 0.3])
    for (mine,), (theirs,) in zip(directions(sampled), directions(exact), strict=True):
        assert mine.masses(thresholds).p == pytest.approx(theirs.masses(thresholds).p, abs=1e-12)


def test_the_hidden_index_alone_offers_no_laws():
    assert not isinstance(MixtureStep(weights=(1,), shifts=(1,), sigma=1), HasLaws)
    assert isinstance(MixtureGaussianStep(weights=(1,), shifts=(1,), sigma=1), HasLaws)


def test_extremes():
    assert MixtureStep(weights=(0.5, 0.5), shifts=(0, 0), sigma=1).renyi(ORDERS).tolist() == [0.0] * 6
    assert np.all(MixtureStep(weights=(1,), shifts=(1,), sigma=1e200).renyi(ORDERS) > 0)
    loud = MixtureStep(weights=(0.5, 0.5), shifts=(0, 1), sigma=1e-150).renyi(np.array([2.0, 1e9]))
    assert math.isfinite(loud[0]) and loud[1] == math.inf
    small = MixtureStep(weights=(1 - 1e-12, 1e-12), shifts=(0, 1), sigma=1).renyi([2.0])[0]
    assert small == pytest.approx(1e-12 * math.expm1(1), rel=1e-3)  # no cancellation: weights are doubles


@pytest.mark.parametrize(
    "numbers",
    [
        {"weights": (0.5, 0.4)},
        {"weights": (1.0,)},
        {"weights": ()},
        {"weights": (1.5, -0.5)},
        {"shifts": (1, -1)},
        {"shifts": (1, math.inf)},
        {"sigma": 0},
        {"sigma": 1e-200},
    ],
)
def test_bad_numbers_are_refused(numbers):
    with pytest.raises(InputError, match="allowed"):
        MixtureStep(**{"weights": (0.5, 0.5), "shifts": (0, 1), "sigma": 1, **numbers})
