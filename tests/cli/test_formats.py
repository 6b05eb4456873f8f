"""`dpverify run --format`: every format at once, from the command line to the files."""

import json
from xml.etree import ElementTree

from dpverify.cli import command_line


def test_every_format_is_written_for_one_claim(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["run", "core", "--only", "laplace", "--trials", "10000", "--jobs", "1", "--backend", "threads", "--quiet"]
    status = command_line.application(words)(
        args=[*words, "--format", "html,json,junit,sarif,md", "--out", "out"], standalone_mode=False
    )
    assert status == 0
    (record,) = json.loads((tmp_path / "out" / "results.json").read_text())
    (case,) = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().iter("testcase")
    (run,) = json.loads((tmp_path / "out" / "report.sarif").read_text())["runs"]
    assert record["id"] == case.get("name") == run["tool"]["driver"]["rules"][0]["id"] == "laplace"
    assert run["results"] == []
    assert "| `laplace` | not refuted |" in (tmp_path / "out" / "report.md").read_text()
    assert "laplace" in (tmp_path / "out" / "report.html").read_text()
