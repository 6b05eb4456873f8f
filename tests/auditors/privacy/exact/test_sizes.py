"""Claims for several sizes, and for claimed numbers that follow a parameter: a subject whose worst is known."""

import json
import math
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from auditors.privacy.exact.points import Box, Examiner
from auditors.privacy.exact.sizes import search_sizes
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.plugins import registry
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.all_queries import AllQueries
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.laws.density import GaussianLaw
from dpverify.laws.stopping import StoppingLaw
from dpverify.runner.plan import unit_for
from dpverify.sampling.streams import stream

AUDITOR = ExactAuditor()
ORDERS = (2.0, 8.0)
FROM = 37


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The mean of `expects` answers with Gaussian noise: (order, order * rho)-RDP, and `extra` times as much for data
    of `since` entries or more, most so at rho = 2."""

    rho: float = 1.0
    expects: int = 10
    since: int = FROM
    extra: float = 1.2

    def output_law(self, dataset):
        if dataset.size != self.expects:
            raise InputError(f"{dataset.size} answers", allowed=f"{self.expects}")
        bump = math.exp(-(math.log(self.rho / 2.0) ** 2)) if self.extra > 1.0 else 1.0
        leak = 1.0 + (self.extra - 1.0) * bump if dataset.size >= self.since else 0.9
        return GaussianLaw(locations=np.array([dataset.mean()]), scales=np.array([(2.0 * self.rho * leak) ** -0.5]))


def task(*, effort=0.8, sizes=(10, 30, 100), searched=(0.1, 10.0), proportional="rho", claimed=1.0, **parameters):
    own = {"rho": 1.0, "expects": 10, **parameters}
    boxes = {"rho": searched} if searched else {}
    claim = Claim(
        id="a-claim",
        guarantee=RDP(orders=ORDERS, epsilons=tuple(claimed * own["rho"] * order for order in ORDERS)),
        relation="all-queries",
        subject="a-subject",
        source=Source(paper="none", locus=""),
        parameters=own,
        space=SearchSpace(size=10, low=-2.0, high=2.0, parameters=boxes, sizes=sizes, proportional=proportional),
    )
    return Task(
        claim=claim,
        build=partial(_build, own),
        neighbors=AllQueries(),
        alpha=0.01,
        trials=1,
        stream=lambda *names: stream(0, "exact", *names),
        effort=effort,
    )


def _build(own, **searched):
    return Mean(**{**own, **searched})


whole = cache(lambda: AUDITOR.audit(task()))


def test_the_smallest_size_and_the_worst_parameter_are_found():
    found = whole()
    assert judge(found) is Status.REFUTED
    said = found.statistics
    assert said["smallest_size"] == said["smallest"]["parameters"]["expects"] == FROM
    written = said["smallest"]["d0"]
    assert (written["size"] if isinstance(written, dict) else len(written)) == FROM
    assert said["smallest"]["proved"]
    assert said["largest_ratio_below"] == pytest.approx(0.9, rel=1e-9)
    assert [each["size"] for each in said["by_size"]] == [10, 30, 100]
    assert [each["exceeded"] for each in said["by_size"]] == [False, False, True]
    assert [each["ratio"] for each in said["by_size"]] == pytest.approx([0.9, 0.9, 1.2], rel=1e-3)
    assert said["own"]["ratio"] == pytest.approx(0.9, rel=1e-9)
    assert said["own"]["parameters"] == {}
    assert said["worst"]["ratio"] == pytest.approx(1.2, rel=1e-3)
    assert (said["worst"]["size"], said["worst"]["proved"]) == (100, True)
    sizes = {part["from"]: part for part in said["map"]["size"]}
    assert [size for size, part in sizes.items() if part["failed"]] == [size for size in sizes if size >= FROM]
    assert sizes[100]["worst"] == pytest.approx(1.2, rel=1e-3)
    # Parameters are mapped at the sizes of the claim, not at those that shrinking goes through.
    ours = sum(sizes[size]["points"] for size in (10, 30, 100))
    assert said["looked"] == ours == sum(part["points"] for part in said["map"]["rho"])
    assert 0 < said["failed"] == sum(part["failed"] for part in said["map"]["rho"]) < ours
    json.dumps([said, found.witness, found.picture], allow_nan=False)


def test_a_witness_may_be_proved_by_another_measure_than_the_worst():
    """No law proves order 2 here, where the excess is larger: the proof comes from order 8."""

    class Unproved(GaussianLaw):
        def against(self, other):
            pair = super().against(other)
            return _Some(pair)

    class _Some:
        def __init__(self, pair):
            self.pair = pair

        def __getattr__(self, name):
            return getattr(self.pair, name)

        def swap(self):
            return _Some(self.pair.swap())

        def renyi(self, order):
            value = self.pair.renyi(order)
            return replace(value, value=1.01 * value.value) if order == 2.0 else value

        def prove(self, measure):
            return None if measure.argument == 2.0 else self.pair.prove(measure)

    @dataclass(frozen=True, kw_only=True)
    class Hidden(Mean):
        def output_law(self, dataset):
            law = Mean.output_law(self, dataset)
            return Unproved(locations=law.locations, scales=law.scales)

    audit = task(effort=0.5)
    hidden = replace(audit, build=lambda **searched: Hidden(**{"rho": 1.0, "expects": 10, **searched}))
    found = AUDITOR.audit(hidden)
    assert judge(found) is Status.REFUTED
    assert found.statistics["smallest_size"] == FROM
    assert found.statistics["smallest"]["size"] == FROM
    assert found.statistics["smallest"]["proved"]
    assert found.statistics["smallest"]["measure"] == "renyi(order=8)"


def test_evidence_has_the_number_claimed_at_the_witness():
    found = whole()
    rho = found.witness["parameters"]["rho"]
    assert rho == pytest.approx(2.0, rel=0.05)
    assert found.witness["parameters"]["expects"] == 100
    assert found.measure.claimed == pytest.approx(rho * found.measure.argument, rel=1e-12)
    assert found.bound == pytest.approx(1.2 * found.measure.claimed, rel=1e-3)
    here = RDP(orders=ORDERS, epsilons=tuple(rho * order for order in ORDERS))
    picture = found.picture["claimed"]
    assert picture["beta"] == pytest.approx(here.tradeoff(np.array(picture["alpha"])).tolist(), abs=1e-12)


def test_a_claim_that_stands_at_every_size_and_value_is_not_refuted():
    """With the claim a fifth larger nothing exceeds it; without the factor every rho above 1 would seem to."""
    found = AUDITOR.audit(task(claimed=1.2000001))
    assert judge(found) is Status.NOT_REFUTED
    assert found.tightness == pytest.approx(1.0, rel=1e-3)
    assert not any(each["exceeded"] for each in found.statistics["by_size"])
    assert "smallest_size" not in found.statistics


def test_a_claim_whose_numbers_do_not_follow_is_refuted_by_the_parameter_alone():
    found = AUDITOR.audit(task(proportional="", claimed=1.3))
    assert judge(found) is Status.REFUTED
    assert found.statistics["by_size"][0]["exceeded"]
    assert found.measure.claimed == pytest.approx(1.3 * found.measure.argument)


def test_sizes_without_parameters():
    found = AUDITOR.audit(task(searched=None, proportional="", effort=0.1))
    assert judge(found) is Status.REFUTED
    assert found.statistics["smallest_size"] == FROM
    assert "own_parameters" not in found.statistics
    assert found.witness["parameters"] == {"expects": 100}


def test_the_claims_own_parameters_may_be_the_only_witness():
    found = AUDITOR.audit(task(since=1, extra=2.0, searched=(1e-6, 1e-5), rho=2.0, effort=0.1))
    assert judge(found) is Status.REFUTED
    assert found.statistics["own"]["exceeded"]
    assert not any(each["exceeded"] for each in found.statistics["by_size"])
    assert found.witness["parameters"] == {}


def test_a_range_in_the_subjects_own_unit():
    """Noise of 1 or of 1000 times the claim's own: the range follows, and so do pairs, roundings and the sizes."""

    @dataclass(frozen=True, kw_only=True)
    class Svt:
        budget: float = 1.0
        expects: int = 4

        @property
        def query_scale(self):
            return 4.0 / self.budget

        def output_law(self, dataset):
            if dataset.size != self.expects:
                raise InputError(f"{dataset.size} queries", allowed=f"{self.expects}")
            scales = {"threshold_scale": 2.0 / self.budget, "query_scale": self.query_scale}
            return StoppingLaw(noise="laplace", levels=dataset, **scales)

    def examined(claimed):
        claim = Claim(
            id="a-claim",
            guarantee=PureDP(epsilon=claimed),
            relation="all-queries",
            subject="a-subject",
            source=Source(paper="none", locus=""),
            parameters={"budget": 1.0, "expects": 4},
            space=SearchSpace(
                size=4,
                low=-10.0,
                high=10.0,
                parameters={"budget": (1e-3, 1.0)},
                sizes=(4, 8),
                proportional="budget",
                unit="query_scale",
            ),
        )
        audit = replace(task(effort=0.4), claim=claim, build=lambda **searched: Svt(**searched))
        return audit, AUDITOR.audit(audit)

    audit, found = examined(1.0)
    assert judge(found) is Status.NOT_REFUTED
    assert 0.97 < found.tightness <= 1.0
    tight = [each["ratio"] for each in found.statistics["by_size"]]
    assert min(tight) > 0.9
    for budget in (1e-3, 1.0):
        box = Box(audit, audit.claim.space, limit=1)
        here = box.point(np.append(np.ones(len(box.pairs)), math.log(budget)))
        assert here.parameters["budget"] == pytest.approx(budget)
        assert here.pair.d0.max() == pytest.approx(40.0 / budget)
        assert np.abs(here.pair.d1 - here.pair.d0).max() <= 1.0
    _, broken = examined(0.9)
    assert judge(broken) is Status.REFUTED
    assert broken.measure.claimed == pytest.approx(0.9 * broken.witness["parameters"].get("budget", 1.0))


