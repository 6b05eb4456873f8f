"""The exact auditor: what it refuses, and what it certifies on all pairs of a finite relation."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import ProductLaw
from dpverify.laws.stopping import StoppingLaw

AUDITOR = ExactAuditor()


@dataclass(frozen=True, kw_only=True)
class Randomised:
    """k-ary randomised response; `honest` is the exact log-weight of the truth."""

    size: int = 3
    honest: float = 1.0
    provable: bool = True

    def output_law(self, dataset):
        law = DiscreteLaw.from_log_weights([Fraction(self.honest) if i == dataset else 0.0 for i in range(self.size)])
        return law if self.provable else DiscreteLaw(log_probabilities=law.log_probabilities, error=law.error)


@dataclass(frozen=True, kw_only=True)
class Leaky:
    """Says 0 half of the time on even values, and never on odd ones."""

    def output_law(self, dataset):
        share = Fraction(1, 2) if dataset % 2 == 0 else Fraction(0)
        return DiscreteLaw.from_fractions([share, 1 - share])


# Refusals


def test_what_it_cannot_examine_it_refuses(exact_task):
    assert AUDITOR.refuses(exact_task(PureDP(epsilon=1.0))) is None
    assert "guarantee" in (AUDITOR.refuses(exact_task(SensitivityBound(bound=1.0, norm="l2"))) or "")
    assert "law" in (AUDITOR.refuses(exact_task(PureDP(epsilon=1.0), type("Opaque", (), {}))) or "")
    with pytest.raises(AuditError):
        AUDITOR.audit(exact_task(PureDP(epsilon=1.0), low=3.0, high=3.0))


def test_an_error_of_the_subjects_law_is_the_reason_and_stops_nothing(exact_task):
    """The subject takes four queries, the claim's space has ten."""
    assert "10 queries" in (AUDITOR.refuses(exact_task(PureDP(epsilon=1.0), expects=4)) or "")


# Enumeration


def test_randomised_response_at_exactly_its_epsilon_is_certified(exact_task):
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.CERTIFIED
    assert (found.bound, found.error, found.coverage) == (1.0, 0.0, "enumeration")
    assert found.statistics["pairs"] == 6


def test_a_hair_more_is_not_certified_and_more_than_rounding_is_refuted(exact_task):
    a_hair = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1 + 1e-14))
    assert judge(a_hair) is Status.NOT_REFUTED
    more = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1 + 1e-8))
    assert judge(more) is Status.REFUTED
    assert more.witness["direction"] in ("d0 against d1", "d1 against d0")
    assert more.excess == pytest.approx(1e-8, rel=0.1)


def test_a_truth_that_rounds_to_its_claim_is_not_certified(exact_task):
    above = {"honest": 1 + Fraction(1, 2**60)}
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, **above))
    assert judge(found) is Status.NOT_REFUTED
    assert found.bound + found.error > 1.0


@pytest.mark.parametrize("claimed", [(1.0, 1.9), (1.9, 1.0)])
@pytest.mark.parametrize("high", [2.0, 8.0, None])
@pytest.mark.parametrize("error", [0.0, 1e-17])
def test_one_proof_a_hair_above_its_claim_denies_the_certificate(exact_task, claimed, high, error):
    """All floats are at their claims; the proof of order `high` ends an ulp above, or so little that the sum of value
    and error rounds to the claim."""
    bounds = dict(zip((2.0, 8.0), claimed, strict=True))

    class Proved:
        def swap(self):
            return self

        def renyi(self, order):
            return Enclosed(value=bounds[order])

        def enclosure(self, measure):
            value = measure.claimed
            if measure.argument != high:
                return Enclosed(value=value, proved=True)
            return Enclosed(value=value if error else math.nextafter(value, 9.0), error=error, proved=True)

        def tradeoff(self, alpha):
            return 1.0 - alpha

    class Law:
        def against(self, other):
            return Proved()

    factory = type("Fake", (), {"output_law": lambda self, dataset: Law()})
    found = AUDITOR.audit(exact_task(RDP(orders=(2.0, 8.0), epsilons=claimed), factory, neighbors=Value(), size=2))
    assert judge(found) is (Status.CERTIFIED if high is None else Status.NOT_REFUTED)
    if high is not None:
        assert found.measure.argument == high


def test_floats_alone_certify_nothing(exact_task):
    for honest in (1.0, 0.9):
        loose = exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=honest, provable=False)
        assert judge(AUDITOR.audit(loose)) is Status.NOT_REFUTED
    above = exact_task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1.1, provable=False)
    assert judge(AUDITOR.audit(above)) is Status.INCONCLUSIVE


