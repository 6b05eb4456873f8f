"""Pictures of evidence: the bound by draws ends at the audit's own bound, and detection power at its own value."""

import pytest

import dpverify
from auditors.privacy.pictures.of_counts import POWERS, bound_by_draws, detection_power
from dpverify.core.errors import DpverifyError
from dpverify.definitions.pure_dp import PureDP
from dpverify.reporting.row_charts import row_charts
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.runner.record import record

CLAIM = PureDP(epsilon=1.0)


def noisy_sum(data, size, rng, scale=1.0):
    return sum(data) + rng.laplace(scale=scale, size=size)


def half(data, size, rng):
    return noisy_sum(data, size, rng, scale=0.5)


def audited(mechanism, methods):
    pair = {"d0": [0.0, 1.0], "d1": [0.0]}
    return record(dpverify.audit(mechanism, **pair, claim=CLAIM, trials=20_000, methods=methods, name="m").row)


@pytest.fixture(scope="module")
def bets():
    return audited(half, ["sequential"])


@pytest.fixture(scope="module")
def event():
    return audited(noisy_sum, ["event"])


def evidence(item):
    return printed_evidence(item["id"], item["evidence"][0])


def test_the_bound_by_draws_never_falls_and_ends_at_the_audit_s_own(bets):
    claimed, bound = bound_by_draws(CLAIM, evidence(bets)).series
    assert claimed.y == [1.0, 1.0]
    assert bound.y == sorted(bound.y)
    assert bound.y[-1] == pytest.approx(bets["bound"])
    assert bound.y[-1] > 1.0
    assert bound.x[0] == 0
    assert bound.x[-1] == bets["evidence"][0]["statistics"]["pairs_bet"]


def test_detection_power_rises_and_meets_the_value_of_the_record(event):
    claimed, power = detection_power(CLAIM, evidence(event)).series
    assert claimed.x == [1.0, 1.0]
    assert power.y == list(POWERS)
    assert power.x == sorted(power.x)
    assert power.x[power.y.index(0.8)] == pytest.approx(event["detectable"], rel=1e-3)


def test_detection_power_of_a_pair_whose_loss_was_seen_meets_the_value_of_the_record():
    claim = PureDP(epsilon=3.0)
    found = dpverify.audit(noisy_sum, claim=claim, data=[0.0, 1.0, 0.3], trials=400_000, name="m", confidence=1 - 1e-9)
    item = record(found.row)
    said = item["evidence"][0]["statistics"]
    assert said["part_of_detectable"] < 1.0
    _, power = detection_power(claim, evidence(item)).series
    assert power.x[power.y.index(0.8)] == pytest.approx(item["detectable"], rel=1e-3)
    assert min(power.x) >= 3.0 and power.x == sorted(power.x)
    said["part_of_detectable"] = 0.01  # of a value below the claim nothing is said
    _, power = detection_power(claim, evidence(item)).series
    assert power.x == [3.0] * len(POWERS)


def test_evidence_without_the_numbers_has_no_picture(bets, event):
    with pytest.raises(DpverifyError):
        bound_by_draws(CLAIM, evidence(event))
    with pytest.raises(DpverifyError):
        detection_power(CLAIM, evidence(bets))


def test_rows_show_what_their_evidence_has(bets, event):
    assert [each.title for each in row_charts(bets)] == ["Privacy profile", "Bound by draws"]
    assert [each.title for each in row_charts(event)] == ["Privacy profile", "Detection power"]
    assert row_charts({**event, "guarantee": 'UpperBound(quantity="renyi")'}) == []
    assert row_charts({**event, "evidence": [], "method": None}) == []


def test_a_strange_record_is_a_row_without_these_pictures(bets):
    part = bets["evidence"][0]
    strange = {**bets, "evidence": [{**part, "statistics": {**part["statistics"], "blocks": [{"pairs": "many"}]}}]}
    assert [each.title for each in row_charts(strange)] == ["Privacy profile"]
