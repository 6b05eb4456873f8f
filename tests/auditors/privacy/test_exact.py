import json
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pytest

from auditors.privacy.exact import ExactAuditor
from auditors.privacy.exact_points import Box, Examiner, Point, measured
from auditors.privacy.exact_search import budget, evolved, polished
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError, UnsupportedError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.protocols import Pair, Task
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed import FixedPair
from dpverify.datasets.neighbors.queries import AllQueries
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.definitions.sensitivity import SensitivityBound
from dpverify.definitions.zcdp import ZCDP
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import ProductLaw
from dpverify.laws.stopping import StoppingLaw
from dpverify.sampling.streams import stream

AUDITOR = ExactAuditor()


@dataclass(frozen=True, kw_only=True)
class Svt:
    """AboveThreshold on query vectors of any length, or of `expects` entries only."""

    noise: str = "laplace"
    epsilon: float = 1.0
    threshold_scale: float = 2.0
    query_scale: float = 4.0
    multiplier: float = 1.0
    expects: int | None = None

    def output_law(self, dataset):
        if self.expects not in (None, dataset.size):
            raise InputError(f"{dataset.size} queries", allowed=f"{self.expects}")
        return StoppingLaw(
            noise=self.noise,
            threshold_scale=self.multiplier * self.threshold_scale / self.epsilon,
            query_scale=self.multiplier * self.query_scale / self.epsilon,
            levels=dataset,
        )


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


@dataclass(frozen=True, kw_only=True)
class Shifted:
    """One query with Gaussian noise."""

    sigma: float = 1.0

    def output_law(self, dataset):
        return GaussianLaw(locations=dataset, scales=np.full(dataset.size, self.sigma))


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What `build` makes, with the claim's parameters in place."""

    factory: type = Svt
    parameters: dict = field(default_factory=dict)

    def __call__(self, **searched):
        return self.factory(**{**self.parameters, **searched})


def task(
    guarantee,
    factory=Svt,
    *,
    neighbors=None,
    effort=1.0,
    seed=0,
    searched=None,
    size=10,
    low=-60.0,
    high=60.0,
    **parameters,
):
    neighbors = neighbors or AllQueries()
    claim = Claim(
        id="a-claim",
        guarantee=guarantee,
        relation=neighbors.relation,
        subject="a-subject",
        source=Source(paper="none", locus=""),
        parameters=parameters,
        space=SearchSpace(size=size, low=low, high=high, parameters=searched or {}),
    )
    return Task(
        claim=claim,
        build=Subject(factory=factory, parameters=parameters),
        neighbors=neighbors,
        alpha=0.01,
        trials=1,
        stream=lambda *names: stream(seed, "exact", *names),
        effort=effort,
        seed=seed,
    )


# Enumeration


def test_randomised_response_at_exactly_its_epsilon_is_certified():
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.CERTIFIED
    assert (found.bound, found.error, found.coverage) == (1.0, 0.0, "enumeration")
    assert found.statistics["pairs"] == 6


def test_a_hair_more_is_not_certified_and_more_than_rounding_is_refuted():
    a_hair = AUDITOR.audit(task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1 + 1e-14))
    assert judge(a_hair) is Status.NOT_REFUTED
    more = AUDITOR.audit(task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1 + 1e-8))
    assert judge(more) is Status.REFUTED
    assert more.witness["direction"] in ("d0 against d1", "d1 against d0")
    assert more.excess == pytest.approx(1e-8, rel=0.1)


def test_a_truth_that_rounds_to_its_claim_is_not_certified():
    above = {"honest": 1 + Fraction(1, 2**60)}
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, **above))
    assert judge(found) is Status.NOT_REFUTED
    assert found.bound + found.error > 1.0


@pytest.mark.parametrize("claimed", [(1.0, 1.9), (1.9, 1.0)])
@pytest.mark.parametrize("high", [2.0, 8.0, None])
@pytest.mark.parametrize("error", [0.0, 1e-17])
def test_one_proof_a_hair_above_its_claim_denies_the_certificate(claimed, high, error):
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
    found = AUDITOR.audit(task(RDP(orders=(2.0, 8.0), epsilons=claimed), factory, neighbors=Value(), size=2))
    assert judge(found) is (Status.CERTIFIED if high is None else Status.NOT_REFUTED)
    if high is not None:
        assert found.measure.argument == high


