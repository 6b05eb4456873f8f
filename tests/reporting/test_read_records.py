"""Records read back from files, folders and stores; what is none is one line, and changes nothing."""

import json
import sqlite3

import pytest

from dpverify.core.errors import InputError
from dpverify.ledger.committed_records import records_folder
from dpverify.reporting.read_records import read_records
from dpverify.runner.store.store import NAME, Store

ITEM = json.loads(min(records_folder().glob("*.json"), key=lambda path: path.stat().st_size).read_text())
OTHER = ITEM | {"id": "another"}


def refused(path, **given):
    with pytest.raises(InputError) as caught:
        read_records(path, **given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def stored(path, *runs):
    with Store(path, make=True) as store:
        for records in runs:
            number = store.begin("core", {}, {})
            for item in records:
                store.put_record(number, item)
    return path


def test_a_file_has_one_record_or_several(tmp_path):
    one, many = tmp_path / "one.json", tmp_path / "many.json"
    one.write_text(json.dumps(ITEM))
    many.write_text(json.dumps([ITEM, OTHER]))
    assert read_records(one) == [ITEM]
    assert read_records(many) == [ITEM, OTHER]
    assert read_records(tmp_path) == [ITEM, OTHER, ITEM]
    (tmp_path / "results.json").write_text(json.dumps([OTHER]))
    assert read_records(tmp_path) == [OTHER]


def test_a_store_gives_its_newest_run_with_records_or_the_one_asked_for(tmp_path):
    path = stored(tmp_path / NAME, [ITEM], [ITEM, OTHER], [])
    assert [item["id"] for item in read_records(tmp_path)] == sorted([ITEM["id"], "another"])
    assert read_records(path, run=1) == [ITEM]
    assert "1, 2, 3" in refused(path, run=4)
    assert "no finished claim" in refused(path, run=3)
    (tmp_path / "results.json").write_text(json.dumps([OTHER]))
    assert read_records(tmp_path) == [OTHER]
    assert read_records(tmp_path, run=1) == [ITEM]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is no record"),
        ("{", "is no record"),
        ("3", "not object"),
        ("[]", "no record in"),
        ("{}", "has no schema"),
        ("[" * 100_000, "is no record"),
        ('{"a": NaN}', "NaN is no JSON"),
        ('{"schema": 1, "schema": 1}', "twice"),
        (json.dumps(ITEM | {"schema": 2}), "records of version 2; allowed: version 1; update dpverify"),
        (json.dumps(ITEM | {"schema": 0}), "schema of the record is 0"),
        (json.dumps(ITEM | {"verdict": "safe"}), "verdict of the record is 'safe'"),
        (json.dumps(ITEM | {"more": 1}), "'more', which no record has"),
        (json.dumps(ITEM | {"id": "a\n\x1b[2J b"}), "id of the record"),
        (json.dumps([ITEM, {**ITEM, "evidence": [{}]}]), "has no auditor"),
    ],
)
def test_what_is_no_record_is_one_line(tmp_path, text, told):
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert told in refused(path)


def test_places_with_nothing_to_read(tmp_path):
    assert "nothing to read" in refused(tmp_path)
    assert "no file or folder" in refused(tmp_path / "gone")
    (tmp_path / "one.json").write_text(json.dumps(ITEM))
    assert "--run 1" in refused(tmp_path / "one.json", run=1)
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    assert "is no record" in refused(tmp_path / "binary.json")


@pytest.mark.parametrize("content", ["{", "3", '{"$dpverify": "float", "of": []}', "[" * 100_000])
def test_a_store_that_holds_something_else(tmp_path, content):
    path = stored(tmp_path / NAME, [ITEM])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET content = ?, checksum = NULL", (content,))
    connection.close()
    assert str(path) in refused(path)


def test_a_store_is_only_read(tmp_path):
    path = stored(tmp_path / NAME, [ITEM])
    before = path.read_bytes()
    read_records(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [NAME]


def test_a_librarys_folder_is_read_without_what_is_said_about_it(tmp_path):
    (tmp_path / "opendp.json").write_text(json.dumps([ITEM]))
    (tmp_path / "opendp.about.json").write_text(json.dumps({"library": "opendp"}))
    assert [item["id"] for item in read_records(tmp_path)] == [ITEM["id"]]
