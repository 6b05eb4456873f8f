"""The head of a report: one conclusion, one false-alarm probability and the same facts in every format."""

import json
import re
from xml.etree import ElementTree

from dpverify.core.plugins import registry
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.facts import facts, summary
from dpverify.reporting.formatting import false_alarms
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
    assert "version" not in dict(facts([made()]))
    assert facts([]) == []


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
