"""What counts determine beside the bound is computed again, and a changed value is noticed."""

import json

import pytest

from auditors.privacy.recheck_power import EVENTS
from dpverify.core.json_text import dump
from dpverify.reporting.checked_records import checked_records
from dpverify.runner.record import record
from tests.auditors.privacy.recheck_cases import CASES

COMPUTED = ("event", "event that stands", "histogram", "floating-point", "search", "tradeoff", "gate that stands")


def printed(name):
    return json.loads(dump(record(CASES[name]())))


@pytest.mark.parametrize("name", sorted(CASES))
def test_an_honest_record_agrees(name):
    assert checked_records([printed(name)]).first_fault() == ""


@pytest.mark.parametrize(("field", "least"), [("detectable", 5), ("ceiling", 5), ("estimate", 5)])
def test_a_changed_number_beside_the_bound_is_noticed(field, least):
    """In every case that has one, and so many have."""
    having = [item for item in map(printed, COMPUTED) if item["evidence"][0][field] not in (None, "inf")]
    assert len(having) >= least
    for item in having:
        for changed in (item, item["evidence"][0]):
            changed[field] *= 1.01
        assert field in checked_records([item]).first_fault(), item["id"]


def test_the_record_of_a_row_repeats_its_evidence():
    item = printed("event")
    assert "detectable" in checked_records([{**item, "detectable": 1.01}]).first_fault()


def test_every_event_auditor_of_ours_is_known():
    assert {"event", "histogram", "search"} <= set(EVENTS)