def test_every_measure_must_be_within(exact_task):
    within = RDP(orders=(2.0, 8.0), epsilons=(1.0, 1.0))
    assert judge(AUDITOR.audit(exact_task(within, Randomised, neighbors=Value(), size=3))) is Status.CERTIFIED
    beyond = RDP(orders=(2.0, 8.0), epsilons=(1.0, 0.1))
    found = AUDITOR.audit(exact_task(beyond, Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.REFUTED
    assert found.measure.argument == 8.0
    approximate = AUDITOR.audit(exact_task(ApproxDP(epsilon=0.5, delta=0.4), Randomised, neighbors=Value(), size=3))
    assert judge(approximate) is Status.CERTIFIED


def test_a_measure_that_laws_do_not_know_is_not_certified(exact_task):
    class Half:
        """A pair that knows order 2 only."""

        def __init__(self, pair):
            self.pair = pair

        def __getattr__(self, name):
            return getattr(self.pair, name)

        def swap(self):
            return Half(self.pair.swap())

        def renyi(self, order):
            if order != 2.0:
                raise UnsupportedError("order")
            return self.pair.renyi(order)

    class Law(DiscreteLaw):
        def against(self, other):
            return Half(super().against(other))

    @dataclass(frozen=True, kw_only=True)
    class Some(Randomised):
        def output_law(self, dataset):
            return Law.from_log_weights([1.0 if i == dataset else 0.0 for i in range(self.size)])

    audit = exact_task(RDP(orders=(2.0, 8.0), epsilons=(1.0, 0.1)), Some, neighbors=Value(), size=3)
    found = AUDITOR.audit(audit)
    assert judge(found) is Status.NOT_REFUTED
    assert list(found.statistics["not_measured"]) == ["renyi(order=8)"]


def test_points_of_a_curve_do_not_certify_the_curve(exact_task):
    found = AUDITOR.audit(exact_task(ZCDP(rho=0.5), Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.NOT_REFUTED
    assert found.coverage == "search"


def test_one_pair_is_no_enumeration(exact_task):
    pair = FixedPair(d0=0, d1=1, relation="value", generator=Value())
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Randomised, neighbors=pair, size=3))
    assert judge(found) is Status.NOT_REFUTED


def test_a_support_that_moves_is_an_infinite_ratio_with_proof(exact_task):
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), Leaky, neighbors=Value(), size=2))
    assert judge(found) is Status.REFUTED
    assert found.bound == math.inf


def test_lower_bounds_do_not_certify(exact_task):
    """Laws whose `prove` bounds from below only are asked for an enclosure."""

    def stops(levels):
        """AboveThreshold on so many equal levels."""

        def law(_, value):
            return StoppingLaw(
                noise="laplace", threshold_scale=2.0, query_scale=4.0, levels=np.full(levels, float(value))
            )

        return type("Stops", (), {"output_law": law})

    few = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), stops(3), neighbors=Value(), size=2))
    assert judge(few) is Status.CERTIFIED
    many = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), stops(60), neighbors=Value(), size=2))
    assert judge(many) is Status.NOT_REFUTED


COIN = DiscreteLaw.from_fractions([Fraction(1, 2)] * 2)
TOSS = CoarseLaw(cells=COIN)


@pytest.mark.parametrize(
    "law",
    [
        TOSS,
        ProductLaw(laws=(TOSS,)),
        ProductLaw(laws=(TOSS, COIN)),
        ProductLaw(laws=(GaussianLaw(locations=np.zeros(1), scales=np.ones(1)), TOSS)),
        ProductLaw(laws=(ProductLaw(laws=(COIN, TOSS)), COIN)),
    ],
)
@pytest.mark.parametrize("guarantee", [PureDP(epsilon=1.0), ApproxDP(epsilon=1.0, delta=0.1)])
def test_composites_of_coarse_laws_are_not_certified(exact_task, law, guarantee):
    """The subject may release a coin and the value itself: all that is known, the coin, meets every claim."""
    leak = type("Leak", (), {"output_law": lambda self, dataset: law})
    assert judge(AUDITOR.audit(exact_task(guarantee, leak, neighbors=Value(), size=2))) is Status.NOT_REFUTED


def test_a_pair_whose_proofs_are_lower_bounds_is_not_certified(exact_task):
    class Lower:
        def swap(self):
            return self

        def epsilon(self, delta):
            return Enclosed(value=0.0)

        def prove(self, measure):
            return Enclosed(value=0.0, proved=True)

        def tradeoff(self, alpha):
            return 1.0 - alpha

    law = type("Law", (), {"against": lambda self, other: Lower()})
    factory = type("Fake", (), {"output_law": lambda self, dataset: law()})
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), factory, neighbors=Value(), size=2))
    assert judge(found) is Status.NOT_REFUTED


def test_products_of_finite_laws_are_certified(exact_task):
    """Two answers of epsilon 1/2 each."""

    def answer(value):
        return DiscreteLaw.from_log_weights([Fraction(1, 2) if i == value else 0 for i in range(2)])

    both = type("Both", (), {"output_law": lambda self, dataset: ProductLaw(laws=(answer(dataset), answer(dataset)))})
    assert judge(AUDITOR.audit(exact_task(PureDP(epsilon=1.0), both, neighbors=Value(), size=2))) is Status.CERTIFIED
