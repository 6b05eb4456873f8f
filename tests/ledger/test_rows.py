"""The ledger: every row of the catalogue, decided by records that evidence made, and by nothing else."""

import json

import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.core.plugins import registry
from dpverify.ledger import store
from dpverify.ledger.catalogue import PAPERS, catalogue
from dpverify.ledger.rows import ledger_records


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder in the place of the committed records."""
    monkeypatch.setattr(store, "records_folder", lambda: tmp_path)
    return tmp_path


def test_the_catalogue_names_each_row_once_and_no_verdict():
    ids = [row.id for row in catalogue()]
    assert len(set(ids)) == len(ids) >= 70
    assert {row.paper for row in catalogue()} == set(PAPERS)
    words = {"refuted", "certified", "not_refuted", "false", "expectation"}
    assert not any(words & set(row.claim.lower().split()) for row in catalogue())


def test_without_records_nothing_is_decided(kept):
    records = ledger_records(registry())
    assert {item["verdict"] for item in records} == {"unsupported"}
    reasons = {item["reason"] for item in records}
    assert reasons == {"no claim in code yet", "not decided yet: decide it with --rerun"}


def test_a_row_is_decided_by_running_it_and_kept(kept):
    (fresh,) = ledger_records(registry(), id="BL-SENS-OBJ.b", rerun=True, out=kept)
    assert fresh["verdict"] != "unsupported"
    assert fresh["method"] == "sensitivity"
    assert [path.name for path in kept.iterdir()] == ["BL-SENS-OBJ.b.json"]
    assert ledger_records(registry(), id="BL-SENS-OBJ.b") == [fresh]


def test_the_same_bits_come_back(kept):
    first, second = (ledger_records(registry(), id="BL-SENS-OBJ.b", rerun=True)[0] for _ in range(2))
    same = ("bound", "excess", "witness", "verdict")
    assert [first[name] for name in same] == [second[name] for name in same]


def test_a_record_of_another_claim_is_stale_and_not_shown(kept):
    (fresh,) = ledger_records(registry(), id="BL-SENS-OBJ.b", rerun=True)
    (kept / "BL-SENS-OBJ.b.json").write_text(json.dumps({**fresh, "guarantee": "PureDP(epsilon=9)"}))
    (shown,) = ledger_records(registry(), id="BL-SENS-OBJ.b")
    assert shown["verdict"] == "unsupported"
    assert "stale (another guarantee)" in shown["reason"]


def test_a_record_of_another_search_space_is_stale(kept):
    """Sizes and parameter boxes are what a claim is for, not only where it was looked at."""
    (fresh,) = ledger_records(registry(), id="BL-SENS-OBJ.b", rerun=True)
    assert fresh["space"] == {"size": 30, "generator": "add-remove/losses"}
    (kept / "BL-SENS-OBJ.b.json").write_text(json.dumps({**fresh, "space": {"size": 31}}))
    (shown,) = ledger_records(registry(), id="BL-SENS-OBJ.b")
    assert "stale (another space)" in shown["reason"]


def test_a_broken_record_is_named(kept):
    (kept / "BL-SENS-OBJ.b.json").write_text('{"id": "BL-SENS-')
    with pytest.raises(AuditError, match=r"BL-SENS-OBJ\.b\.json is not a record"):
        ledger_records(registry(), id="BL-SENS-OBJ.b")


def test_the_committed_records_are_of_the_claims_as_they_are():
    """A claim that was changed without deciding it again shows here; those that were never decided do not."""
    records = ledger_records(registry())
    assert [item["id"] for item in records if "stale" in item["reason"]] == []
    assert sum(item["method"] is not None for item in records) >= 50


def test_rows_by_paper_and_id():
    assert {item["source"].split()[0] for item in ledger_records(registry(), paper="RSGD")} == {"RSGD"}
    assert {item["id"] for item in ledger_records(registry(), id="BL-SENS-OBJ")} >= {"BL-SENS-OBJ.a", "BL-SENS-OBJ.b"}
    with pytest.raises(InputError, match="NOPE"):
        ledger_records(registry(), id="NOPE")
    with pytest.raises(InputError, match="--paper"):
        ledger_records(registry(), paper="NOPE")


def test_a_repaired_claim_stands_behind_its_original():
    ids = [item["id"] for item in ledger_records(registry())]
    assert ids.index("BL-SVT-LAP-PURE.c") < ids.index("BL-SVT-LAP-PURE-R") < ids.index("BL-SVT-LAP-TIGHT")
