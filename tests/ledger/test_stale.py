"""A record says which code decided it, and is marked, verdict and all, when that code has changed."""

import json

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger import committed_records, stale
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records

ROW = "BL-SENS-OBJ.b"


@pytest.fixture(scope="module")
def made(tmp_path_factory, few_planned):
    """The row's record, decided once."""
    folder = tmp_path_factory.mktemp("records")
    ledger_records(registry(), Wanted(id=ROW), rerun=Rerun(out=folder))
    return (folder / f"{ROW}.json").read_text()


@pytest.fixture
def kept(made, tmp_path, monkeypatch):
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    path = tmp_path / f"{ROW}.json"
    path.write_text(made)
    return path


def shown():
    (found,) = ledger_records(registry(), Wanted(id=ROW))
    return found


def change(path, **changes):
    found = json.loads(path.read_text())
    gone = {name for name, value in changes.items() if value is None}
    path.write_text(json.dumps({name: value for name, value in {**found, **changes}.items() if name not in gone}))


def test_a_record_of_this_code_is_not_stale(kept):
    found = shown()
    assert found["ledger"]["stale"] == ""
    assert set(found["code"]) == {"digest", "numpy", "scipy", "python-flint", "part"}


def test_a_record_of_other_code_keeps_its_verdict_and_is_marked(kept):
    before = shown()
    change(kept, code={**before["code"], "digest": "0" * 12})
    after = shown()
    assert after["ledger"]["stale"] == "the code that it was made by has changed"
    assert after | {"code": 0, "ledger": 0} == before | {"code": 0, "ledger": 0}


def test_a_record_that_does_not_say_is_marked_too(kept):
    change(kept, code=None)
    assert "does not say" in shown()["ledger"]["stale"]


def test_the_auditors_the_subject_and_the_neighbours_have_a_part_in_it():
    known = registry()
    claim = known.claims.get("BL-SENS-OBJ").single()[1]
    other = known.claims.get("AM-SENS-X").single()[0]
    assert stale.code_of(known, claim, ["sensitivity"]) == stale.code_of(known, claim, ["sensitivity"])
    found = {
        stale.code_of(known, one, auditors)["digest"]
        for one in (claim, other)
        for auditors in (["sensitivity"], ["exact"], ["exact", "sensitivity"])
    }
    assert len(found) == 6


def test_a_claim_in_other_words_is_shown_in_todays_and_is_not_stale(kept):
    before = shown()
    change(kept, statement="as it was worded once", source="BLSGD Thm 99")
    assert shown() == before
