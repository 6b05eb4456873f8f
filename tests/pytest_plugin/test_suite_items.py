"""A suite file as pytest collects it: in a project of its own, run by pytest in a process of its own."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest

from tests import forked

MODULE = """
import os

def noisy_sum(data, size, rng, scale=1.0):
    return sum(data) + rng.laplace(scale=scale, size=size)

def dies(data, rng):
    os._exit(0)

def raises(data, rng):
    raise ValueError(f"cannot sum {data}")
"""


def entry(name, more="", function="noisy_sum"):
    """One audit of a function of the module, at 20,000 draws a side."""
    return (
        f'[[audit]]\nname = "{name}"\nmechanism = "itemmodule:{function}"\nclaim = "PureDP(epsilon=1)"\n'
        f"data = [0.25, 1.0, 0.73105772]\ntrials = 20_000\n{more}\n"
    )


HALF = "parameters = { scale = 0.4 }\n"
ACCEPT = 'accept = {{ verdict = "refuted", reason = "an old fault", until = {} }}\n'

FILE = "seed = 3\n" + "".join(
    [
        entry("sound"),
        entry("broken", HALF),
        entry("accepted", HALF + ACCEPT.format("2999-01-01")),
        entry("expired", HALF + ACCEPT.format("2020-01-01")),
        entry("mended", ACCEPT.format("2999-01-01")),
        entry("dies", function="dies"),
        entry("raises", function="raises"),
        entry("missing", function="missing"),
        entry("caught", HALF + 'expect = "broken"'),
        entry("missed", 'expect = "broken"'),
    ]
)


OWN = """
from itemmodule import noisy_sum

def half(data, size, rng):
    return noisy_sum(data, size, rng, scale=0.4)

def test_own(dp_audit):
    dp_audit(half, claim="PureDP(epsilon=1)", data=[0.25, 1.0])
