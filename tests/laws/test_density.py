from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import laplace, norm

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.subjects import Law
from dpverify.laws.density import DensityLaw, GaussianLaw, LaplaceLaw
from dpverify.laws.density_pair import DensityPair
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.shift_pair import GaussianPair, LaplacePair


@pytest.mark.parametrize(("family", "reference"), [(LaplaceLaw, laplace), (GaussianLaw, norm)])
def test_the_density_is_the_familys(family, reference):
    law = family(locations=np.array([0.7]), scales=2.5)
    assert isinstance(law, Law)
    x = np.linspace(-30, 30, 101)
    np.testing.assert_allclose(law.flat().log_at(x), reference.logpdf(x, 0.7, 2.5), rtol=1e-13)
    assert law.flat().defect < 1e-12


@pytest.mark.parametrize(("family", "pair"), [(LaplaceLaw, LaplacePair), (GaussianLaw, GaussianPair)])
def test_equal_scales_take_the_closed_form_and_others_the_line(family, pair):
    law = family(locations=0.0, scales=np.array(2.0))
    assert isinstance(law.against(family(locations=1.0, scales=2.0)), pair)
    assert isinstance(law.against(family(locations=1.0, scales=3.0)), DensityPair)
    with pytest.raises(UnsupportedError, match="2 dimensions"):
        family(locations=np.zeros(2), scales=1.0).against(family(locations=np.zeros(2), scales=3.0))
    with pytest.raises(UnsupportedError, match="2 dimensions"):
        law.against(family(locations=np.zeros(2), scales=2.0))


def test_laplace_against_gaussian_meets_on_the_line():
    pair = LaplaceLaw(locations=0.0, scales=1.0).against(GaussianLaw(locations=0.0, scales=1.0))
    assert isinstance(pair, DensityPair)
    assert 0 < pair.delta(0.0).value < 0.2


def test_a_density_and_a_table_do_not_meet():
    with pytest.raises(UnsupportedError, match="DiscreteLaw"):
        GaussianLaw(locations=0.0, scales=1.0).against(DiscreteLaw.from_probabilities([1.0]))


def test_arrays_cannot_be_changed_afterwards():
    place = np.zeros(2)
    law = GaussianLaw(locations=place, scales=1.0)
    place[0] = 5.0
    assert law.locations[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        law.locations[0] = 1.0


@pytest.mark.parametrize(
    ("locations", "scales"),
    [(np.zeros((2, 2)), 1.0), ([math.nan], 1.0), ([0.0], 0.0), ([0.0], -1.0), ([0.0, 1.0], [1.0, 1.0, 1.0]), ([], 1.0)],
)
def test_bad_locations_and_scales_are_refused(locations, scales):
    with pytest.raises(InputError, match=r"locations|scales"):
        LaplaceLaw(locations=locations, scales=scales)


def test_an_unnormalised_density_is_refused():
    with pytest.raises(InputError, match="integral 2;"):
        DensityLaw(log_density=lambda x: norm.logpdf(x) + math.log(2))


def test_a_missed_peak_is_refused_and_a_named_one_is_not():
    def narrow(x):
        return norm.logpdf(x, 0.123, 1e-6)

    with pytest.raises(InputError, match="name its peaks"):
        DensityLaw(log_density=narrow)
    assert DensityLaw(log_density=narrow, kinks=(0.123,), scale=1e-6).defect < 1e-9


def test_outside_the_support_the_log_density_is_not_called():
    def log_density(x):
        assert np.all((x >= 0) & (x <= 1))
        return np.zeros_like(x)

    law = DensityLaw(log_density=log_density, support=(0.0, 1.0))
    assert law.log_at(np.array([-1.0, 0.5, 2.0])).tolist() == [-math.inf, 0.0, -math.inf]
