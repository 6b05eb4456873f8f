"""A row that is not what was written is named, whoever reads it, and made again where the run goes on."""

from __future__ import annotations

import sqlite3

import pytest

from dpverify.core.errors import InputError
from dpverify.runner.history import history
from dpverify.runner.store.checksums import checksum, intact
from dpverify.runner.store.schema import APPLICATION, AS_SINCE, FIRST, SINCE, VERSION, DamagedError
from dpverify.runner.store.store import NAME, Store
from tests.runner.store.test_store import CODE, WORDS, evidence

RECORD = {"id": "a", "verdict": "not_refuted", "surprise": None, "seconds": 1.5, "bound": 0.5}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / NAME
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store.put_chunks(run, "a", "event", "certify", [(0, 17), (1, 18)])
        store.put_evidence(run, evidence())
        store.put_record(run, RECORD)
    return path


def change(path, statement):
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


CHANGES = {
    "chunks": "UPDATE chunks SET statistics = '19' WHERE place = 1",
    "evidence": "UPDATE evidence SET content = replace(content, '\"bound\":0.5', '\"bound\":0.6')",
    "records": "UPDATE records SET content = replace(content, '0.5', '0.6')",
}
READS = {
    "chunks": lambda store: store.chunks(1, "a", "event", "certify"),
    "evidence": lambda store: store.evidence(1, "a"),
    "records": lambda store: store.records(1),
}


@pytest.mark.parametrize("table", CHANGES)
def test_one_digit_changed_is_named_when_it_is_read_and_made_again_when_the_run_goes_on(path, table):
    change(path, CHANGES[table])
    with Store(path) as store:
        with pytest.raises(DamagedError, match=r"'a'.* in run 1 is not what was written") as caught:
            READS[table](store)
        assert "\n" not in str(caught.value) and caught.value.exit_status == 3
        (line,) = store.mend(1)
        assert "it is made again" in line
        assert READS[table](store) == ({0: 17} if table == "chunks" else {})
        assert store.mend(1) == []
        untouched = {name: READS[name](store) for name in READS if name != table}
    assert all(untouched.values())


def test_a_row_moved_to_another_place_is_noticed(path):
    change(path, "UPDATE chunks SET place = 7 WHERE place = 1")
    with Store(path) as store, pytest.raises(DamagedError):
        store.chunks(1, "a", "event", "certify")


def test_a_changed_run_is_not_gone_on_with(path):
    change(path, "UPDATE provenance SET value = 'abd' WHERE name = 'code'")
    with Store(path) as store, pytest.raises(InputError, match=r"run 1 .* is not what was written"):
        store.resumable(WORDS, CODE | {"code": "abd"})


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (CHANGES["records"], "the record of 'a' in run 1"),
        ("UPDATE told SET verdict = 'refuted'", "the summary of the record of 'a' in run 1"),
        ("UPDATE runs SET begun = begun + 1", "run 1 is not what"),
    ],
)
def test_history_names_it_and_shows_it_not(path, statement, named):
    change(path, statement)
    found = history(path)
    assert len(found.faults) == 1 and named in found.faults[0]
    assert not found.claims
    assert sum(run.refuted for run in found.runs) == 0


def test_a_sum_is_of_the_place_too():
    assert intact(checksum("chunks", 1, "a", 0, "17"), "chunks", 1, "a", 0, "17")
    assert intact(checksum("chunks", 1, "a", 0, "17"), "chunks", 1, "a", 1, "17") is False
    assert intact("", "chunks", b"\xff") is False
    assert intact(None, "chunks", 1) is None


@pytest.fixture
def old(path, tmp_path):
    """The same in a store of version 1, made by its own tables."""
    old = tmp_path / "old" / NAME
    old.parent.mkdir()
    connection = sqlite3.connect(old)
    connection.executescript(FIRST)
    connection.execute("ATTACH ? AS new", (str(path),))
    for table, columns in {
        "runs": "run, suite, words, begun, ended, state",
        "provenance": "run, name, value",
        "chunks": "run, claim, auditor, name, place, statistics",
        "evidence": "run, claim, auditor, content",
        "records": "run, claim, content",
    }.items():
        connection.execute(f"INSERT INTO main.{table} SELECT {columns} FROM new.{table}")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    return old


def test_a_store_from_before_checksums_is_read_as_it_is_and_told(old):
    before = old.read_bytes()
    found = history(old)
    assert (found.runs[0].claims, found.unchecked, found.faults) == (1, 2, ())
    assert found.claims["a"][0].record["bound"] == 0.5
    with Store(old, reading=True) as store:
        assert store.evidence(1, "a") == {"event": evidence()}
    assert old.read_bytes() == before


def test_a_store_from_before_checksums_goes_on_with_them(old):
    with Store(old) as store:
        assert store.chunks(1, "a", "event", "certify") == {0: 17, 1: 18}
        run = store.begin("core", WORDS, CODE)
        store.put_record(run, RECORD)
    found = history(old)
    assert [run.claims for run in found.runs] == [1, 1]
    assert found.unchecked == 2
    connection = sqlite3.connect(old)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == VERSION
    connection.close()
    with Store(old):
        pass


def test_both_ways_to_version_2_have_the_same_columns():
    def columns(connection, table):
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]

    new, seen = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    new.executescript(FIRST + SINCE)
    seen.executescript(FIRST + AS_SINCE)
    for table in ("runs", "chunks", "evidence", "records", "told"):
        cursor = seen.execute(f"SELECT * FROM {table}")
        assert [each[0] for each in cursor.description] == columns(new, table)
    new.close()
    seen.close()