"""


def beginning(text):
    return text.splitlines()[:3]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "itemmodule.py").write_text(MODULE)
    (folder / "dpverify.toml").write_text(FILE)
    (folder / "pytest.ini").write_text("[pytest]\ndp_seed = 8\n")
    return folder


def session(folder, *words):
    command = [sys.executable, "-m", "pytest", "-q", *words]
    return forked.run(command, cwd=folder)


@pytest.fixture(scope="module")
def ran(project):
    """One session with a report."""
    return session(project, "dpverify.toml", "--dp-report", "report", "--junit-xml", "junit.xml").stdout


def test_two_workers_send_all_that_one_process_says(project, cases):
    """Of items of the file, of `dp_audit`, of an accepted refutation and of errors: in their texts and one report."""
    (project / "test_own.py").write_text(OWN)
    items = [f"dpverify.toml::{name}" for name in ("broken", "accepted", "missing")]
    words = ("-n", "2", "--dp-report", "two", "--junit-xml", "two.xml", "-o", "cache_dir=none")  # no stored verdicts
    told = session(project, *items, "test_own.py", *words).stdout
    found = read_cases(project / "two.xml")
    assert set(found) == {"broken", "accepted", "missing", "test_own"}
    for name in ("broken", "accepted", "missing"):
        assert beginning(found[name]) == beginning(cases[name])
    assert found["test_own"].startswith("failure: Failed: PureDP(epsilon=1) of half is refuted")
    assert "accepted  dpverify.toml::accepted: PureDP(epsilon=1) of noisy_sum" in told
    assert "FAILED  test_own.py::test_own: PureDP(epsilon=1) of half" in told
    names = {item["id"] for item in json.loads((project / "two" / "results.json").read_text())}
    assert names == {"dpverify.toml::broken", "dpverify.toml::accepted", "test_own.py::test_own"}


@pytest.fixture(scope="module")
def cases(project, ran):
    return read_cases(project / "junit.xml")


def read_cases(path):
    """What became of each item: passed, or the text of its failure."""
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        (told,) = [each for each in case if each.tag in ("failure", "skipped", "error")] or [None]
        found[case.get("name")] = "passed" if told is None else f"{told.tag}: {told.get('message')} {told.text}"
    return found


def test_each_audit_is_an_item_and_what_is_accepted_fails_as_expected(cases):
    assert {name: text.partition(":")[0] for name, text in cases.items()} == {
        "sound": "passed",
        "broken": "failure",
        "accepted": "skipped",
        "expired": "failure",
        "mended": "passed",
        "dies": "failure",
        "raises": "failure",
        "missing": "failure",
        "caught": "passed",
        "missed": "failure",
    }
    assert "accepted until 2999-01-01: an old fault" in cases["accepted"]
    assert "expired was accepted as refuted until 2020-01-01 (an old fault), and that day is over" in cases["expired"]


def test_a_failure_says_what_one_of_dp_audit_says_and_the_file_s_command(cases):
    for words in ("PureDP(epsilon=1) of noisy_sum is refuted", "d0: ", "d1: ", "event: ", "picture: "):
        assert words in cases["broken"]
    assert "again: dpverify run dpverify.toml --only broken --seed 3 --confidence" in cases["broken"]
    assert "died (exit status 0)" in cases["dies"]
    assert "'itemmodule' has no 'missing'" in cases["missing"]
    assert not [text for text in cases.values() if "Traceback" in text]


def test_no_record_of_the_user_is_in_any_output(project, cases, ran):
    assert "raises raised ValueError: (the message holds records of the example)" in cases["raises"]
    texts = [ran, *cases.values(), *(path.read_text() for path in (project / "report").rglob("*.*"))]
    assert not [text for text in texts if "0.73105772" in text]


def test_what_was_expected_to_fall_passes_only_where_it_does(project, cases, ran):
    assert "caught  dpverify.toml::caught: PureDP(epsilon=1) of noisy_sum" in ran
    assert "MISSED  dpverify.toml::missed: PureDP(epsilon=1) of noisy_sum" in ran
    assert "known broken, and missed: not refuted" in cases["missed"]
    records = {item["id"]: item for item in json.loads((project / "report" / "results.json").read_text())}
    assert records["dpverify.toml::caught"]["expectation"] == "broken"
    assert list(records["dpverify.toml::caught"]["files"]) == ["itemmodule.py"]
    again = session(project, "dpverify.toml::caught").stdout  # a stored refutation is no failure, either
    assert "1 passed" in again


def test_the_summary_and_the_report_are_those_of_dp_audit(project, ran):
    assert "accepted  dpverify.toml::accepted: PureDP(epsilon=1) of noisy_sum" in ran
    assert "mended is accepted as refuted, and is not any more: delete its `accept`" in ran
    assert "would have detected epsilon ≥ " in ran
    records = {item["id"]: item for item in json.loads((project / "report" / "results.json").read_text())}
    assert [name for name, item in records.items() if "accepted" in item] == ["dpverify.toml::accepted"]
    assert records["dpverify.toml::broken"]["location"] == {"file": "dpverify.toml", "line": 9}
    assert records["dpverify.toml::broken"]["seed"] == 3


def test_an_option_is_over_the_file_which_is_over_the_ini_file(project, ran):
    told = session(project, "dpverify.toml::broken", "--dp-seed", "9").stdout
    assert "--only broken --seed 9" in told


def collected(folder, *words):
    told = session(folder, "--collect-only", *words)
    return [line for line in told.stdout.splitlines() if "::" in line], told.stdout


def test_it_is_collected_where_it_is_named_or_where_the_ini_key_says_so(tmp_path):
    (tmp_path / "dpverify.toml").write_text(entry("one") + entry("two"))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_mine.py").write_text("def test_mine(): pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    mine, audits = ["tests/test_mine.py::test_mine"], ["dpverify.toml::one", "dpverify.toml::two"]
    assert collected(tmp_path)[0] == mine
    assert collected(tmp_path, "dpverify.toml::two", "tests")[0] == [*audits[1:], *mine]
    (tmp_path / "pytest.ini").write_text("[pytest]\ndp_suite_file = true\n")
    assert sorted(collected(tmp_path)[0]) == audits + mine
    assert collected(tmp_path, "tests")[0] == mine
    (tmp_path / "pytest.ini").write_text("[pytest]\ndp_suite_file = true\ntestpaths = tests\n")
    assert sorted(collected(tmp_path)[0]) == audits + mine


def test_the_table_of_a_pyproject_is_collected_and_faults_are_errors_of_the_collection(tmp_path):
    table = entry("one").replace("[[audit]]", "[[tool.dpverify.audit]]")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\ndp_suite_file = true\n" + table)
    assert collected(tmp_path)[0] == ["pyproject.toml::one"]
    (tmp_path / "dpverify.toml").write_text("sead = 1\n" + entry("one") + "clam = 2\n")
    found, told = collected(tmp_path)
    assert not found
    assert "dpverify: dpverify.toml:1: unknown key 'sead'" in told
    assert "dpverify: dpverify.toml:9: unknown key 'clam'" in told
    assert "Traceback" not in told