def test_floats_alone_certify_nothing():
    for honest in (1.0, 0.9):
        loose = task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=honest, provable=False)
        assert judge(AUDITOR.audit(loose)) is Status.NOT_REFUTED
    above = task(PureDP(epsilon=1.0), Randomised, neighbors=Value(), size=3, honest=1.1, provable=False)
    assert judge(AUDITOR.audit(above)) is Status.INCONCLUSIVE


def test_every_measure_must_be_within():
    within = RDP(orders=(2.0, 8.0), epsilons=(1.0, 1.0))
    assert judge(AUDITOR.audit(task(within, Randomised, neighbors=Value(), size=3))) is Status.CERTIFIED
    beyond = RDP(orders=(2.0, 8.0), epsilons=(1.0, 0.1))
    found = AUDITOR.audit(task(beyond, Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.REFUTED
    assert found.measure.argument == 8.0
    assert judge(AUDITOR.audit(task(ApproxDP(epsilon=0.5, delta=0.4), Randomised, neighbors=Value(), size=3))) is (
        Status.CERTIFIED
    )


def test_a_measure_that_laws_do_not_know_is_not_certified():
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

    audit = task(RDP(orders=(2.0, 8.0), epsilons=(1.0, 0.1)), Some, neighbors=Value(), size=3)
    found = AUDITOR.audit(audit)
    assert judge(found) is Status.NOT_REFUTED
    assert list(found.statistics["not_measured"]) == ["renyi(order=8)"]


def test_points_of_a_curve_do_not_certify_the_curve():
    found = AUDITOR.audit(task(ZCDP(rho=0.5), Randomised, neighbors=Value(), size=3))
    assert judge(found) is Status.NOT_REFUTED
    assert found.coverage == "search"


def test_one_pair_is_no_enumeration():
    pair = FixedPair(d0=0, d1=1, relation="value", generator=Value())
    assert judge(AUDITOR.audit(task(PureDP(epsilon=1.0), Randomised, neighbors=pair, size=3))) is Status.NOT_REFUTED


def test_a_support_that_moves_is_an_infinite_ratio_with_proof():
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), Leaky, neighbors=Value(), size=2))
    assert judge(found) is Status.REFUTED
    assert found.bound == math.inf


def test_lower_bounds_do_not_certify():
    """Laws whose `prove` bounds from below only are asked for an enclosure."""

    @dataclass(frozen=True)
    class Few(Svt):
        def output_law(self, dataset):
            return super().output_law(np.array([float(dataset)] * 3))

    found = AUDITOR.audit(task(PureDP(epsilon=1.0), Few, neighbors=Value(), size=2))
    assert judge(found) is Status.CERTIFIED
    many = type("Many", (Few,), {"output_law": lambda self, d: Svt.output_law(self, np.full(60, float(d)))})
    assert judge(AUDITOR.audit(task(PureDP(epsilon=1.0), many, neighbors=Value(), size=2))) is Status.NOT_REFUTED


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
def test_composites_of_coarse_laws_are_not_certified(law, guarantee):
    """The subject may release a coin and the value itself: all that is known, the coin, meets every claim."""
    leak = type("Leak", (), {"output_law": lambda self, dataset: law})
    assert judge(AUDITOR.audit(task(guarantee, leak, neighbors=Value(), size=2))) is Status.NOT_REFUTED


def test_a_pair_whose_proofs_are_lower_bounds_is_not_certified():
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
    assert judge(AUDITOR.audit(task(PureDP(epsilon=1.0), factory, neighbors=Value(), size=2))) is Status.NOT_REFUTED


def test_products_of_finite_laws_are_certified():
    """Two answers of epsilon 1/2 each."""

    def answer(value):
        return DiscreteLaw.from_log_weights([Fraction(1, 2) if i == value else 0 for i in range(2)])

    both = type("Both", (), {"output_law": lambda self, dataset: ProductLaw(laws=(answer(dataset), answer(dataset)))})
    assert judge(AUDITOR.audit(task(PureDP(epsilon=1.0), both, neighbors=Value(), size=2))) is Status.CERTIFIED


