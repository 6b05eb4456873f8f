"""A rerun that is interrupted goes on from what it finished, and the records are those of one that was not."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.ledger import decide, partial_replays
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_rows
from tests.ledger.conftest import FULL

pytestmark = pytest.mark.usefixtures("few_planned")

WANTED = Wanted(id="AM-SENS-X")


def without_time(records):
    return [
        {**item, "seconds": 0, "evidence": [part | {"seconds": 0} for part in item["evidence"]]} for item in records
    ]


def test_an_interrupted_rerun_is_gone_on_with(tmp_path, monkeypatch, short_search):
    whole = ledger_rows(registry(), WANTED, rerun=Rerun())
    made, out, store = decide.finished, tmp_path / "records", tmp_path / "store"

    def interrupted(known, row, how):
        found = made(known, row, how)
        if sum(1 for _ in out.glob("*.json")):
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(decide, "finished", interrupted)
    cut = ledger_rows(registry(), WANTED, rerun=Rerun(out=out, store=store))
    assert cut.left >= 1
    assert len(list(out.glob("*.json"))) == 1
    monkeypatch.setattr(decide, "finished", made)
    resumed = ledger_rows(registry(), WANTED, rerun=Rerun(out=out, store=store, resume=True))
    assert resumed.left == 0
    assert without_time(resumed.records) == without_time(whole.records)
    assert {path.stem for path in out.glob("*.json")} == {item["id"] for item in whole.records}


def test_what_cannot_be_gone_on_with_is_said(tmp_path, short_search):
    with pytest.raises(InputError, match="--resume without --store"):
        Rerun(resume=True)
    with pytest.raises(InputError):
        ledger_rows(registry(), WANTED, rerun=Rerun(store=tmp_path, resume=True))
    ledger_rows(registry(), Wanted(id="BL-SENS-OBJ.b"), rerun=Rerun(store=tmp_path))
    with pytest.raises(InputError, match="resume"):
        ledger_rows(registry(), WANTED, rerun=Rerun(store=tmp_path, resume=True))


def test_rows_of_the_full_profile_alone_are_left_by_a_quick_one():
    assert FULL in {
        unit.entry.claim.id for unit in partial_replays.ledger_plan(registry(), profile="full", seed=0).units
    }
    with pytest.raises(InputError, match="--profile full"):
        ledger_rows(registry(), Wanted(id=FULL), rerun=Rerun())
