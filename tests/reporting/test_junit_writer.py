"""JUnit: every claim a case, failures and errors where a build must fail, and the same bytes but for the time."""

import re
from xml.etree import ElementTree

from dpverify.reporting.junit_writer import JunitWriter
from tests.reporting.test_markdown_writer import with_confidence
from tests.reporting.test_writers import made

WRONG = made(id="wrong", verdict="refuted", surprise="a claim that was expected to stand is refuted", seconds=2.0)
MISSED = made(id="missed", expectation="broken", surprise="known broken, and missed (not_refuted)")
FAILED = made(id="failed", verdict="error", reason="event: ValueError: no", surprise="known broken, and missed (error)")
ALSO = made(id="also", verdict="refuted", surprise="a claim that was expected to stand is refuted")
DECIDED = made(id="decided", verdict="refuted", expectation=None)
OPEN = made(id="open", verdict="inconclusive", expectation="stands", reason="")
FREE = made(id="free", verdict="inconclusive", expectation=None)
NOBODY = made(
    id="nobody", verdict="unsupported", method=None, bound=None, confidence=None, reason="nobody can", expectation=None
)
ALL = [made(), WRONG, MISSED, ALSO, FAILED, DECIDED, OPEN, FREE, NOBODY]


def written(records, folder, title="run"):
    return JunitWriter().write(records, folder, title=title)


def test_each_outcome_has_its_tag(tmp_path):
    root = ElementTree.parse(written(ALL, tmp_path)).getroot()
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.get("name") == "run"
    tags = {case.get("name"): case[-1].tag for case in suite.iter("testcase")}
    assert tags == {
        "laplace/epsilon=1": "system-out",
        "wrong": "failure",
        "missed": "failure",
        "also": "failure",
        "failed": "error",
        "decided": "system-out",
        "open": "error",
        "free": "skipped",
        "nobody": "skipped",
    }


def test_the_suite_says_the_conclusion_and_the_false_alarm_probability(tmp_path):
    root = ElementTree.parse(written([with_confidence(0.99999)], tmp_path)).getroot()
    said = {each.get("name"): each.get("value") for each in root.findall("testsuite/properties/property")}
    assert said["conclusion"].startswith("No violation of the claim was found")
    assert said["false alarms"].startswith("False-alarm probability of these rows together: at most 1e-05")


def test_totals_are_the_counts_of_the_tags(tmp_path):
    root = ElementTree.parse(written(ALL, tmp_path)).getroot()
    for node in (root, root[0]):
        assert {name: node.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
            "tests": "9",
            "failures": "3",
            "errors": "2",
            "skipped": "2",
        }
        for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(node.get(total)) == len(list(node.iter(tag)))
        assert float(node.get("time")) == 8 * 1.23 + 2.0


def test_a_failure_says_what_is_wrong_and_how_to_see_it_again(tmp_path):
    root = ElementTree.parse(written([WRONG, FAILED, NOBODY], tmp_path)).getroot()
    wrong, failed, nobody = (case[-1] for case in root[0].iter("testcase"))
    assert wrong.get("message").startswith("a claim that was expected to stand is refuted: epsilon ≥ 0.98, claimed 1")
    assert wrong.get("type") == "refuted"
    assert wrong.text.endswith("\nagain     dpverify run core --only laplace")
    assert failed.get("message") == "error: event: ValueError: no"
    assert nobody.get("message") == "unsupported: nobody can"


def test_a_pass_says_what_it_could_not_have_seen(tmp_path):
    root = ElementTree.parse(written([made()], tmp_path)).getroot()
    assert "would have detected epsilon ≥ 1.02 with 80 % power" in root[0].find("testcase/system-out").text


def test_seed_time_and_confidence_are_properties(tmp_path):
    root = ElementTree.parse(written([made(seed=7), NOBODY], tmp_path)).getroot()
    said, bare = (
        {item.get("name"): item.get("value") for item in case.iter("property")} for case in root[0].iter("testcase")
    )
    assert (said["seed"], said["time"], said["confidence"]) == ("7", "1.230", "0.99999")
    assert (said["verdict"], said["bound"], said["claimed"], said["trials"]) == (
        "not_refuted",
        "0.98",
        "1.0",
        "1000000",
    )
    assert "confidence" not in bare


def test_two_runs_differ_in_time_alone(tmp_path):
    first = written(ALL, tmp_path / "1").read_text()
    second = written([item | {"seconds": item["seconds"] + 1.5} for item in ALL], tmp_path / "2").read_text()
    assert first != second
    without = [re.sub(r'time="[\d.]+"|name="time" value="[\d.]+"', "", text) for text in (first, second)]
    assert without[0] == without[1]


def test_no_claims_make_an_empty_suite(tmp_path):
    root = ElementTree.parse(written([], tmp_path)).getroot()
    assert root.get("tests") == root[0].get("tests") == "0"
