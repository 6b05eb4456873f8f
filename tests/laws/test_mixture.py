from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Law
from dpverify.laws.density import DensityLaw, GaussianLaw, LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw


def table(*probabilities) -> DiscreteLaw:
    return DiscreteLaw.from_fractions([Fraction(p) for p in probabilities])


def gauss(place, scale=1.0) -> GaussianLaw:
    return GaussianLaw(locations=place, scales=scale)


def test_tables_average():
    law = MixtureLaw(laws=(table("1/2", "1/2", 0), table("1/4", "3/4", 0)), weights=(0.25, 0.75))
    assert isinstance(law, Law)
    flat = law.flat()
    assert isinstance(flat, DiscreteLaw)
    np.testing.assert_allclose(np.exp(flat.log_probabilities), [0.3125, 0.6875, 0.0], rtol=1e-15)
    assert flat.log_probabilities[2] == -math.inf


def test_a_mixture_of_provable_tables_is_provable():
    p = MixtureLaw(laws=(table("1/2", "1/2"), table("1/4", "3/4")), weights=(0.5, 0.5))
    found = p.against(table("3/4", "1/4")).prove(Measure(kind="delta", argument=0.0, claimed=1.0))
    assert found is not None
    assert (found.value, found.error, found.proved) == (0.375, 0.0, True)
    floats = MixtureLaw(laws=(table("1/2", "1/2"), DiscreteLaw.from_probabilities([0.5, 0.5])), weights=(0.5, 0.5))
    assert floats.flat().enclose is None


def test_weights_are_normalised_exactly():
    law = MixtureLaw(laws=(table(1),) * 3, weights=(0.1, 0.2, 0.7))
    assert sum(law.weights) == 1
    found = law.against(table(1)).prove(Measure(kind="delta", argument=0.0, claimed=1.0))
    assert found is not None
    assert found.upper < 1e-40


def test_densities_average_pointwise_and_keep_their_kinks():
    law = MixtureLaw(laws=(gauss(0.0), LaplaceLaw(locations=2.0, scales=0.5)), weights=(0.3, 0.7)).flat()
    assert isinstance(law, DensityLaw)
    x = np.linspace(-5, 5, 31)
    truth = 0.3 * norm.pdf(x) + 0.7 * np.exp(-np.abs(x - 2) / 0.5)
    np.testing.assert_allclose(np.exp(law.log_at(x)), truth, rtol=1e-13)
    assert law.kinks == (0.0, 2.0)
    assert law.decay_scale is None
    same = MixtureLaw(
        laws=(LaplaceLaw(locations=0.0, scales=0.5), LaplaceLaw(locations=2.0, scales=0.5)), weights=(0.3, 0.7)
    )
    assert same.flat().decay_scale == 0.5


def test_parts_with_different_supports():
    def uniform(low, high):
        return DensityLaw(log_density=lambda x: np.full(x.shape, -math.log(high - low)), support=(low, high))

    law = MixtureLaw(laws=(uniform(0.0, 1.0), uniform(2.0, 4.0)), weights=(0.5, 0.5)).flat()
    assert np.exp(law.log_at(np.array([-1.0, 0.5, 1.5, 3.0]))).tolist() == pytest.approx([0.0, 0.5, 0.0, 0.25])
    assert law.defect < 1e-12


def test_a_mixture_meets_other_laws_from_either_side():
    law, plain = MixtureLaw(laws=(gauss(0.0), gauss(1.0)), weights=(0.5, 0.5)), gauss(0.0)
    forth, back = law.against(plain), plain.against(law)
    assert forth.delta(0.1).value == pytest.approx(back.swap().delta(0.1).value, abs=1e-13)
    assert law.against(law).delta(0.0).value == 0.0
    nested = MixtureLaw(laws=(law, plain), weights=(0.5, 0.5))
    assert nested.against(plain).delta(0.0).value == pytest.approx(0.25 * (norm.cdf(0.5) - norm.cdf(-0.5)), abs=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 0.99), st.sampled_from([0.0, 0.2, 1.0]))
def test_mixing_never_increases_a_divergence(weight, epsilon):
    p, q = table("1/2", "1/3", "1/6"), table("1/6", "1/3", "1/2")
    mixed = MixtureLaw(laws=(p, q), weights=(weight, 1 - weight)).against(q)
    assert mixed.delta(epsilon).value <= p.against(q).delta(epsilon).value + 1e-15
    assert mixed.renyi(3.0).value <= p.against(q).renyi(3.0).value + 1e-13


def test_the_wrong_weights_are_caught():
    p, q = table("1/2", "1/2"), table("1/4", "3/4")
    right = MixtureLaw(laws=(p, q), weights=(0.9, 0.1)).against(q).delta(0.0)
    wrong = MixtureLaw(laws=(p, q), weights=(0.1, 0.9)).against(q).delta(0.0)
    assert abs(right.value - 0.225) <= right.error
    with pytest.raises(AssertionError):
        assert abs(wrong.value - 0.225) <= wrong.error


@pytest.mark.parametrize("weights", [(0.5,), (0.5, 0.6), (1.5, -0.5), (1.0, 0.0)])
def test_bad_weights_are_refused(weights):
    with pytest.raises(InputError, match="weights"):
        MixtureLaw(laws=(table(1), table(1)), weights=weights)


def test_mixed_spaces_are_refused():
    for laws in ((table(1), gauss(0.0)), (table(1), table("1/2", "1/2"))):
        with pytest.raises(UnsupportedError, match="one table or on the line"):
            MixtureLaw(laws=laws, weights=(0.5, 0.5)).flat()
    with pytest.raises(UnsupportedError, match="2 dimensions"):
        MixtureLaw(laws=(gauss([0.0, 0.0]), gauss([1.0, 0.0])), weights=(0.5, 0.5)).flat()
