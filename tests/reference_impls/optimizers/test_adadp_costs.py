"""AD-2MOMENTS, AD-POST and AD-HALF: moments by integration, runs on held sums, equal accounts; mutants that fall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.measure import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_costs import EqualCost, HalfAsMany, PostProcessed, TwoMoments


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeking(Adadp):
    """A fault: what is published of the error is not computed from the noisy sums alone."""

    def run(self, dataset: Any, tape: Tape) -> Any:
        result = Adadp.run(self, dataset, tape)
        tape.publish("error", float(dataset.features[0, 0]))
        return result


@dataclass(frozen=True, kw_only=True)
class PeekingTwins(PostProcessed):
    @property
    def algorithm(self) -> Adadp:
        return Peeking(batch_size=4, noise_multiplier=2.0, steps=3)


def test_runs_that_are_given_the_same_sums_show_the_same_and_a_look_at_the_data_shows(examined) -> None:
    one = PostProcessed()
    first = one.algorithm.transcript(one.table("first"), rng=stream(0, "adadp-post"))
    second = one.algorithm.replay(one.table("second"), first)
    assert not np.array_equal(first.iterates, second.iterates)  # without their sums held, the runs part
    assert one.difference == 0.0
    assert judge(examined("AD-POST.paper", PeekingTwins)) is Status.REFUTED


@dataclass(frozen=True, kw_only=True)
class ThreeAccounts(HalfAsMany):
    """A mutant: an iteration accounted as one batch."""

    def truth(self) -> Enclosed:
        other = HalfAsMany(steps=2 * self.steps, q=self.q, sigma=self.sigma, delta=self.delta)
        return Enclosed(value=abs(_epsilon(self) - _epsilon(other)))


def _epsilon(one: HalfAsMany) -> float:
    account = Adadp(steps=round(one.steps), rate=one.q, noise_multiplier=one.sigma).composition(10)
    return MomentsAccountant().compose(account).epsilon(one.delta).upper


def test_half_as_many_cost_the_same_and_as_many_do_not(examined) -> None:
    assert HalfAsMany().truth().value == 0.0
    assert judge(examined("AD-HALF.privacy", ThreeAccounts)) is Status.REFUTED
    assert EqualCost(half=3, batch_size=2).truth().value == 0.0
