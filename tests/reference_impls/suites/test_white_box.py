"""The white-box claims say what their names say, and the committed record is about them and meets its targets."""

import json
from pathlib import Path

import pytest

from dpverify.core.plugins import registry
from dpverify.core.subjects import Traces
from dpverify.runner.plan import subject_builder, suite_plan
from reference_impls.suites.white_box import FEW_SIGMA, FEW_STEPS, RATE, SIGMAS

RECORD = Path(__file__).parents[3] / "reports" / "white-box" / "results.json"
PART = {1: 0.55, 4: 0.6, 10: 0.5}
ENTRIES = {name: entry for name, entry in registry().entries.items() if "white-box" in entry.suites}


@pytest.mark.parametrize(("epsilon", "sigma"), SIGMAS.items())
def test_sigma_is_the_accountants_for_this_epsilon(epsilon, sigma):
    guarantee = ENTRIES[f"dp-sgd-epsilon-{epsilon}"].claim.guarantee
    assert guarantee.sigma == sigma
    bracket = guarantee.bracket()
    assert bracket.lower <= epsilon
    assert bracket.upper == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize("name", ENTRIES)
def test_subjects_show_traces_and_claims_fit_their_pairs(name):
    claim = ENTRIES[name].claim
    subject = subject_builder(registry(), claim)()
    assert isinstance(subject, Traces)
    assert subject.steps == claim.guarantee.steps
    assert registry().neighbors.get(claim.space.generator).relation == claim.relation
    if "batch_size" in claim.parameters:  # the price is Poisson's at the rate of the batches
        assert claim.parameters["batch_size"] / (claim.space.size + 1) == pytest.approx(claim.guarantee.rate, rel=0.07)


def test_the_other_claims_are_at_epsilon_4():
    found = [e.claim.guarantee for e in ENTRIES.values() if e.claim.guarantee.sigma == FEW_SIGMA]
    assert found
    assert all((each.rate, each.steps) == (RATE, FEW_STEPS) for each in found)
    assert found[0].bracket().upper == pytest.approx(4.0, abs=1e-3)


def test_the_suite_gives_each_of_the_three_claims_95_percent():
    described = registry().suite("dp-sgd")
    assert described.per_row
    assert described.confidence == 0.95
    assert described.methods == ("transcript",)
    plan = suite_plan(
        registry(),
        suite="white-box",
        profile="quick",
        seed=0,
        confidence=0.999,
        trials=1000,
        methods=("transcript",),
    )
    assert all([auditor.name for auditor in unit.auditors] == ["transcript"] for unit in plan.units)
    assert len(plan.units) == len(ENTRIES)


def test_the_committed_record_is_of_these_claims_and_meets_the_targets():
    rows = {row["id"]: row for row in json.loads(RECORD.read_text(encoding="utf-8"))}
    assert set(rows) == {f"dp-sgd-epsilon-{epsilon}" for epsilon in SIGMAS}
    for epsilon in SIGMAS:
        row = rows[f"dp-sgd-epsilon-{epsilon}"]
        guarantee = ENTRIES[row["id"]].claim.guarantee
        assert row["guarantee"] == guarantee.text()
        assert row["verdict"] == "not_refuted"
        assert row["confidence"] == pytest.approx(0.95)
        assert row["trials"] <= 96_000
        statistics = row["evidence"][0]["statistics"]
        exact = guarantee.bracket().upper
        assert statistics["assumption_free"]["epsilon"] >= PART[epsilon] * exact
        assert 0.85 * exact <= statistics["family"]["epsilon"] <= exact
        assert statistics["family"]["label"] == "within the subsampled-Gaussian family"
