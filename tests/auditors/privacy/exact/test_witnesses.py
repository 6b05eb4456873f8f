"""Which witnesses are a claim's own: a proof at a size that it is not for refutes nothing."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor, _inside
from auditors.privacy.exact.points import Found, Point
from dpverify.core.claim import SearchSpace
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.replace import Replace
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.density import LaplaceLaw

AUDITOR = ExactAuditor()


class _Above:
    """A pair without a proof, its float a hair above the truth."""

    def __init__(self, pair):
        self.pair = pair

    def swap(self):
        return _Above(self.pair.swap())

    def epsilon(self, delta):
        return Enclosed(value=(1 + 1e-9) * self.pair.epsilon(delta).value)

    def tradeoff(self, alpha):
        return self.pair.tradeoff(alpha)

    def prove(self, measure):
        return None


@dataclass(frozen=True, kw_only=True)
class Average:
    """The mean of n answers with Laplace noise of 1/4: 1-DP at n = 4, and proved only where n is in `provable`."""

    provable: tuple[int, ...]

    def output_law(self, dataset):
        law = LaplaceLaw(locations=np.array([np.clip(dataset, 0.0, 1.0).mean()]), scales=np.array([0.25]))
        return law if dataset.size in self.provable else _Unproved(law)


class _Unproved:
    def __init__(self, law):
        self.law = law

    def against(self, other):
        return _Above(self.law.against(other.law))


@pytest.mark.parametrize(
    ("sizes", "provable", "status"),
    [
        ((), (1, 2, 3), Status.INCONCLUSIVE),
        ((), (1, 2, 3, 4), Status.NOT_REFUTED),
        ((4, 6), (1, 2, 3), Status.INCONCLUSIVE),
        # A claim for 2 as well is false, and a proof at 3 is still none.
        ((2, 4), (1, 3), Status.INCONCLUSIVE),
        ((2, 4), (1, 2, 3), Status.REFUTED),
    ],
)
def test_a_proof_at_a_size_that_the_claim_is_not_for_refutes_nothing(exact_task, sizes, provable, status):
    audit = exact_task(PureDP(epsilon=1.0), partial(Average, provable=provable), neighbors=Replace(), effort=0.1)
    space = SearchSpace(size=4, low=0.0, high=1.0, sizes=sizes)
    found = AUDITOR.audit(replace(audit, claim=replace(audit.claim, space=space)))
    assert judge(found) is status
    if status is Status.REFUTED:
        assert len(found.witness["d0"]) in sizes


@pytest.mark.parametrize(
    ("sizes", "size", "parameters", "inside"),
    [
        ((), 10, {}, True),
        ((), 10, {"rho": 2.0}, True),
        ((), 9, {}, False),
        ((), 10, {"expects": 10}, False),
        ((5, 20), 10, {}, True),
        ((5, 20), 20, {"expects": 20}, True),
        ((5, 20), 12, {}, False),
        ((5, 20), 12, {"expects": 12}, False),
    ],
)
def test_which_witnesses_are_the_claims_own(sizes, size, parameters, inside):
    space = SearchSpace(size=10, sizes=sizes, parameters={"rho": (0.1, 10.0)})
    point = Point(pair=Pair(d0=np.zeros(size), d1=np.ones(size), label=""), parameters=parameters)
    measure = Measure(kind="epsilon", argument=0.0, claimed=1.0)
    found = Found(point=point, measure=measure, reverse=False, value=Enclosed(value=2.0))
    assert _inside(space, size, found) is inside