def test_every_size_is_looked_at_or_the_audit_fails():
    fixed = task(effort=0.05)
    stubborn = partial(_build, {"rho": 1.0, "expects": 10})
    loose = replace(
        fixed, build=lambda **searched: stubborn(**{name: value for name, value in searched.items() if name == "rho"})
    )
    with pytest.raises(AuditError, match="size 30"):
        AUDITOR.audit(loose)


def test_a_tour_spends_no_more_than_one_search_would():
    for sizes, searched in (((10, 30, 100), (0.1, 10.0)), ((), (0.1, 10.0)), ((10, 30, 100), None)):
        audit = task(sizes=sizes, searched=searched, proportional="", claimed=99.0, effort=1.0)
        examiner = Examiner(task=audit)
        assert len(search_sizes(audit, examiner).legs) == max(1, len(sizes))
        assert examiner.evaluations <= 1.15 * 2000


def test_the_same_evidence_comes_back():
    few = task(effort=0.1)
    assert AUDITOR.audit(few) == AUDITOR.audit(few)


def test_auditors_that_would_ignore_sizes_or_the_factor_get_no_such_claim():
    every = [auditor for _, auditor in registry().auditors.items()]
    for audit, demanded in ((task(), "proportional, sizes"), (task(proportional=""), "sizes")):
        unit = unit_for(SuiteEntry(claim=audit.claim), audit, every)
        assert [auditor.name for auditor in unit.auditors] == ["exact"]
        assert len(unit.refusals) == len(every) - 1 >= 2
        assert all(demanded in refusal for refusal in unit.refusals)
