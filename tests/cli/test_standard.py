"""`dpverify run standard`: the suite's own defaults, what the caller says instead, and published bounds beside ours."""

from __future__ import annotations

import json
import sys

import pytest

from tests.unwatched import unwatched


@pytest.fixture
def ran(monkeypatch, capsys, tmp_path):
    """``ran(*words)``: status and output of ``dpverify run standard`` on one cheap row, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        given = ["run", "standard", "--only", "laplace", "--jobs", "1", "--trials", "20000"]
        monkeypatch.setattr(sys, "argv", ["dpverify", *given, *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def test_the_suite_says_method_and_confidence_and_the_record_what_is_published(ran):
    status, out, _ = ran("--format", "", "--json", "-")
    (item,) = json.loads(out)
    assert status == 0, "a bound above the truth, or not: one row in ten may have one"
    assert [one["auditor"] for one in item["evidence"]] == ["event"], "an exact law is known, and not asked"
    assert item["confidence"] == pytest.approx(0.9)
    assert item["published"] == {"truth": 0.1, "bound": 0.0998, "tool": "StatDP", "seconds": 46, "due": 0.0998}
    assert "--method event" in item["reproduce"]
    assert "--profile benchmark" in item["reproduce"]


def test_what_the_caller_says_wins(ran):
    _, out, _ = ran(
        "--format", "", "--json", "-", "--confidence", 0.99, "--method", "event,exact", "--profile", "quick"
    )
    (item,) = json.loads(out)
    assert {one["auditor"] for one in item["evidence"]} == {"event", "exact"}
    assert next(one for one in item["evidence"] if one["auditor"] == "event")["confidence"] == pytest.approx(0.99)


def test_reports_hold_ours_against_theirs(ran, tmp_path):
    _, out, _ = ran("--format", "md,html", "--out", tmp_path)
    told = " ".join(out.split())
    assert "StatDP" in told
    assert "0 of 1 bounds at or above what is due" in told, "20,000 draws are too few"
    assert "Confidence 0.9 is each row's" in told
    text = (tmp_path / "report.md").read_text()
    assert "## Against published bounds" in text
    assert "| `laplace` | 0.1 |" in text
    assert any(said in text for said in ("too few to bound", "it may be enough", "no event that tells more"))
    assert "Against published bounds" in (tmp_path / "report.html").read_text()
