"""Nothing is typed in: with the records gone, deciding the rows again gives them back.

To the bit on the machine and pins that a record names; elsewhere, where a last bit may send a search another way, the
same verdict. A record of other code than this is held to nothing: it is shown as stale.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.ledger import committed_records
from dpverify.ledger import partial_replays as planning
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records
from dpverify.runner.environment import environment
from dpverify.runner.plan import Plan, suite_plan

LITTLE = 3.0
"""Seconds: rows of the full profile that took at most so long are decided again where all of the quick one are."""

SOME = 5.0
"""Seconds of a row that CI decides again."""

TYPED = "BL-SENS-OBJ-R"
"""A quick row; any will do."""

PASSING = ("seconds", "environment", "ledger", "statement", "source")


@cache
def planned(known: Registry, **words: Any) -> Plan:
    """A plan of the whole ledger takes seconds; its rows' own parts do not."""
    return suite_plan(known, **words)


@pytest.fixture(autouse=True)
def planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "suite_plan", planned)


def committed() -> list[dict[str, Any]]:
    """Records of this code, the quickest first; not of statements about figures, which are measured."""
    fresh = [item for item in ledger_records(registry()) if not item["ledger"]["stale"] + item["ledger"]["replayed"]]
    made = [item for item in fresh if item["method"] and item["subject"] not in registry().experiments]
    return sorted(made, key=lambda item: item["seconds"])


def profile(item: dict[str, Any]) -> str:
    """That of the command which a record says it was made by."""
    words = item["reproduce"].split()
    return words[words.index("--profile") + 1] if "--profile" in words else "quick"


def kind(item: dict[str, Any]) -> tuple[str, bool]:
    """The method, and whether it searches a box."""
    return item["method"], bool(item["space"].get("parameters"))


def lasting(item: dict[str, Any]) -> dict[str, Any]:
    """A record without what may differ from run to run."""
    kept = {name: value for name, value in item.items() if name not in PASSING}
    code = {name: value for name, value in item.get("code", {}).items() if name != "part"}  # made when it is kept
    return kept | {"code": code, "evidence": [part | {"seconds": 0.0} for part in item["evidence"]]}


def same_here(item: dict[str, Any]) -> bool:
    """Whether the record was made with what is here, on a processor of this kind."""
    now, then = environment(), item["environment"]
    return all(then.get(name) == value for name, value in now.items() if name != "cores")


def given_back(items: list[dict[str, Any]], folder: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the rows that were decided again and came back; an AssertionError at the first that did not."""
    monkeypatch.setattr(committed_records, "records_folder", lambda: folder)
    compared = []
    for item in items:
        assert ledger_records(registry(), Wanted(id=item["id"]))[0]["verdict"] == "unsupported"
        how = Rerun(profile=profile(item), seed=item["seed"])
        found = ledger_records(registry(), Wanted(id=item["id"]), rerun=how)  # a row comes with its repairs
        (again,) = (each for each in found if each["id"] == item["id"])
        assert again["verdict"] == item["verdict"], item["id"]
        if same_here(item):
            assert lasting(again) == lasting(item), item["id"]
        compared.append(item["id"])
    return compared


@pytest.mark.ci
def test_a_slice_is_given_back(tmp_path, monkeypatch):
    """The quickest row of each kind, where that takes no minutes.

    Without a single record of this code there is nothing to believe: decide them.
    """
    first = {kind(item): item for item in reversed(committed()) if item["seconds"] <= SOME}
    assert given_back(list(first.values()), tmp_path, monkeypatch) != []


@pytest.mark.slow
def test_the_quick_profile_is_given_back(tmp_path, monkeypatch):
    items = [item for item in committed() if profile(item) == "quick" or item["seconds"] <= LITTLE]
    assert given_back(items, tmp_path, monkeypatch) != []


@pytest.mark.ci
def test_a_record_with_something_typed_in_is_not_given_back(tmp_path, monkeypatch):
    (item,) = ledger_records(registry(), Wanted(id=TYPED), rerun=Rerun())
    assert given_back([item], tmp_path, monkeypatch) == [TYPED]
    for name, other in (("verdict", "inconclusive"), ("bound", 0.123), ("witness", {"x": 1.0})):
        with pytest.raises(AssertionError, match=TYPED):
            given_back([{**item, name: other}], tmp_path, monkeypatch)


def test_what_is_compared_is_all_but_what_passes():
    """A changed bound, verdict, witness or statistic would show."""
    item = {"id": "X", "bound": 1.0, "seconds": 2.0, "evidence": [{"bound": 1.0, "seconds": 2.0}]}
    assert lasting(item) == lasting(item | {"seconds": 3.0, "evidence": [{"bound": 1.0, "seconds": 9.0}]})
    assert lasting(item) != lasting(item | {"bound": 1.5})
    assert lasting(item) != lasting(item | {"evidence": [{"bound": 1.5, "seconds": 2.0}]})
