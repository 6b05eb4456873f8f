"""A stale record is replayed in a small part, and decided again only where that part comes out otherwise."""

from __future__ import annotations

import json

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger import committed_records
from dpverify.ledger import partial_replays as parts_module
from dpverify.ledger import refresh as refresh_module
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records, ledger_rows
from dpverify.ledger.stale import code_of

pytestmark = pytest.mark.usefixtures("few_planned")

ROW = "BL-SENS-OBJ.b"
OLD = "0" * 12


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The committed record, fresh, in a folder of its own."""
    item = committed_records.read_record(ROW)
    claim = next(each for each in registry().claims.get(ROW.partition(".")[0]).single() if each.id == ROW)
    item["code"] |= code_of(registry(), claim, [part["auditor"] for part in item["evidence"]])
    item["code"].pop("replayed", None)
    path = tmp_path / f"{ROW}.json"
    path.write_text(json.dumps(item))
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    return path


def change(path, **code):
    item = json.loads(path.read_text())
    item["code"] = {name: value for name, value in {**item["code"], **code}.items() if value is not None}
    path.write_text(json.dumps(item))


def refreshed(path):
    rerun = Rerun(out=path.parent, profile="quick")
    return ledger_rows(registry(), Wanted(id=ROW), rerun=rerun, refreshing=True)


def code(path):
    return json.loads(path.read_text())["code"]


def test_a_fresh_record_is_left_alone(kept):
    before = kept.read_text()
    found = refreshed(kept)
    assert "1 rows were up to date, 0 replayed now" in found.refreshed
    assert kept.read_text() == before


def test_a_stale_record_whose_part_is_the_same_is_replayed_and_never_fresh(kept):
    change(kept, digest=OLD)
    (before,) = ledger_records(registry(), Wanted(id=ROW))
    assert before["ledger"]["stale"]
    found = refreshed(kept)
    assert "0 rows were up to date, 1 replayed now" in found.refreshed
    (item,) = found.records
    assert item["ledger"]["stale"] == ""
    assert item["ledger"]["replayed"] == code(kept)["part"]["compared"] != ""
    assert code(kept)["digest"] == OLD  # what decided it stays written
    assert item["evidence"] == before["evidence"]
    (again,) = ledger_records(registry(), Wanted(id=ROW))
    assert again["ledger"] == item["ledger"]
    assert refreshed(kept).refreshed.startswith("0 rows were up to date, 1 were replayed before, 0 replayed now")


def test_a_replay_holds_for_the_code_that_was_there_and_for_no_other(kept):
    change(kept, digest=OLD, replayed={"digest": "1" * 12, "compared": "something", "with": "numpy 0"})
    (item,) = ledger_records(registry(), Wanted(id=ROW))
    assert item["ledger"]["stale"] and not item["ledger"]["replayed"]


def test_a_record_whose_part_differs_is_decided_again(kept, short_search):
    decided_by = code(kept)["digest"]
    change(kept, digest=OLD, part={**code(kept)["part"], "digest": "f" * 16})
    found = refreshed(kept)
    assert "0 replayed now" in found.refreshed and "1 made again" in found.refreshed
    assert code(kept)["digest"] == decided_by
    assert "replayed" not in code(kept)


def test_a_record_without_a_part_is_decided_again_when_stale_and_gets_one_when_fresh(kept, request):
    part = code(kept)["part"]
    change(kept, part=None)
    assert "1 rows were up to date" in refreshed(kept).refreshed
    assert code(kept)["part"] == part
    change(kept, part=None, digest=OLD)
    request.getfixturevalue("short_search")
    assert "1 made again" in refreshed(kept).refreshed


def test_a_record_of_another_claim_is_decided_again(kept, short_search):
    item = json.loads(kept.read_text())
    kept.write_text(json.dumps({**item, "parameters": {"c": 17.0}}))
    assert "1 made again" in refreshed(kept).refreshed
    assert json.loads(kept.read_text())["parameters"] == item["parameters"]


def test_a_subject_that_has_another_name_now_is_the_same_subject(kept, monkeypatch):
    item = json.loads(kept.read_text())
    kept.write_text(json.dumps({**item, "subject": "an-older-name"}))
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    assert found["verdict"] == item["verdict"]
    assert found["subject"] == item["subject"]  # as it is called now
    change(kept, digest=OLD)
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    assert found["verdict"] == "unsupported"


def test_a_changed_subject_gives_another_part(kept, monkeypatch):
    """What a replay is for: the code that draws has changed."""
    known = registry()
    item = json.loads(kept.read_text())
    same = parts_module.parts(known, [item], jobs=1)[ROW]
    assert same == item["code"]["part"]
    subject = known.subject(item["subject"])
    real = subject.query

    def other(self, dataset):
        return real(self, dataset) * 1.0000000001

    monkeypatch.setattr(subject, "query", other)
    assert parts_module.parts(known, [item], jobs=1)[ROW]["digest"] != same["digest"]
    assert refresh_module.Refreshed(fresh=(), replayed=(), decided=()).text().startswith("0 rows")


def test_a_record_made_with_another_version_of_a_package_is_stale_and_may_be_replayed(kept):
    item = json.loads(kept.read_text())
    kept.write_text(json.dumps(item | {"environment": item["environment"] | {"numba": "0.1"}}))
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    assert "numba 0.1" in found["ledger"]["stale"]
    assert "1 replayed now" in refreshed(kept).refreshed
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    assert found["ledger"]["stale"] == "" != found["ledger"]["replayed"]
    change(kept, replayed={**code(kept)["replayed"], "with": "numba 0.2"})  # replayed with yet another version
    assert ledger_records(registry(), Wanted(id=ROW))[0]["ledger"]["stale"]
