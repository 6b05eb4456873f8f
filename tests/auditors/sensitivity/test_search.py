"""The sensitivity auditor: known sensitivities, witnesses, rounding, determinism, threads, silence."""

import json
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from auditors.sensitivity import search
from auditors.sensitivity.search import SensitivityAuditor
from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.add_remove import AddRemove
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.datasets.neighbors.replace import Replace
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import PureDP
from dpverify.sampling.streams import stream

SPACE = SearchSpace(size=4, low=-2.0, high=2.0)


@dataclass(frozen=True)
class Query:
    """A function of the data set (and of searched parameters) as a subject."""

    function: Any
    parameters: dict = field(default_factory=dict)

    def query(self, dataset):
        return np.atleast_1d(self.function(dataset, **self.parameters))


def task_of(function, guarantee, neighbors, *, space=SPACE, seed=0, effort=0.3):
    claim = Claim(
        id="claim",
        guarantee=guarantee,
        relation=neighbors.relation,
        subject="subject",
        source=Source(paper="tests", locus=""),
        space=space,
    )
    return Task(
        claim=claim,
        build=lambda **searched: Query(function, searched),
        neighbors=neighbors,
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(seed, "claim", "sensitivity", *names),
        effort=effort,
        seed=seed,
    )


def audit(function, guarantee, neighbors, **options):
    return SensitivityAuditor().audit(task_of(function, guarantee, neighbors, **options))


def clipped_sum(dataset, clip=1.0):
    return np.clip(np.asarray(dataset, dtype=float), -clip, clip).sum()


@pytest.mark.parametrize(
    ("function", "neighbors", "norm", "sensitivity"),
    [
        (lambda d: np.sum(d), AddRemove(), "l2", 2.0),
        (lambda d: np.sum(d), Replace(), "l1", 4.0),
        (clipped_sum, Replace(), "linf", 2.0),
        (lambda d: np.array([np.sum(d), len(d)]), AddRemove(), "l1", 3.0),
        (lambda d: np.array([np.sum(d), len(d)]), AddRemove(), "linf", 2.0),
        (lambda d: np.array([np.sum(d), len(d)]), AddRemove(), "l2", np.sqrt(5.0)),
        (lambda d: np.eye(5)[d] * 3, Value(), "l1", 6.0),
    ],
)
def test_known_sensitivities_are_reached_and_never_exceeded(function, neighbors, norm, sensitivity):
    space = SearchSpace(size=5) if neighbors.relation == "value" else SPACE
    holds = audit(function, SensitivityBound(bound=sensitivity, norm=norm), neighbors, space=space)
    assert judge(holds) is Status.NOT_REFUTED
    assert holds.bound == pytest.approx(sensitivity, rel=1e-12)
    broken = audit(function, SensitivityBound(bound=sensitivity * 0.9, norm=norm), neighbors, space=space)
    assert judge(broken) is Status.REFUTED
    assert broken.proved
    assert broken.coverage == "search"
    assert broken.excess == pytest.approx(sensitivity * 0.1, rel=1e-6)
    assert neighbors.check(broken.witness["d0"], broken.witness["d1"]) is None


def test_one_ulp_above_the_claim_is_no_refutation_in_floats_and_one_in_fractions():
    """0.1 + 0.2 is a hair above 0.3: with rounding allowed for, that hair refutes nothing."""

    def in_floats(dataset):
        return np.asarray(dataset, dtype=float).sum() * (0.1 + 0.2)

    space = SearchSpace(size=1, low=0.0, high=1.0)
    evidence = audit(in_floats, SensitivityBound(bound=0.3), AddRemove(), space=space)
    assert evidence.bound > 0.3
    assert evidence.statistics["arithmetic"] == "float64"
    assert judge(evidence) is Status.NOT_REFUTED
    exactly = audit(
        lambda d: np.sum(d), SensitivityBound(bound=float(np.nextafter(1.0, 0.0))), AddRemove(), space=space
    )
    assert (exactly.statistics["arithmetic"], exactly.error, exactly.bound) == ("rational", 0.0, 1.0)
    assert judge(exactly) is Status.REFUTED


def test_searched_parameters_and_interior_extremes_are_found():
    """Largest where one record is 0.5 and another parameter is at the end of its box: no listed pair shows it."""

    def peaked(dataset, scale=1.0):
        return scale * np.exp(-20 * (np.asarray(dataset, dtype=float) - 0.7) ** 2).sum()

    space = SearchSpace(size=2, low=-2.0, high=2.0, parameters={"scale": (0.5, 3.0)})
    evidence = audit(peaked, SensitivityBound(bound=1.5), Replace(), space=space, effort=1.0)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound > 2.0
    assert 1.5 < evidence.witness["parameters"]["scale"] <= 3.0
    assert 0.3 < max(*evidence.witness["d0"], *evidence.witness["d1"], key=lambda x: -abs(x - 0.7)) < 1.1


