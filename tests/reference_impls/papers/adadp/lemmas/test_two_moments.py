"""AD-2MOMENTS: the joint moment by integration; a mutant that falls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from reference_impls.papers.adadp.lemmas.two_moments import TwoMoments


@pytest.mark.parametrize(("low", "cut"), [(1.0, 0.0), (0.3, 0.7), (0.0, -2.0)])
def test_the_joint_moment_is_the_double_integral(low: float, cut: float) -> None:
    sigma, q, order = 1.2, 0.3, 4
    x = np.linspace(-14.0, 22.0, 6001)

    def moment(points: np.ndarray, length: float) -> np.ndarray:
        base, moved = stats.norm.pdf(points, 0, sigma), stats.norm.pdf(points, length, sigma)
        return base * ((1 - q) + q * moved / base) ** order

    def part(first: float, last: float, length: float) -> float:
        return integrate.quad(lambda at: moment(np.array(at), length), first, last, limit=200, epsabs=1e-12)[0]

    whole = part(cut, x[-1], 1.0) * part(x[0], x[-1], 1.0) + part(x[0], cut, 1.0) * part(x[0], x[-1], low)
    one = TwoMoments(sigma=sigma, q=q, order=order, low=low, cut=cut)
    assert one.truth().value == pytest.approx(math.log(whole) / (order - 1), rel=1e-8)
    assert one.printed().value == pytest.approx(
        2 * float(PoissonGaussianStep(q=q, sigma=sigma).renyi(np.array([4.0]))[0]), rel=1e-12
    )
    assert one.proved_ratio().value == pytest.approx(one.truth().value / one.printed().value, rel=1e-8)


@dataclass(frozen=True, kw_only=True)
class OneMoment(TwoMoments):
    """A mutant: 1.9 moments for 2."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.95 * TwoMoments.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        proof = TwoMoments.proved_ratio(self)
        return Enclosed(value=proof.value / 0.95, error=2 * proof.error + 1e-12, proved=True)


def test_less_than_two_moments_are_not_enough(examined) -> None:
    assert judge(examined("AD-2MOMENTS", OneMoment)) is Status.REFUTED
