"""The exact auditor where pairs are searched: it comes close, refutes with proof, and shrinks what it found."""

import json
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from auditors.privacy.exact.points import Box, Examiner
from auditors.privacy.exact.search import budget, compass_polish, evolved_point
from dpverify.core.subjects import Pair
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.laws.density import GaussianLaw

AUDITOR = ExactAuditor()


@dataclass(frozen=True, kw_only=True)
class Shifted:
    """One query with Gaussian noise."""

    sigma: float = 1.0

    def output_law(self, dataset):
        return GaussianLaw(locations=dataset, scales=np.full(dataset.size, self.sigma))


def test_above_threshold_stands_and_the_search_comes_close(exact_task):
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0)))
    assert judge(found) is Status.NOT_REFUTED
    assert 0.95 < found.bound <= 1.0 + 1e-9
    assert found.detectable == pytest.approx(1.0, abs=1e-6)
    assert found.statistics["evaluations"] <= 2100


def test_a_tenth_less_noise_is_refuted_with_proof_shrunk_and_rounded(exact_task):
    audit = exact_task(PureDP(epsilon=1.0), multiplier=0.9, size=12)
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


def test_evidence_is_plain_json_and_long_vectors_are_runs(exact_task):
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), multiplier=0.8, size=200, effort=0.3))
    assert judge(found) is Status.REFUTED
    json.dumps([found.witness, found.statistics, found.picture], allow_nan=False)
    runs = found.witness["d0"]
    assert sum(count for _, count in runs["runs"]) == runs["size"] == 200
    exact, claimed = found.picture["exact"], found.picture["claimed"]
    assert exact["alpha"] == claimed["alpha"]
    assert min(np.subtract(exact["beta"], claimed["beta"])) < -1e-9


def test_the_same_seed_gives_the_same_evidence_and_effort_more_evaluations(exact_task):
    few = exact_task(PureDP(epsilon=1.0), effort=0.1)
    assert AUDITOR.audit(few) == AUDITOR.audit(few)
    assert budget(few) < budget(replace(few, effort=1.0))
    assert budget(exact_task(PureDP(epsilon=1.0), size=5000)) < budget(exact_task(PureDP(epsilon=1.0), size=10))


def test_parameters_are_searched_beside_the_data(exact_task):
    """The claim holds at epsilon 1 and below, and fails above."""
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), effort=0.4, searched={"epsilon": (0.1, 1.2)}))
    assert judge(found) is Status.REFUTED
    assert 1.0 < found.witness["parameters"]["epsilon"] <= 1.2
    held = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), effort=0.4, searched={"epsilon": (0.1, 1.0)}))
    assert judge(held) is Status.NOT_REFUTED
    assert held.bound > 0.9
    pair = FixedPair(d0=np.array([0.0]), d1=np.array([1.0]), relation="all-queries", generator=AllQueries())
    alone = AUDITOR.audit(exact_task(GDP(mu=1.0), Shifted, neighbors=pair, effort=0.2, searched={"sigma": (0.5, 2.0)}))
    assert judge(alone) is Status.REFUTED
    assert alone.bound == pytest.approx(2.0, rel=1e-3)


def test_gaussian_noise_at_its_exact_curve_is_not_refuted(exact_task):
    for guarantee in (GDP(mu=1.0), ZCDP(rho=0.5), RDP(orders=(1.5, 4.0), epsilons=(0.75, 2.0))):
        found = AUDITOR.audit(exact_task(guarantee, Shifted, size=1, effort=0.05))
        assert judge(found) is Status.NOT_REFUTED
        assert found.tightness == pytest.approx(1.0, abs=1e-6)
        less = AUDITOR.audit(exact_task(guarantee, Shifted, size=1, effort=0.05, sigma=0.999))
        assert judge(less) is Status.REFUTED


def test_a_subject_of_fixed_size_shrinks_with_its_parameter(exact_task):
    found = AUDITOR.audit(exact_task(PureDP(epsilon=1.0), multiplier=0.7, size=16, expects=16, effort=0.3))
    assert judge(found) is Status.REFUTED
    small = found.statistics["smallest"]
    assert len(small["d0"]) < 16
    assert small["parameters"] == {"expects": len(small["d0"])}
    assert found.witness["parameters"] == {}


def test_neighbouring_renyi_claims_are_told_apart(exact_task):
    """Gaussian noise: the curve claimed for sparse vectors fails for many queries; twice the curve is not reached."""
    rho, orders = 0.01, (16.0, 24.0)
    scales = {"noise": "gaussian", "threshold_scale": math.sqrt(1.5 / rho), "query_scale": math.sqrt(3 / rho)}
    width = 12 * scales["query_scale"]
    base = np.repeat([-25.0, -43.0], [143, 177])
    pair = Pair(d0=base, d1=base + np.repeat([-1.0, 1.0], [143, 177]))
    fixed = FixedPair(d0=pair.d0, d1=pair.d1, relation="all-queries", generator=AllQueries())
    for factor, status in ((1.0, Status.REFUTED), (2.0, Status.NOT_REFUTED)):
        claim = RDP(orders=orders, epsilons=tuple(factor * rho * order for order in orders))
        found = AUDITOR.audit(exact_task(claim, neighbors=fixed, size=320, low=-width, high=width, **scales))
        assert judge(found) is status


def test_polish_and_evolution_climb(exact_task):
    audit = exact_task(PureDP(epsilon=1.0))
    examiner = Examiner(task=audit)
    box = Box(audit, audit.claim.space, limit=1)
    spot = evolved_point(examiner, box, 200, rng=np.random.default_rng(0))
    assert examiner.evaluations <= 200 + 64
    assert spot.vector is not None
    better = compass_polish(examiner, box, spot.vector, 100)
    assert better.found.ratio >= spot.found.ratio
    assert examiner.worst.ratio == better.found.ratio
    middle = box.bounds.mean(axis=1)
    assert better.found.ratio > examiner.examine(box.point(middle)).ratio
