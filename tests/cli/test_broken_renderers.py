"""Every renderer, broken on purpose: verdict, exit status and record are as they were."""

import json

import pytest

import dpverify.audits.again
import dpverify.audits.audit
import dpverify.audits.callable_audit
import dpverify.audits.judges
import dpverify.cli.run_messages
import dpverify.reporting.benchmark_table
import dpverify.reporting.conclusion
import dpverify.reporting.github_job
import dpverify.reporting.html_writer
import dpverify.reporting.terminal
import dpverify.samples.audit
from dpverify.core.plugins import registry

MODULE = """
def told(data, rng):
    return "0" * sum(data) + str(rng.integers(10))
"""

PAIR = (
    "audit",
    "padded_texts:told",
    "--claim",
    "PureDP(epsilon=1)",
    "--d0",
    "[1,1]",
    "--d1",
    "[1,0]",
    "--trials",
    2000,
)
EXAMPLE = ("audit", "padded_texts:told", "--claim", "PureDP(epsilon=1)", "--data", "[1,0,1]", "--trials", 2000)
SUITE = ("run", "core", "--only", "randomised-response", "--jobs", 1, "--trials", 2000, "--method", "event")
SUITE += ("--format", "html,json,md,junit,sarif")


def broken(*_, **__):
    raise IndexError("list index out of range")


def same(records):
    """Of records, what rests on counts."""
    counted = ("verdict", "bound", "excess", "confidence", "detectable", "trials", "seed")
    return [
        [
            [item[name] for name in counted],
            [{k: part["statistics"].get(k) for k in ("k1", "k2")} for part in item["evidence"]],
        ]
        for item in records
    ]


@pytest.fixture(scope="module")
def found():
    """What each command finds when nothing is broken."""
    return {}


@pytest.mark.parametrize(
    ("words", "module", "name"),
    [
        (PAIR, dpverify.audits.judges, "event_in_words"),
        (PAIR, dpverify.audits.judges, "evidence_in_words"),
        (PAIR, dpverify.audits.callable_audit, "notes_after_audit"),
        (PAIR, dpverify.audits.again, "reproduce_command"),
        (PAIR, dpverify.reporting.terminal, "one_result"),
        (PAIR, dpverify.reporting.terminal, "row_notes"),
        (EXAMPLE, dpverify.audits.judges, "redacted"),
        (EXAMPLE, dpverify.audits.callable_audit, "gate_notes"),
        (EXAMPLE, dpverify.audits.judges, "event_in_words"),
        (EXAMPLE, dpverify.reporting.terminal, "dataset_text"),
    ],
)
def test_an_audit_keeps_verdict_status_and_record(words, module, name, found, call, tmp_path, monkeypatch):
    (tmp_path / "padded_texts.py").write_text(MODULE)
    if words not in found:
        assert call(*words, "--json", "whole.json")[0] == 1
        found[words] = same(json.loads((tmp_path / "whole.json").read_text()))
    monkeypatch.setattr(module, name, broken)
    status, out, err = call(*words, "--json", "one.json")
    assert status == 1 and "refuted" in out.splitlines()[0], err
    items = json.loads((tmp_path / "one.json").read_text())
    assert same(items) == found[words]
    said = " ".join((out + err).split())
    assert "could not be made (IndexError in " in said


def test_a_witness_that_cannot_be_redacted_is_not_shown(call, tmp_path, monkeypatch):
    (tmp_path / "padded_texts.py").write_text(MODULE)
    monkeypatch.setattr(dpverify.audits.judges, "redacted", broken)
    call(*EXAMPLE, "--json", "one.json")
    (item,) = json.loads((tmp_path / "one.json").read_text())
    assert set(item["witness"]) == {"event"} and "not shown" in item["witness"]["event"]


@pytest.mark.parametrize("name", ["html", "md", "junit", "sarif", "json"])
def test_a_writer_that_fails_takes_no_other_report(name, call, tmp_path, monkeypatch):
    writer = registry().writers.get(name)
    monkeypatch.setattr(type(writer), "write", broken)
    status, out, err = call(*SUITE, "--json", "one.json", "--out", "out")
    assert status == 0 and "not refuted" in out, err
    assert len(json.loads((tmp_path / "one.json").read_text())) >= 1
    assert err.splitlines()[-1].startswith(f"dpverify: warning: the report {name} could not be made (IndexError in ")
    files = {
        "html": "report.html",
        "md": "report.md",
        "junit": "junit.xml",
        "sarif": "report.sarif",
        "json": "results.json",
    }
    there = {each.name for each in (tmp_path / "out").iterdir()}
    assert there >= {file for key, file in files.items() if key != name} and files[name] not in there


@pytest.mark.parametrize(
    ("module", "name", "what"),
    [
        (dpverify.reporting.terminal, "closing_table", "the closing table"),
        (dpverify.reporting.benchmark_table, "benchmark_table", "the table of published bounds"),
        (dpverify.reporting.github_job, "show_in_job", "the annotations of the job"),
        (dpverify.reporting.html_writer, "_drawing", ""),
        (dpverify.reporting.html_writer, "row_charts", ""),
    ],
)
def test_a_run_keeps_its_verdicts(module, name, what, call, tmp_path, monkeypatch):
    monkeypatch.setattr(module, name, broken)
    status, out, err = call(*SUITE, "--json", "one.json", "--out", "out")
    assert status == 0, err
    assert "randomised-response" in out and "refuted" in out
    assert len(json.loads((tmp_path / "one.json").read_text())) >= 1 and (tmp_path / "out/report.html").is_file()
    assert f"warning: {what} could not be made" in err if what else "warning" not in err
    if name == "_drawing":
        assert "the picture could not be made (IndexError" in (tmp_path / "out/report.html").read_text()
