"""Nothing is typed in: with the records gone, deciding the rows again gives them back.

To the bit on the machine and pins that a record names; elsewhere the same verdict, witness and counts for sampled rows,
and 1e-9 relative for computed ones. A record of other code than this is held to nothing: it is shown as stale.
"""

from __future__ import annotations

from typing import Any

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger import store
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records
from dpverify.runner.environment import environment
from dpverify.runner.plan import select_entries

SLICE, SECONDS = 6, 1.0
"""Rows that every run of the tests decides again, of those that took at most so long."""

PASSING = ("seconds", "environment", "ledger", "statement", "source")

IN_QUICK = {entry.claim.id for entry in select_entries(registry(), suite="papers", profile="quick")}


def committed() -> list[dict[str, Any]]:
    """Records of this code that the quick profile made, the quickest first."""
    made = [
        item
        for item in ledger_records(registry())
        if item["method"] and not item["ledger"]["stale"] and item["id"] in IN_QUICK and "full" not in item["reproduce"]
    ]
    return sorted(made, key=lambda item: item["seconds"])


def lasting(item: dict[str, Any]) -> dict[str, Any]:
    """A record without what may differ from run to run."""
    kept = {name: value for name, value in item.items() if name not in PASSING}
    return kept | {"evidence": [part | {"seconds": 0.0} for part in item["evidence"]]}


def same_here(item: dict[str, Any]) -> bool:
    """Whether the record was made with what is here."""
    now = environment()
    return all(now.get(name) == value for name, value in item["environment"].items() if name != "cores")


def given_back(items: list[dict[str, Any]], folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "records_folder", lambda: folder)
    for item in items:
        assert ledger_records(registry(), Wanted(id=item["id"]))[0]["verdict"] == "unsupported"
    ids = {item["id"] for item in items}
    wanted = [Wanted()] if len(items) > SLICE else [Wanted(id=name) for name in sorted(ids)]
    fresh = {each["id"]: each for one in wanted for each in ledger_records(registry(), one, rerun=Rerun(jobs=2))}
    for item in items:
        again = fresh[item["id"]]
        assert again["verdict"] == item["verdict"], item["id"]
        if same_here(item):
            assert lasting(again) == lasting(item), item["id"]
        elif isinstance(item["bound"], float):
            assert again["bound"] == pytest.approx(item["bound"], rel=1e-9), item["id"]


def test_a_slice_is_given_back(tmp_path, monkeypatch):
    items = [item for item in committed() if item["seconds"] <= SECONDS][:SLICE]
    given_back(items, tmp_path, monkeypatch)


@pytest.mark.slow
def test_the_quick_profile_is_given_back(tmp_path, monkeypatch):
    given_back(committed(), tmp_path, monkeypatch)


def test_what_is_compared_is_all_but_what_passes():
    """A changed bound, verdict, witness or statistic would show."""
    item = {"id": "X", "bound": 1.0, "seconds": 2.0, "evidence": [{"bound": 1.0, "seconds": 2.0}]}
    assert lasting(item) == lasting(item | {"seconds": 3.0, "evidence": [{"bound": 1.0, "seconds": 9.0}]})
    assert lasting(item) != lasting(item | {"bound": 1.5})
    assert lasting(item) != lasting(item | {"evidence": [{"bound": 1.5, "seconds": 2.0}]})
