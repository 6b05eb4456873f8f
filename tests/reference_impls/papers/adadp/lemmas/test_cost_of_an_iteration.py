"""AD-HALF: equal accounts, as many noisy sums; a mutant that falls."""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.core.verdict import Status, judge
from reference_impls.optimizers.adadp import Adadp
from reference_impls.papers.adadp.lemmas.cost_of_an_iteration import EqualCost, HalfAsMany


@dataclass(frozen=True, kw_only=True)
class ThreeAccounts(HalfAsMany):
    """A mutant: an iteration accounted as one batch."""

    @property
    def difference(self) -> float:
        other = HalfAsMany(steps=2 * self.steps, q=self.q, sigma=self.sigma, delta=self.delta)
        return abs(_epsilon(self) - _epsilon(other))


def _epsilon(one: HalfAsMany) -> float:
    account = Adadp(steps=round(one.steps), rate=one.q, noise_multiplier=one.sigma).composition(10)
    return MomentsAccountant().compose(account).epsilon(one.delta).upper


def test_half_as_many_cost_the_same_and_as_many_do_not(examined) -> None:
    assert HalfAsMany().truth().value == 0.0
    assert judge(examined("AD-HALF.privacy", ThreeAccounts)) is Status.REFUTED
    assert EqualCost(half=3, batch_size=2).truth().value == 0.0