# Search


def test_above_threshold_stands_and_the_search_comes_close():
    found = AUDITOR.audit(task(PureDP(epsilon=1.0)))
    assert judge(found) is Status.NOT_REFUTED
    assert 0.95 < found.bound <= 1.0 + 1e-9
    assert found.detectable == pytest.approx(1.0, abs=1e-6)
    assert found.statistics["evaluations"] <= 2100


def test_a_tenth_less_noise_is_refuted_with_proof_shrunk_and_rounded():
    audit = task(PureDP(epsilon=1.0), multiplier=0.9, size=12)
    found = AUDITOR.audit(audit)
    assert judge(found) is Status.REFUTED
    assert found.proved
    assert found.bound == pytest.approx(1 / 0.9, rel=0.02)
    small = found.statistics["smallest"]
    assert len(small["d0"]) < 12
    assert small["proved"]
    assert all(value == round(value, 3) for value in small["d0"])
    assert audit.neighbors.check(small["d0"], small["d1"]) is None
    # The witness is enough to compute the bound again.
    laws = [audit.build().output_law(np.array(small[side])) for side in ("d0", "d1")]
    first, second = laws if small["direction"] == "d0 against d1" else laws[::-1]
    assert first.against(second).epsilon(0.0).value == pytest.approx(small["value"], rel=1e-12)
    assert small["value"] > 1.0


def test_evidence_is_plain_json_and_long_vectors_are_runs():
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), multiplier=0.8, size=200, effort=0.3))
    assert judge(found) is Status.REFUTED
    json.dumps([found.witness, found.statistics, found.picture], allow_nan=False)
    runs = found.witness["d0"]
    assert sum(count for _, count in runs["runs"]) == runs["size"] == 200
    exact, claimed = found.picture["exact"], found.picture["claimed"]
    assert exact["alpha"] == claimed["alpha"]
    assert min(np.subtract(exact["beta"], claimed["beta"])) < -1e-9


def test_the_same_seed_gives_the_same_evidence_and_effort_more_evaluations():
    few = task(PureDP(epsilon=1.0), effort=0.1)
    assert AUDITOR.audit(few) == AUDITOR.audit(few)
    assert budget(few) < budget(replace(few, effort=1.0))
    assert budget(task(PureDP(epsilon=1.0), size=5000)) < budget(task(PureDP(epsilon=1.0), size=10))


def test_parameters_are_searched_beside_the_data():
    """The claim holds at epsilon 1 and below, and fails above."""
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), effort=0.4, searched={"epsilon": (0.1, 1.2)}))
    assert judge(found) is Status.REFUTED
    assert 1.0 < found.witness["parameters"]["epsilon"] <= 1.2
    held = AUDITOR.audit(task(PureDP(epsilon=1.0), effort=0.4, searched={"epsilon": (0.1, 1.0)}))
    assert judge(held) is Status.NOT_REFUTED
    assert held.bound > 0.9
    pair = FixedPair(d0=np.array([0.0]), d1=np.array([1.0]), relation="all-queries", generator=AllQueries())
    alone = AUDITOR.audit(task(GDP(mu=1.0), Shifted, neighbors=pair, effort=0.2, searched={"sigma": (0.5, 2.0)}))
    assert judge(alone) is Status.REFUTED
    assert alone.bound == pytest.approx(2.0, rel=1e-3)


def test_gaussian_noise_at_its_exact_curve_is_not_refuted():
    for guarantee in (GDP(mu=1.0), ZCDP(rho=0.5), RDP(orders=(1.5, 4.0), epsilons=(0.75, 2.0))):
        found = AUDITOR.audit(task(guarantee, Shifted, size=1, effort=0.05))
        assert judge(found) is Status.NOT_REFUTED
        assert found.tightness == pytest.approx(1.0, abs=1e-6)
        less = AUDITOR.audit(task(guarantee, Shifted, size=1, effort=0.05, sigma=0.999))
        assert judge(less) is Status.REFUTED