def scaled_sum(own, high):
    """A clipped sum times a searched parameter: the change is the parameter itself."""
    space = SearchSpace(size=3, low=-1.0, high=1.0, parameters={"scale": (0.5, high)})
    task = task_of(lambda d, scale: scale * np.sum(d), SensitivityBound(bound=1.0), AddRemove(), space=space)
    claim = replace(task.claim, parameters={"scale": own})
    build = task.build
    return SensitivityAuditor().audit(replace(task, claim=claim, build=lambda **at: build(**{"scale": own, **at})))


def test_the_margin_at_the_own_parameters_the_smallest_the_worst_and_where_it_fails():
    said = scaled_sum(own=0.75, high=8.0).statistics
    assert said["own"]["ratio"] == pytest.approx(0.75)
    assert (said["own"]["exceeded"], said["own"]["parameters"]) == (False, {"scale": 0.75})
    assert said["worst"]["ratio"] == pytest.approx(8.0)
    # Half of the excess, which counts up to twice the claim: 1.5, to the last halving.
    assert said["smallest"]["ratio"] == pytest.approx(said["smallest"]["parameters"]["scale"])
    assert said["smallest"]["ratio"] == pytest.approx(1.5, rel=1e-2)
    parts = said["map"]["scale"]
    assert all(part["points"] for part in parts)
    assert [part["failed"] > 0 for part in parts] == [part["to"] > 1.0 for part in parts]
    assert said["failed"] == sum(part["failed"] for part in parts)
    assert said["looked"] == sum(part["points"] for part in parts)


def test_what_fails_at_its_own_parameters_is_smallest_there():
    said = scaled_sum(own=2.0, high=8.0).statistics
    assert said["own"] == said["smallest"]
    assert said["own"]["ratio"] == pytest.approx(2.0)


def test_what_holds_has_no_smallest_and_no_part_that_failed():
    said = scaled_sum(own=0.5, high=0.9).statistics
    assert said["smallest"] is None
    assert said["failed"] == 0
    assert said["worst"]["ratio"] == pytest.approx(0.9)


def test_witness_is_plain():
    """Any pair of records shows the missing clip; the reported one is among the plain pairs."""
    evidence = audit(lambda d: np.asarray(d, dtype=float).sum(), SensitivityBound(bound=1.0), AddRemove())
    assert set(evidence.witness["d0"]) | set(evidence.witness["d1"]) <= {-2.0, 0.0, 1.0, 2.0}
    assert evidence.witness["parameters"] == {}
    json.dumps([evidence.witness, evidence.statistics], allow_nan=False)


def test_fixed_pairs_and_finite_relations_need_no_box():
    neighbors = FixedPair(d0=[1.0, 2.0], d1=[1.0], relation="add-remove")
    evidence = audit(lambda d: np.sum(d), SensitivityBound(bound=1.0), neighbors)
    assert (evidence.bound, judge(evidence)) == (2.0, Status.REFUTED)


def test_same_seed_same_evidence_also_in_threads_and_nothing_is_printed(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def wavy(dataset, shift=0.0):
        return np.sin(5 * np.asarray(dataset, dtype=float) + shift).sum()

    space = SearchSpace(size=3, low=-1.0, high=1.0, parameters={"shift": (0.0, 1.0)})
    task = task_of(wavy, SensitivityBound(bound=1.9), Replace(), space=space, effort=0.1)
    expected = SensitivityAuditor().audit(task)
    assert judge(expected) is Status.REFUTED
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(SensitivityAuditor().audit(task))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_refusals_and_errors():
    auditor = SensitivityAuditor()
    assert isinstance(auditor, Auditor)
    assert not auditor.statistical
    bound = SensitivityBound(bound=1.0)
    assert auditor.refuses(task_of(clipped_sum, bound, AddRemove())) is None
    assert "no sensitivity" in auditor.refuses(task_of(clipped_sum, PureDP(epsilon=1.0), AddRemove()))
    blind = task_of(clipped_sum, bound, AddRemove())
    assert "no query" in auditor.refuses(
        Task(**{**{name: getattr(blind, name) for name in Task.__slots__}, "build": object})
    )
    with pytest.raises(InputError, match="no finite vector"):
        audit(lambda d: np.mean(d) if len(d) == 4 else np.nan, bound, AddRemove())
    with pytest.raises(InputError, match="4 answers on d0 and 3 on d1"):
        audit(lambda d: np.asarray(d), bound, AddRemove())
    with pytest.raises(InputError, match="raised ZeroDivisionError on d"):
        audit(lambda d: 1 / 0, bound, AddRemove())
    rng = np.random.default_rng(0)
    with pytest.raises(AuditError, match="on the same pair"):
        audit(lambda d: rng.random(), bound, AddRemove())
    with pytest.raises(AuditError, match="no two different neighbours"):
        audit(clipped_sum, bound, Replace(), space=SearchSpace(size=2, low=1.0, high=1.0))
    registry = Registry()
    search.register(registry)
    assert "sensitivity" in registry.auditors
