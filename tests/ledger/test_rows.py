"""The ledger: every sentence of the papers, decided by records that evidence made, and by nothing else."""

import json
from functools import cache

import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.ledger import committed_records
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records, paper_names

pytestmark = pytest.mark.usefixtures("few_planned", "short_search")

PAPERS = ["BLSGD", "ADADP", "ADPSGD", "RSGD", "DISS"]
ROW = "BL-SENS-OBJ.b"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder in the place of the committed records."""
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    return tmp_path


def decided(**how):
    (found,) = ledger_records(registry(), Wanted(id=ROW), rerun=Rerun(**how))
    return found


@cache
def decided_once():
    return decided()


def shown():
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    return found


def test_rows_are_of_the_papers_and_name_no_verdict():
    rows = registry().rows.in_order()
    assert len(rows) >= 84
    assert {row.paper for row in rows} == set(PAPERS)
    words = {"refuted", "certified", "not_refuted", "false", "expectation"}
    assert not any(words & set(row.says.lower().split()) for row in rows)


def test_every_claim_belongs_to_one_row():
    named = [name for row in registry().rows.in_order() for name in row.claims]
    assert sorted(named) == list(registry().claims)


def test_papers_stand_in_their_order_and_unknown_ones_last():
    assert paper_names(registry()) == PAPERS
    known = Registry()
    known.add_claim(registry().claims.get("RS-RHO"))
    assert paper_names(known) == [registry().claims.get("RS-RHO").source.paper]
    assert [row.claims for row in known.rows.in_order()] == [("RS-RHO",)]  # a claim made in code is never invisible


@cache
def records():
    """All rows as they are committed: looking which of them are stale takes a second."""
    return ledger_records(registry())


def test_without_records_nothing_is_decided(kept):
    records = ledger_records(registry())
    assert {item["verdict"] for item in records} == {"unsupported"}
    said = {item["reason"] for item in records if not item["id"].startswith("U-")}
    assert said <= {"no claim in code yet", "not examined yet: examine it with --rerun"}
    measured = {item["reason"] for item in records if item["id"].startswith("U-")}
    assert all(reason.startswith("not measured yet: `dpverify reproduce ") for reason in measured)


def test_a_row_is_decided_by_running_it_and_kept(kept):
    fresh = decided(out=kept)
    assert fresh["verdict"] != "unsupported"
    assert fresh["method"] == "sensitivity"
    assert [path.name for path in kept.iterdir()] == [f"{ROW}.json"]
    assert "ledger" not in json.loads((kept / f"{ROW}.json").read_text())
    assert shown() == fresh
    place = {name: value for name, value in fresh["ledger"].items() if name != "objection"}
    assert place == {"paper": "BLSGD", "row": "BL-SENS-OBJ", "stale": "", "replayed": ""}
    assert (fresh["ledger"]["objection"] is not None) is (fresh["verdict"] == "refuted")
    assert fresh["reproduce"] == f"dpverify ledger --id {ROW} --rerun"


def test_the_same_bits_come_back(kept):
    first, second = decided_once(), decided()
    passing = ("seconds", "evidence")
    assert {name: value for name, value in first.items() if name not in passing} == {
        name: value for name, value in second.items() if name not in passing
    }
    assert [part | {"seconds": 0} for part in first["evidence"]] == [
        part | {"seconds": 0} for part in second["evidence"]
    ]


def test_a_record_of_another_claim_is_stale_and_not_shown(kept):
    fresh = decided_once()
    (kept / f"{ROW}.json").write_text(json.dumps({**fresh, "guarantee": "PureDP(epsilon=9)"}))
    assert shown()["verdict"] == "unsupported"
    assert "made with another guarantee" in shown()["reason"]


def test_a_record_of_another_search_space_is_stale(kept):
    """Sizes and parameter boxes are what a claim is for, not only where it was looked at."""
    fresh = decided_once()
    assert fresh["space"] == {"size": 30, "generator": "add-remove/losses"}
    (kept / f"{ROW}.json").write_text(json.dumps({**fresh, "space": {"size": 31}}))
    assert "made with another space" in shown()["reason"]


def test_a_broken_record_is_named(kept):
    (kept / f"{ROW}.json").write_text('{"id": "BL-SENS-')
    with pytest.raises(AuditError, match=r"BL-SENS-OBJ\.b\.json is not a record"):
        shown()


def test_the_committed_records_are_of_the_claims_as_they_are():
    """A claim that was changed without deciding it again shows here; those that were never decided do not."""
    assert [item["id"] for item in records() if "stale" in item["reason"]] == []
    assert sum(item["method"] is not None for item in records()) >= 50


def test_rows_by_paper_id_verdict_and_relation():
    def ids(**wanted):
        return [item["id"] for item in ledger_records(registry(), Wanted(**wanted))]

    everything = ids(paper="DISS")
    assert {item["ledger"]["paper"] for item in ledger_records(registry(), Wanted(paper="RSGD"))} == {"RSGD"}
    assert set(ids(id="BL-SENS-OBJ")) >= {"BL-SENS-OBJ.a", "BL-SENS-OBJ.b"}
    verdicts = ("refuted", "not_refuted", "certified", "unsupported", "inconclusive", "error")
    by_verdict = [ids(paper="DISS", verdict=verdict) for verdict in verdicts]
    assert sum(len(found) > 0 for found in by_verdict) >= 3
    assert sorted(name for found in by_verdict for name in found) == sorted(everything)
    assert "BL-SVT-GAUSS-RDP.c" in ids(relation="all-queries", paper="BLSGD")
    assert "BL-SENS-OBJ.a" not in ids(relation="all-queries")
    for wanted, named in (
        ({"id": "NOPE"}, "NOPE"),
        ({"paper": "NOPE"}, "--paper"),
        ({"verdict": "true"}, "--verdict"),
        ({"relation": "sideways"}, "--relation"),
        ({"id": "BL-SENS-OBJ", "paper": "RSGD"}, "of RSGD"),
    ):
        with pytest.raises(InputError, match=named):
            ids(**wanted)


def test_a_claim_with_readings_is_asked_for_by_its_own_name():
    found = [item["id"] for item in ledger_records(registry(), Wanted(id="BL-SVT-GAUSS-RDP-R"))]
    assert found == [f"BL-SVT-GAUSS-RDP-R.{key}" for key in "abc"]
    with pytest.raises(InputError, match="--id"):
        ledger_records(registry(), Wanted(id="BL-SVT-GAUSS-RDP-"))


def test_rows_stand_in_the_papers_order_and_repaired_claims_behind_their_originals():
    papers = [item["ledger"]["paper"] for item in records()]
    assert papers == sorted(papers, key=PAPERS.index)
    ids = [item["id"] for item in records()]
    assert ids.index("BL-SVT-LAP-PURE.c") < ids.index("BL-SVT-LAP-PURE-R") < ids.index("BL-SVT-LAP-TIGHT")
