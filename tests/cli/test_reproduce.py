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
    assert (tmp_path / "utility.html").is_file()
    assert (tmp_path / "utility" / "adpsgd-fig-1.html").is_file()


def test_unknown(tmp_path):
    found = run("no-such", "--out", str(tmp_path))
    assert "no experiment 'no-such'" in str(found.exception or found.output)
