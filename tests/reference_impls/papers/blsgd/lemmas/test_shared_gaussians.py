"""BL-AMP-SHARED (b): two Gaussians on one sample, in closed form at orders 2 and 3."""

from __future__ import annotations

import math

import pytest

from dpverify.core.errors import InputError
from reference_impls.papers.blsgd.lemmas.shared_gaussians import SharedGaussians


def test_gaussians_add_inside_the_sample():
    subject = SharedGaussians(q=0.3, order=2.0, rho_1=0.5, rho_2=0.25)
    assert subject.truth().value == pytest.approx(math.log1p(0.09 * math.expm1(1.5)), rel=1e-14)
    assert subject.printed().value == pytest.approx(
        math.log1p(0.09 * math.expm1(1.0)) + math.log1p(0.09 * math.expm1(0.5)), rel=1e-14
    )


def test_at_order_three_the_third_moment_is_charged_three_times():
    subject = SharedGaussians(q=0.3, order=3.0, rho_1=0.5, rho_2=0.25, charge="together")
    rest, second, third = 0.7**2 * (1 + 2 * 0.3), 3 * 0.3**2 * 0.7 * math.exp(1.5), 0.3**3 * math.exp(4.5)
    assert subject.truth().value == pytest.approx(math.log(rest + second + third) / 2, rel=1e-14)
    assert subject.printed().value == pytest.approx(math.log(rest + second + 3 * third) / 2, rel=1e-14)


@pytest.mark.parametrize("charge", ["apart", "together"])
def test_the_proof_is_the_float_ratio(proved_as_floats, charge):
    subject = SharedGaussians(q=0.3, order=5.0, rho_1=0.5, rho_2=0.25, charge=charge)
    proved_as_floats(subject, rel=1e-14)


@pytest.mark.parametrize("settings", [{"rho_2": 0.0}, {"charge": "never"}])
def test_bad_settings_are_said(settings):
    with pytest.raises(InputError):
        SharedGaussians(**settings)