def test_a_subject_of_fixed_size_shrinks_with_its_parameter():
    found = AUDITOR.audit(task(PureDP(epsilon=1.0), multiplier=0.7, size=16, expects=16, effort=0.3))
    assert judge(found) is Status.REFUTED
    small = found.statistics["smallest"]
    assert len(small["d0"]) < 16
    assert small["parameters"] == {"expects": len(small["d0"])}
    assert found.witness["parameters"] == {}


def test_neighbouring_renyi_claims_are_told_apart():
    """Gaussian noise: the curve claimed for sparse vectors fails for many queries; twice the curve is not reached."""
    rho, orders = 0.01, (16.0, 24.0)
    scales = {"noise": "gaussian", "threshold_scale": math.sqrt(1.5 / rho), "query_scale": math.sqrt(3 / rho)}
    width = 12 * scales["query_scale"]
    base = np.repeat([-25.0, -43.0], [143, 177])
    pair = Pair(d0=base, d1=base + np.repeat([-1.0, 1.0], [143, 177]))
    fixed = FixedPair(d0=pair.d0, d1=pair.d1, relation="all-queries", generator=AllQueries())
    for factor, status in ((1.0, Status.REFUTED), (2.0, Status.NOT_REFUTED)):
        claim = RDP(orders=orders, epsilons=tuple(factor * rho * order for order in orders))
        found = AUDITOR.audit(task(claim, neighbors=fixed, size=320, low=-width, high=width, **scales))
        assert judge(found) is status


# Parts


def test_polish_and_evolution_climb():
    audit = task(PureDP(epsilon=1.0))
    examiner = Examiner(task=audit)
    box = Box(audit, audit.claim.space, limit=1)
    spot = evolved(examiner, box, 200, rng=np.random.default_rng(0))
    assert examiner.evaluations <= 200 + 64
    assert spot.vector is not None
    better = polished(examiner, box, spot.vector, 100)
    assert better.found.ratio >= spot.found.ratio
    assert examiner.worst.ratio == better.found.ratio
    middle = box.bounds.mean(axis=1)
    assert better.found.ratio > examiner.examine(box.point(middle)).ratio


def test_parameter_boxes_of_many_scales_are_logarithmic():
    audit = task(PureDP(epsilon=1.0), searched={"epsilon": (0.01, 100.0), "multiplier": (0.5, 1.5)})
    box = Box(audit, audit.claim.space, limit=1)
    middle = box.settings()[0]
    assert middle == pytest.approx({"epsilon": 1.0, "multiplier": 1.0})
    ends = box.point(np.full(len(box.bounds), 1e9)).parameters
    assert ends == {"epsilon": 100.0, "multiplier": 1.5}


def test_unknown_measures_are_refused_not_guessed():
    laws = Svt().output_law(np.zeros(2)).against(Svt().output_law(np.ones(2)))
    with pytest.raises(UnsupportedError):
        measured(laws, Measure(kind="sensitivity", claimed=1.0))
    examiner = Examiner(task=task(PureDP(epsilon=1.0)))
    with pytest.raises(UnsupportedError):
        examiner.all(Point(pair=Pair(d0=np.zeros(2), d1=np.zeros(3))))


def test_what_it_cannot_examine_it_refuses():
    assert AUDITOR.refuses(task(PureDP(epsilon=1.0))) is None
    assert "guarantee" in (AUDITOR.refuses(task(SensitivityBound(bound=1.0, norm="l2"))) or "")
    assert "law" in (AUDITOR.refuses(task(PureDP(epsilon=1.0), type("Opaque", (), {}))) or "")
    with pytest.raises(AuditError):
        AUDITOR.audit(task(PureDP(epsilon=1.0), low=3.0, high=3.0))


def test_an_error_of_the_subjects_law_is_the_reason_and_stops_nothing():
    """The subject takes four queries, the claim's space has ten."""
    assert "10 queries" in (AUDITOR.refuses(task(PureDP(epsilon=1.0), expects=4)) or "")
