"""Remarks in records: computed when a row is decided, beside a verdict, and only while they hold."""

import dataclasses

import pytest

from dpverify.core.ledger_words import Remark, Shown
from dpverify.core.plugins import registry
from dpverify.core.section import Section
from dpverify.ledger import committed_records
from dpverify.ledger.decide import Rerun, remark_record
from dpverify.ledger.rows import Wanted, ledger_records

ROW = "BL-SENS-OBJ.b"


def shown(holds=True):
    return Shown(numbers=(("as printed", 1.0), ("in truth", float("inf"))), holds=holds)


def fails():
    raise ValueError("no\nnumber")


@pytest.fixture
def known(monkeypatch):
    found = registry()
    section = Section("remarks")
    monkeypatch.setattr(found, "remarks", section)
    return found


def remark(what=shown):
    return Remark(claim=ROW, breaks="b", means="m", instead="i", shown=what)


def test_it_has_its_words_and_its_numbers(known):
    known.remarks.add(ROW, remark())
    assert remark_record(known, ROW, "refuted") == {
        "breaks": "b",
        "means": "m",
        "instead": "i",
        "numbers": [{"label": "as printed", "value": 1.0}, {"label": "in truth", "value": "inf"}],
        "holds": True,
    }


@pytest.mark.parametrize("verdict", ["unsupported", "inconclusive", "error"])
def test_it_stands_beside_a_verdict_only(known, verdict):
    known.remarks.add(ROW, remark(fails))
    assert remark_record(known, ROW, verdict) is None


def test_a_row_without_one_has_none(known):
    assert remark_record(known, ROW, "refuted") is None


def test_a_computation_that_fails_shows_nothing_and_says_so(known):
    known.remarks.add(ROW, remark(fails))
    found = remark_record(known, ROW, "refuted")
    assert (found["holds"], found["numbers"]) == (False, [])
    assert found["problem"] == "ValueError: no number"


def test_it_is_kept_with_its_row_and_shown_in_todays_words(known, tmp_path, monkeypatch, few_planned, short_search):
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    known.remarks.add(ROW, remark(lambda: shown(False)))
    (fresh,) = ledger_records(known, Wanted(id=ROW), rerun=Rerun(out=tmp_path))
    assert fresh["remark"]["holds"] is False
    section = Section("remarks")
    section.add(ROW, dataclasses.replace(known.remarks.get(ROW), means="m, polished"))
    monkeypatch.setattr(known, "remarks", section)
    (later,) = ledger_records(known, Wanted(id=ROW))
    assert later["remark"]["means"] == "m, polished"
    assert later["remark"]["numbers"] == fresh["remark"]["numbers"]
    assert later["remark"]["holds"] is False


def test_every_remark_is_beside_a_claim_and_computes_the_same_twice():
    """Deterministic, and never an exception: what is registered is what `--rerun` will compute."""
    known = registry()
    ids = {single.id for _, claim in known.claims.items() for single in claim.single()}
    assert set(known.remarks) <= ids
    for name, each in known.remarks.items():
        assert each.claim == name


@pytest.mark.parametrize("name", sorted(registry().remarks))
def test_a_remarks_computation_shows_what_it_says(name):
    """One that does not would stand on the page as words that are not shown."""
    found = registry().remarks.get(name).shown()
    assert found.numbers
    assert found.holds
    assert registry().remarks.get(name).shown() == found
