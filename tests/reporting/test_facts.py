"""The head of a report: one conclusion, one false-alarm probability and the same facts in every format."""

import json
import re
import time
from xml.etree import ElementTree

from dpverify.core.plugins import registry
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.facts import RunFacts, facts, facts_of_runs, reports_of, run_until_now, summary
from dpverify.reporting.formatting import false_alarms
from dpverify.reporting.json_writer import JsonWriter, with_anchors
from tests.reporting.test_markdown_writer import with_confidence
from tests.reporting.test_writers import made

COMMIT = "0123456789abcdef0123456789abcdef01234567"
VERSION = {"package": "noisy 1.2.0", "commit": f"{COMMIT}, with changes"}
ABOUT = {"subject_version": VERSION, "seed": 7}
RECORDS = [with_confidence(0.99999) | ABOUT, with_confidence(0.99999) | ABOUT | {"id": "b", "verdict": "refuted"}]


def test_facts_say_subject_version_seed_and_machine():
    found = dict(facts(RECORDS))
    assert found["version"] == "noisy 1.2.0, commit 0123456789ab with changes"
    assert found["seed"] == "7"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["written"])
    assert found["work"] == f"{sum(item['seconds'] for item in RECORDS):.1f} s"
    assert dict(facts([made(library="opendp", version="0.16.0")]))["version"] == "opendp 0.16.0"
    assert dict(facts([made()]))["version"] == "not known"
    assert facts([]) == []


def test_a_version_is_said_of_its_own_subject_alone():
    found = dict(facts([made() | ABOUT | {"subject": "a"}, made(subject="b")]))
    assert found["version"] == "noisy 1.2.0, commit 0123456789ab with changes (a); not known (b)"


def test_a_report_that_is_made_later_says_when_the_audit_was(tmp_path):
    with reports_of(run_until_now(time.perf_counter() - 3.0)):
        JsonWriter().write(RECORDS, tmp_path, title="run")
    kept = facts_of_runs([tmp_path])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", kept.audited) and kept.took == "3.0 s"
    with reports_of(RunFacts(audited="2026-01-02 03:04 UTC", took="3.0 s")):
        found = dict(facts(RECORDS))
    assert (found["audited"], found["took"]) == ("2026-01-02 03:04 UTC", "3.0 s") and found["written"] > "2026-01-03"
    (tmp_path / "summary.json").unlink()
    by_file = facts_of_runs([tmp_path / "results.json"])
    assert by_file.of_files and by_file.audited.endswith("UTC (the files' dates)") and not by_file.took
    (tmp_path / "summary.json").write_text("[]")
    assert facts_of_runs([tmp_path]) == by_file


def test_rows_of_one_id_have_names_and_files_of_their_own(tmp_path):
    rows = [made(), made(), made(id="LAPLACE/EPSILON=1"), made(id="other")]
    names = [item["anchor"] for item in with_anchors(rows)]
    assert len({name.lower() for name in names}) == 4
    JsonWriter().write(rows, tmp_path, title="run")
    assert len([*(tmp_path / "records").iterdir()]) == 4


def test_more_than_three_subjects_are_counted():
    found = dict(facts([made(subject=name) for name in "abcde"]))
    assert found["subject"] == "a; b; c and 2 more"


def test_every_format_has_the_same_conclusion_and_false_alarm_probability(tmp_path):
    title = "a run"
    for name in ("json", "md", "html", "junit", "sarif"):
        registry().writers.get(name).write(RECORDS, tmp_path, title=title)
    said, rate = conclusion(RECORDS), false_alarms(RECORDS)
    assert "1 of 2 claims is false" in said
    assert "at most 2e-05" in rate
    head = json.loads((tmp_path / "summary.json").read_text())
    assert (head["conclusion"], head["false_alarms"], head["title"]) == (said, rate, title)
    assert head["verdicts"] == {"refuted": 1, "not_refuted": 1}
    run = json.loads((tmp_path / "report.sarif").read_text())["runs"][0]["properties"]
    assert (run["conclusion"], run["falseAlarms"]) == (said, rate)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot().findall("testsuite/properties/property")
    assert {each.get("name"): each.get("value") for each in suite} == {"conclusion": said, "false alarms": rate}
    for name in ("report.html", "report.md"):
        text = (tmp_path / name).read_text().replace("\\", "")
        assert said in text
        assert rate in text
        assert "noisy 1.2.0, commit 0123456789ab with changes" in text


def test_the_summary_of_nothing():
    found = summary([], title="none")
    assert (found["conclusion"], found["verdicts"], found["facts"]) == ("No claim was audited.", {}, {})
