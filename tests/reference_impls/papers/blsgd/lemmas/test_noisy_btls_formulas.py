"""BL-SVT-LAP-TIGHT and BL-SPLIT: by hand, and with one constant wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import pytest
from scipy import integrate

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status
from reference_impls.papers.blsgd.lemmas.noisy_btls_formulas import BelowLemmaTwo, GaussianSplit


def test_formula_four_is_two_laplace_shifts():
    subject = BelowLemmaTwo(order=3.0, epsilon=1.4, share=0.3)

    def moment(shift: float) -> float:
        def integrand(x: float) -> float:
            return 0.5 * math.exp(-3 * abs(x - shift) + 2 * abs(x))

        parts = (-60.0, 0.0), (0.0, shift), (shift, 60.0)
        return sum(integrate.quad(integrand, *part)[0] for part in parts)

    expected = math.log(moment(0.42) * moment(0.98)) / 2
    assert subject.truth().value == pytest.approx(expected, rel=1e-8)
    assert subject.printed().value == pytest.approx(3 * 1.96 / 2)


@pytest.mark.parametrize(
    "settings", [{}, {"order": 40.0, "epsilon": 3.0, "share": 0.9}, {"order": 1.01, "epsilon": 50.0}]
)
def test_the_proof_is_the_float_ratio(proved_as_floats, settings):
    subject = BelowLemmaTwo(**settings)
    proved_as_floats(subject, rel=1e-6)


@dataclass(frozen=True, slots=True, kw_only=True)
class NineTenths(BelowLemmaTwo):
    """Lemma 2 at nine tenths."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.9 * BelowLemmaTwo.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        found = BelowLemmaTwo.proved_ratio(self)
        assert found is not None
        return Enclosed(value=found.value / 0.9, error=1e-12, proved=True)


def test_the_two_rows_stand_and_fall_with_a_constant(status):
    assert status("BL-SVT-LAP-TIGHT") is Status.NOT_REFUTED
    assert status("BL-SVT-LAP-TIGHT", NineTenths) is Status.REFUTED
    assert status("BL-SPLIT") is Status.NOT_REFUTED
    assert status("BL-SPLIT", threshold=Fraction(27, 20)) is Status.REFUTED
    assert status("BL-SPLIT", query=Fraction(27, 10)) is Status.REFUTED


def test_the_split_is_exact():
    assert GaussianSplit(order=1.7, rho=0.1).truth() == Enclosed(value=0.0, proved=True)
    assert GaussianSplit(query=Fraction(6)).truth().value == pytest.approx(1 / 3)


@pytest.mark.parametrize("build", [lambda: BelowLemmaTwo(order=1.0), lambda: GaussianSplit(rho=0.0)])
def test_bad_settings_are_said(build):
    with pytest.raises(InputError):
        build()
