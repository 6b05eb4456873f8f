"""An audit of an example derives the claim from the code first: what is proved, what is not, and what never happens."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.audits import callable_audit, from_code, judges
from dpverify.audits.finding import Finding
from dpverify.audits.from_code import BESIDE_A_PROOF, FromCode
from dpverify.audits.judges import Known, certified_by_code
from dpverify.core.errors import AuditError
from dpverify.core.note import Kind
from dpverify.core.verdict import Status
from dpverify.derivation import derive
from dpverify.proofs import cost
from dpverify.proofs.told import holds, proof_fault
from dpverify.reporting.read_records import records_of_schema

CLAIM = "PureDP(epsilon=1)"
DATA = [0.2, 0.9, 1.0, 0.0]


def clipped(data, rng):
    return np.clip(np.nan_to_num(data), 0.0, 1.0).sum() + rng.laplace(scale=1.0)


def bare(data, rng):
    return sum(data) + rng.laplace(scale=1.0)


def half(data, rng):
    return np.clip(np.nan_to_num(data), 0.0, 1.0).sum() + rng.laplace(scale=0.5)


def gaussian(data, rng):
    return sum(1.0 for x in data if x > 0.5) + rng.normal(scale=4.0)


def hides(data, rng):
    return sorted(data)[0] + rng.laplace(scale=50.0)


def constant(data, rng):
    return rng.laplace(scale=1.0)


def notes_of(result, kind):
    return [note.text for note in result.finding.notes if note.kind is kind]


@pytest.fixture(scope="module")
def proved():
    return dpv.audit(clipped, claim=CLAIM, data=DATA)


def test_what_is_proved_is_certified_for_every_value_of_its_type(proved):
    assert proved.verdict is Status.CERTIFIED
    assert proved.epsilon_lower < 1.0 <= proved.epsilon_upper <= 1.0 + 1e-11
    told = proved.row.proof
    assert (told["parameter"], told["relation"], told["claim"]) == ("epsilon", "add-remove", CLAIM)
    assert told["domain"] == "float64 of any value or NaN"
    assert any("noise is ideal" in each for each in told["rests_on"])
    assert holds(told["certificate"]) == told
    assert not notes_of(proved, Kind.UNPROVED)
    assert proved.check(require_power=True) is proved
    assert proved.shortfall() == ""


def test_both_sides_are_said(proved):
    text = repr(proved)
    assert "epsilon <= 1.000000000001, from the code" in text
    assert "in real arithmetic, with ideal noise" in text
    assert "epsilon >= " in text


def test_its_record_follows_the_schema_and_is_plain_json(proved):
    told = json.loads(json.dumps(proved.record(), allow_nan=False))
    (item,) = records_of_schema([told], "the test")
    assert item["verdict"] == "certified"
    assert item["proof"] == proved.row.proof


def test_stated_ranges_are_the_domain_of_the_proof():
    found = dpv.audit(bare, claim=CLAIM, data=DATA, bounds=(0.0, 1.0))
    assert found.verdict is Status.CERTIFIED
    assert found.row.proof["domain"] == "float64 in [0, 1]"


def test_ranges_that_are_read_off_an_example_never_certify():
    found = dpv.audit(bare, claim=CLAIM, data=DATA, trials=4000)
    assert found.verdict is Status.NOT_REFUTED
    assert found.row.proof is None and found.epsilon_upper is None
    line, condition = notes_of(found, Kind.UNPROVED)
    assert line.startswith("test_proved.py:") and "sum of records that may be NaN" in line
    assert condition.startswith("proved if records are float(0, 1): state it")


def test_what_costs_more_than_the_claim_is_said_and_refutes_nothing(monkeypatch):
    found = dpv.audit(half, claim=CLAIM, data=DATA, trials=4000)
    (line,) = notes_of(found, Kind.ABOVE)
    assert line.startswith("epsilon <= 2.000000000001 was derived, which refutes nothing: test_proved.py:")
    assert "noise of scale 0.5 where a neighbour moves the value by 1" in line
    assert found.verdict is Status.REFUTED  # by its draws
    monkeypatch.setattr(callable_audit, "run_unit", lambda unit, *_, **__: replace(found.row, verdict=passed(found)))
    assert dpv.audit(half, claim=CLAIM, data=DATA, trials=4000).verdict is Status.INCONCLUSIVE


def passed(found):
    return replace(found.row.verdict, status=Status.INCONCLUSIVE, evidence=(), reason="nothing was seen")


@pytest.mark.parametrize(
    ("claim", "parameter", "least"),
    [
        ("ApproxDP(epsilon=1, delta=1e-5)", "epsilon", 0.9),
        ("GDP(mu=0.25)", "mu", 0.25),
        ("ZCDP(rho=0.03125)", "rho", 0.03),
    ],
)
def test_claims_of_gaussian_noise_are_proved_in_their_own_parameter(claim, parameter, least):
    found = dpv.audit(gaussian, claim=claim, data=DATA)
    assert found.verdict is Status.CERTIFIED
    assert found.row.proof["parameter"] == parameter
    assert least <= found.epsilon_upper <= 1.0


def test_a_pure_claim_of_gaussian_noise_is_not_proved():
    found = dpv.audit(gaussian, claim=CLAIM, data=DATA, trials=2000)
    assert found.row.proof is None
    assert notes_of(found, Kind.UNPROVED) == ["the noise gives no bound of the kind PureDP"]


@pytest.mark.parametrize(
    "problem", [RecursionError, MemoryError, SystemExit, KeyError, dpv.InputError("x", allowed="y")]
)
def test_nothing_that_is_raised_while_the_code_is_read_ends_an_audit(monkeypatch, problem):
    def breaks(*_):
        raise problem

    monkeypatch.setattr(from_code, "derived_from", breaks)
    found = dpv.audit(clipped, claim=CLAIM, data=DATA, trials=1000)
    assert found.verdict in (Status.NOT_REFUTED, Status.INCONCLUSIVE)
    assert len(notes_of(found, Kind.UNPROVED)) == 1


def test_a_reading_that_never_ends_is_broken_off(monkeypatch):
    monkeypatch.setattr(from_code, "READING", 0.2)
    monkeypatch.setattr(from_code, "derived_from", lambda *_: time.sleep(1e6))
    found = dpv.audit(clipped, claim=CLAIM, data=DATA, trials=1000)
    (line,) = notes_of(found, Kind.UNPROVED)
    assert "the reading of clipped ran longer than its limit of 0.2 s" in line


def test_an_audit_beside_a_proof_is_short_and_otherwise_as_it_was(monkeypatch, proved):
    assert proved.finding.draws <= 40_000
    stated = dpv.audit(clipped, claim=CLAIM, data=DATA, trials=2000)
    monkeypatch.setattr(callable_audit, "from_code", lambda *_: FromCode())
    without = dpv.audit(clipped, claim=CLAIM, data=DATA, trials=2000)
    kept = [replace(each, seconds=0.0) for each in stated.row.verdict.evidence]
    assert kept == [replace(each, seconds=0.0) for each in without.row.verdict.evidence]
    assert (stated.verdict, without.verdict) == (Status.CERTIFIED, Status.NOT_REFUTED)


@pytest.mark.parametrize("words", [{"seconds": 2.0}, {"trials": 500}, {"detect": 1.5}])
def test_an_audit_is_as_long_as_somebody_said(monkeypatch, words):
    seen = []

    def stops(self, unit, pair):
        seen.append(self.seconds)
        raise dpv.InputError("far enough", allowed="nothing")

    monkeypatch.setattr(callable_audit.CallableAudit, "_with_draws", stops)
    with pytest.raises(dpv.InputError, match="far enough"):
        dpv.audit(clipped, claim=CLAIM, data=DATA, **words)
    with pytest.raises(dpv.InputError, match="far enough"):
        dpv.audit(clipped, claim=CLAIM, data=DATA)
    assert seen[0] != BESIDE_A_PROOF
    assert seen[1] == BESIDE_A_PROOF


def test_an_audit_that_refutes_what_was_proved_says_that_one_of_them_is_wrong(monkeypatch):
    """The rule of costs is broken by hand: half of what a release costs is proved."""
    whole = cost._total
    monkeypatch.setattr(derive, "check", lambda *_: 1.0)  # which finds records that cost more
    monkeypatch.setattr(cost, "_total", lambda releases: cost.Cost(*(part / 2 for part in whole(releases).parts())))
    found = dpv.audit(half, claim=CLAIM, data=DATA, trials=4000)
    assert found.verdict is Status.REFUTED
    assert found.row.proof is not None
    (line,) = notes_of(found, Kind.CONTRADICTED)
    assert "contradict each other" in line
    assert all(each in line for each in found.row.proof["rests_on"])
    assert "contradict each other" in repr(found)
    assert "from the code, for" not in repr(found)
    assert found.epsilon_upper is None
    with pytest.raises(dpv.ClaimRefuted):
        found.check()
    with pytest.raises(dpv.ClaimRefuted, match="contradict each other"):
        dpv.assert_dp(half, claim=CLAIM, data=DATA, trials=4000)


def test_a_claim_that_falls_outside_of_its_example_is_not_certified(proved):
    leading = proved.row.verdict.leading
    beyond = replace(
        leading, statistics={**leading.statistics, "outside": {"line": "false unless records lie in [0, 1]"}}
    )
    verdict = replace(proved.row.verdict, status=Status.NOT_REFUTED, evidence=(beyond,))
    finding = replace(proved.finding, row=replace(proved.row, verdict=verdict))
    found = certified_by_code(finding, Known())
    assert found.status is Status.NOT_REFUTED
    assert [note.kind for note in found.notes].count(Kind.CONTRADICTED) == 1
    assert certified_by_code(found, Known()) == found


@pytest.mark.parametrize("status", [Status.NOT_REFUTED, Status.INCONCLUSIVE, Status.UNSUPPORTED])
def test_what_an_audit_could_not_see_takes_no_proof_away(proved, status):
    finding = proved.finding.but(status, "why")
    assert certified_by_code(finding, Known()).status is Status.CERTIFIED
    unproved = replace(finding, row=replace(finding.row, proof=None))
    assert certified_by_code(unproved, Known()) is unproved


def test_an_error_stays_one(proved):
    assert certified_by_code(proved.finding.but(Status.ERROR, "why"), Known()).status is Status.ERROR


def test_what_is_known_to_be_broken_and_proved_fails_its_suite(proved):
    found = judges.judged_for_suite(proved.finding, Known(expect="broken"))
    assert found.status is Status.CERTIFIED
    assert found.fails


def test_a_function_that_ignores_its_data_is_certified_at_nothing():
    found = dpv.audit(constant, claim=CLAIM, data=DATA)
    assert found.verdict is not Status.REFUTED


def test_a_proof_comes_back_from_another_process_and_a_forged_one_does_not(proved):
    found = dpv.assert_dp(clipped, claim=CLAIM, data=DATA)
    assert found.verdict is Status.CERTIFIED
    values, entry = found.finding.values(), found.row.entry
    assert Finding.of_values(values, entry).row.proof == found.row.proof
    for name, new in (("upper", 0.5), ("domain", "anything"), ("rests_on", [])):
        forged = {**values["row"], "proof": {**values["row"]["proof"], name: new}}
        with pytest.raises(AuditError, match="no result that can be read"):
            Finding.of_values({**values, "row": forged}, entry)


def test_a_proof_of_another_claim_or_relation_is_a_fault(proved):
    told = proved.row.proof
    assert proof_fault(told, dpv.PureDP(epsilon=1.0), "add-remove") == ""
    assert "is claimed" in proof_fault(told, dpv.PureDP(epsilon=0.5), "add-remove")
    assert "is claimed" in proof_fault(told, dpv.ZCDP(rho=1.0), "add-remove")
    assert "under add-remove" in proof_fault(told, dpv.PureDP(epsilon=1.0), "replace")


def test_of_a_pair_alone_nothing_is_derived():
    found = dpv.audit(clipped, [0.2, 0.9], [0.2], claim=CLAIM, trials=1000)
    assert found.row.proof is None
    assert not notes_of(found, Kind.UNPROVED)


def test_the_line_that_stands_in_the_way_is_named_without_values_of_the_example():
    found = dpv.audit(hides, claim=CLAIM, data=[0.123456, 0.9, 1.0], trials=1000)
    lines = notes_of(found, Kind.UNPROVED)
    assert lines and lines[0].startswith("test_proved.py:")
    assert not any("0.123456" in line for line in lines)


def test_other_ways_of_calling_are_not_read():
    found = dpv.audit(clipped, claim=CLAIM, data=DATA, call="scalar", trials=1000)
    assert found.row.proof is None
    assert len(notes_of(found, Kind.UNPROVED)) == 1


def test_the_most_records_of_a_user_are_asked_for():
    def counted(data, rng):
        return len(data) + rng.laplace(scale=10.0)

    data = [{"user": 1, "x": 0.5}, {"user": 1, "x": 0.25}, {"user": 2, "x": 1.0}]
    found = dpv.audit(counted, claim=CLAIM, data=data, unit="user", trials=1000)
    assert found.row.proof is None
    assert "the most records of one user are not stated" in notes_of(found, Kind.UNPROVED)[0]
