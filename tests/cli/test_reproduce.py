"""`dpverify reproduce`: records, pages and lines; what it refuses."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from dpverify.cli.command_line import application
from dpverify.core.plugins import registry
from dpverify.ledger.utility_records import read_experiment
from tests.auditors.privacy.recheck_cases import look


def run(*words):
    return CliRunner().invoke(application(["reproduce"]), ["reproduce", *words])


def test_records_and_pages(tmp_path):
    found = run("adpsgd-fig-1", "--jobs", "1", "--quiet", "--out", str(tmp_path))
    assert found.exit_code == 0, found.output
    assert "U-AP-FIG-1        holds" in found.output
    record = json.loads((tmp_path / "records" / "U-AP-FIG-1.json").read_text())
    assert record["verdict"] == "not_refuted"
    assert record["code"]["digest"]
    assert look(record).faults == ()
    kept = read_experiment("adpsgd-fig-1", tmp_path / "records")
    assert kept["statements"] == [each.id for each in registry().experiments.get("adpsgd-fig-1").statements]
    (beside,) = json.loads((tmp_path / "means.json").read_text())
    count = len(beside["means"])
    assert count >= 10 and f"{count} of {count} means agree" in found.output
    assert beside["name"] == "adpsgd-fig-1" and all(each["agrees"] for each in beside["means"])
    assert (tmp_path / "utility.html").is_file()
    assert (tmp_path / "utility" / "adpsgd-fig-1.html").is_file()


def test_nothing_to_resume_is_said_in_its_own_words(tmp_path):
    empty = run("adpsgd-fig-1", "--resume", "--quiet", "--jobs", "1", "--out", str(tmp_path / "empty"))
    run("adpsgd-fig-1", "--quiet", "--jobs", "1", "--out", str(tmp_path))
    other = run("adpsgd-table-2", "--resume", "--quiet", "--jobs", "1", "--out", str(tmp_path))
    for found in (empty, other):
        said = str(found.exception)
        assert said.startswith("nothing to resume in ")
        assert "dpverify reproduce" in said
        assert "words" not in said


def test_missing_data_say_where_they_are_looked_for(tmp_path, monkeypatch):
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("DPVERIFY_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = run("rsgd-fig-3", "--quiet", "--jobs", "1", "--out", str(tmp_path / "out"))
    assert "data missing" in found.output
    assert "set DPVERIFY_DATA" in found.output
    page = (tmp_path / "out" / "utility" / "rsgd-fig-3.html").read_text()
    assert "redrawn" not in page
    assert "Means of" not in page
    assert "What could not be run" in page
    assert "kddcup99" in page.split("What could not be run")[1]
    assert page.split("What could not be run")[0].count("no data set is here") == 2  # once for each statement
    assert "for 2 of them they are not" in " ".join((tmp_path / "out" / "utility.html").read_text().split())


def test_unknown(tmp_path):
    found = run("no-such", "--out", str(tmp_path))
    assert "no experiment 'no-such'" in str(found.exception or found.output)
