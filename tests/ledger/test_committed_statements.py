"""The committed records of what the papers say about figures and tables."""

from __future__ import annotations

from functools import partial

import pytest

from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.ledger.utility_records import read_experiment
from dpverify.runner.recheck import recheck
from tests.ledger.committed import statements

STATEMENTS = statements()
IDS = [item["id"] for item in STATEMENTS]


def rechecked(item):
    known = registry()
    read = partial(parse_guarantee, definitions=dict(known.definitions.items()))
    return recheck(item, read=read, auditors=dict(known.auditors.items())).says


def test_there_are_some():
    assert len(STATEMENTS) >= 20


@pytest.mark.parametrize("item", STATEMENTS, ids=IDS)
def test_a_verdict_is_what_the_repetitions_give(item):
    assert rechecked(item) in ("agrees", "exact")


def test_a_changed_bound_is_noticed():
    item = next(item for item in STATEMENTS if item["verdict"] == "refuted")
    assert rechecked({**item, "bound": item["bound"] * 1.01}) not in ("agrees", "exact")


@pytest.mark.parametrize("item", STATEMENTS, ids=IDS)
def test_it_was_measured_in_full_with_its_whole_experiment(item):
    found = read_experiment(item["subject"])
    assert found is not None
    assert item["id"] in found["statements"]
    assert set(found["statements"]) <= set(IDS)
    assert "--profile full" in item["reproduce"]
    assert "--profile full" in found["reproduce"]
