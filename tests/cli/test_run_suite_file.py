"""`dpverify run` of a suite file, as users type it: one run of good and bad mechanisms, and what is refused before."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
from xml.etree import ElementTree

import pytest

from tests import forked

MODULE = """
import os, time

def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)

def scaled(data, size, rng, scale):
    return sum(data) + rng.laplace(scale=scale, size=size)

class Sum:
    def __init__(self, scale):
        self.scale = scale

    def sample(self, dataset, size, *, rng):
        return sum(dataset) + rng.laplace(scale=self.scale, size=size)

def half(data, size, rng):
    return sum(data) + rng.laplace(scale=0.5, size=size)

def ignores(data, size, rng):
    return rng.laplace(size=size)

def dies(data, rng):
    os._exit(0)

def floods(data, rng):
    for _ in range(200):
        print("0.73105772" * 1000)
    raise ValueError(f"cannot sum {data}")

def hangs(data, rng):
    time.sleep(1e6)
"""

ACCEPT = 'accept = {{ verdict = "refuted", reason = "an old fault", until = {} }}\n'


def entry(function, more="", *, name="", data="[0.25, 1.0, 0.73105772]"):
    """One audit of a function of the module, at 20,000 draws a side."""
    named = f'name = "{name}"\n' if name else ""
    claim = 'claim = "PureDP(epsilon=1)"'
    return f'[[audit]]\n{named}mechanism = "suitemodule:{function}"\n{claim}\ndata = {data}\ntrials = 20_000\n{more}\n'


MANY = "".join(
    [
        entry("noisy_sum"),
        entry("half"),
        entry("half", ACCEPT.format("2999-01-01"), name="accepted"),
        entry("half", ACCEPT.format("2020-01-01"), name="expired"),
        entry("noisy_sum", ACCEPT.format("2999-01-01"), name="mended"),
        entry("scaled", "parameters = { scale = 0.4 }"),
        entry("ignores"),
        entry("dies"),
        entry("floods"),
        entry("hangs", "max-seconds-per-call = 0.5"),
        entry("half", 'expect = "broken"', name="caught"),
        entry("noisy_sum", 'expect = "broken"', name="missed"),
    ]
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A package's folder, with the run of all its audits."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "suitemodule.py").write_text(MODULE)
    (folder / "dpverify.toml").write_text(MANY)
    (folder / "inner").mkdir()
    return folder


def run(folder, *words):
    command = [sys.executable, "-m", "dpverify", "run", *map(str, words)]
    return forked.run(command, cwd=folder, env=os.environ | {"COLUMNS": "100"})


@pytest.fixture(scope="module")
def ran(project):
    return run(project, "--jobs", 2, "--out", "out", "--format", "html,json,junit,sarif,md")


@pytest.fixture(scope="module")
def records(project, ran):
    assert ran.returncode == 1, ran.stderr
    return {item["id"]: item for item in json.loads((project / "out" / "results.json").read_text())}


def test_each_audit_is_a_row_whatever_its_mechanism_does(records):
    assert {name: item["verdict"] for name, item in records.items()} == {
        "noisy_sum": "not_refuted",
        "half": "refuted",
        "accepted": "refuted",
        "expired": "refuted",
        "mended": "not_refuted",
        "scaled": "refuted",
        "ignores": "inconclusive",
        "dies": "error",
        "floods": "error",
        "hangs": "error",
        "caught": "refuted",
        "missed": "not_refuted",
    }
    assert "died" in records["dies"]["reason"]
    assert "ran longer than its limit" in records["hangs"]["reason"]


def test_what_is_accepted_is_no_surprise_until_its_day_is_over(records, ran):
    assert [name for name, item in records.items() if item["surprise"]] == ["half", "expired", "scaled", "missed"]
    assert records["accepted"]["reason"] == "accepted until 2999-01-01: an old fault"
    assert records["accepted"]["accepted"] == {"until": "2999-01-01", "reason": "an old fault"}
    assert [name for name, item in records.items() if "accepted" in item] == ["accepted"]
    assert "expired was accepted as refuted until 2020-01-01 (an old fault), and that day is over" in ran.stderr
    assert "mended is accepted as refuted, and is not any more: delete its `accept` (dpverify.toml:29)" in ran.stderr


def test_each_row_points_to_its_line(project, records):
    assert records["half"]["location"] == {"file": "dpverify.toml", "line": 7}
    for name, digest in records["half"]["files"].items():
        assert hashlib.sha256((project / name).read_bytes()).hexdigest() == digest
    assert records["half"]["files"]
    cases = ElementTree.parse(project / "out" / "junit.xml").iter("testcase")
    assert {each.get("name"): each.get("line") for each in cases}["half"] == "7"
    found = json.loads((project / "out" / "report.sarif").read_text())["runs"][0]["results"]
    places = {each["ruleId"]: each["locations"][0]["physicalLocation"] for each in found}
    assert places["half"]["artifactLocation"]["uri"] == "dpverify.toml"
    assert places["half"]["region"] == {"startLine": 7}
    assert set(places) == {"half", "expired", "scaled", "dies", "floods", "hangs", "missed"}


def test_what_was_expected_to_fall_stands_apart(project, records, ran):
    assert {name: records[name]["expectation"] for name in ("half", "caught", "missed")} == {
        "half": "stands",
        "caught": "broken",
        "missed": "broken",
    }
    assert records["missed"]["surprise"] == "known broken, and missed: not refuted"
    for name in ("report.html", "report.md", "junit.xml", "report.sarif", "summary.json"):
        text = (project / "out" / name).read_text().replace("\\", "")
        assert "are false (1 of them accepted until 2999-01-01)" in text, name
    assert "refuted (1 of them accepted until 2999-01-01)" in " ".join(ran.stdout.split())
    assert "2 claims known to be false were audited, too: 1 of them was refuted." in (
        project / "out" / "report.md"
    ).read_text().replace("\\", "")
    told = " ".join(ran.stdout.split())
    assert "refuted †" in told
    one = run(project, "--only", "caught", "--quiet", "--jobs", 1)
    assert one.returncode == 0, one.stderr


def test_no_record_of_the_user_is_in_any_output(project, records, ran):
    files = [path for path in (project / "out").rglob("*") if path.is_file()]
    outputs = [path.read_bytes().decode(errors="replace") for path in files]
    assert records["floods"]["reason"].startswith(
        "floods raised ValueError: (the message holds records of the example)"
    )
    assert not [text for text in [*outputs, ran.stdout, ran.stderr] if "0.73105772" in text]


@pytest.fixture
def here(project, call, monkeypatch):
    """Run the command line in the project, in this process; returns (status, out, err)."""
    monkeypatch.chdir(project)
    return call


def read_records(folder):
    return {item["id"]: item for item in json.loads((folder / "results.json").read_text())}


def test_the_same_numbers_for_another_number_of_workers(project, records, here):
    status, _, err = here("run", "--jobs", 1, "--out", "again", "--only", "[ni]*", "--quiet")
    assert status == 0, err
    assert "the mechanism ignores its data" in err
    again = read_records(project / "again")
    for name in ("noisy_sum", "ignores"):
        assert again[name]["evidence"][0]["statistics"] == records[name]["evidence"][0]["statistics"]


def test_a_row_s_own_command_makes_it_again_and_from_below_the_file_s_folder_too(project, records, here, monkeypatch):
    words = shlex.split(records["scaled"]["reproduce"])
    assert words[:5] == ["dpverify", "run", "dpverify.toml", "--only", "scaled"]
    monkeypatch.chdir(project / "inner")
    status, _, _ = here("run", *words[3:], "--jobs", 1, "--out", "out", "--quiet")
    (item,) = read_records(project / "inner" / "out").values()
    assert (status, item["bound"], item["witness"]) == (1, records["scaled"]["bound"], records["scaled"]["witness"])
    assert item["location"]["file"] == "../dpverify.toml"


@pytest.mark.parametrize("more", [(), ("--seconds", 2.0), ("--detect", 1.5)])
def test_an_audit_that_turned_seconds_into_draws_is_made_again_with_the_same_look_for_what_is_rare(project, here, more):
    timed = entry("noisy_sum", "bounds = [0, 1]").replace("trials = 20_000\n", "")
    (project / "timed.toml").write_text(timed)
    asked = ("--jobs", 1, "--quiet", "--out")
    here("run", project / "timed.toml", *more, *asked, project / "timed")
    (first,) = read_records(project / "timed").values()
    told = here("run", project / "timed.toml", *shlex.split(first["reproduce"])[3:], *asked, project / "timed-again")
    assert told[0] == 0, told
    (again,) = read_records(project / "timed-again").values()
    assert again["evidence"][0]["statistics"] == first["evidence"][0]["statistics"]


def test_its_records_are_rechecked(records, here):
    _, out, _ = here("recheck", "out", "--json")
    says = {item["id"]: item["says"] for item in json.loads(out)}
    assert "differs" not in says.values()
    assert says["noisy_sum"] == "agrees"


def test_strict_fails_what_could_have_seen_nothing(project, here):
    status, _, _ = here("run", "--only", "ignores", "--jobs", 1, "--out", "strict", "--quiet", "--strict")
    assert status == 3
    assert read_records(project / "strict")["ignores"]["expectation"] == "stands"


def test_a_run_that_was_stopped_goes_on(project):
    words = ["--only", "[em][xe]*ed", "--jobs", 1, "--out", "resumed", "--quiet"]  # expired, mended
    stopped = run(project, *words, "--max-seconds", 1e-3)
    assert stopped.returncode == 3
    assert "go on with: dpverify run" in stopped.stderr
    resumed = run(project, *words, "--resume")
    assert resumed.returncode == 1, resumed.stderr
    assert {item["verdict"] for item in read_records(project / "resumed").values()} == {"refuted", "not_refuted"}
    other = run(project, *words, "--resume", "--trials", 5)
    assert (other.returncode, len(other.stderr.strip().split("\n"))) == (2, 1)


@pytest.mark.parametrize(
    ("before", "words", "named"),
    [
        ('expect = "broken"', (), "expect"),
        (ACCEPT.format("2999-01-01"), (), "accept"),
        ("", ("--strict",), "strict"),
        ("detect = 3.0", (), "detect"),
        ("bounds = [0.0, 1.0]", (), "bounds"),
    ],
)
def test_a_row_that_was_judged_by_other_words_is_not_used_again(tmp_path, call, monkeypatch, before, words, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judgedmodule.py").write_text(MODULE)
    declared = [entry("half", more).replace("suitemodule", "judgedmodule") for more in (before, "")]
    asked = ["run", "--jobs", 1, "--out", "out", "--quiet", "--trials", 2000]
    (tmp_path / "dpverify.toml").write_text(declared[0])
    assert call(*asked)[0] == (0 if named in ("expect", "accept") else 1)
    (tmp_path / "dpverify.toml").write_text(declared[1])
    status, _, err = call(*asked, "--resume", *words)
    assert status == 2, err
    assert f"the settings of half have changed since run 1: {named} in out" in err
    (tmp_path / "dpverify.toml").write_text(declared[0])
    (tmp_path / "judgedmodule.py").write_text(f"# changed\n{MODULE}")
    status, _, err = call(*asked, "--resume")
    assert (status, "the code of half has changed since run 1 in out" in err) == (2, True), err


def test_a_run_is_resumed_from_any_folder_and_says_again_what_its_passes_could_not_see(tmp_path, call, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    unread = "def noisy_sum(data, size, rng):\n    return sum(filter(None, data)) + rng.laplace(size=size)\n"
    (tmp_path / "weakmodule.py").write_text(unread)
    (tmp_path / "dpverify.toml").write_text(
        '[[audit]]\nname = "weak"\nmechanism = "weakmodule:noisy_sum"\nclaim = "PureDP(epsilon=1)"\n'
        "data = [0.0, 1.0, 0.3]\nbounds = [0.0, 1.0]\ndetect = 1.1\n"
    )
    words = ["run", "--jobs", 1, "--out", tmp_path / "out", "--quiet", "--trials", 2000]
    monkeypatch.chdir(tmp_path)
    first = call(*words)
    weak = [line for line in first[2].splitlines() if "would have detected" in line]
    assert (first[0], len(weak)) == (0, 1), first
    for folder, named in ((".", []), (".", [tmp_path / "dpverify.toml"]), ("elsewhere", ["../dpverify.toml"])):
        monkeypatch.chdir(tmp_path / folder)
        status, _, err = call(*words, *named, "--resume")
        assert (status, err.splitlines()) == (0, weak)


def test_records_are_shown_to_who_asks_and_pairs_that_refute_are_saved(project, here):
    words = ["run", "--only", "floods", "--jobs", 1, "--quiet"]
    status, _, _ = here(*words, "--out", "shown", "--show-records")
    assert status == 3
    assert "cannot sum [" in read_records(project / "shown")["floods"]["reason"]
    words = [
        "run",
        "--only",
        "half",
        "--jobs",
        1,
        "--quiet",
        "--out",
        "saved",
        "--regressions",
        project / "kept",
    ]  # a worker of another test has its folder
    status, _, _ = here(*words, "--events", "events.jsonl")
    assert status == 1
    (kept,) = (project / "kept").iterdir()
    assert f"regression: the pair is saved in {kept}" in read_records(project / "saved")["half"]["notes"]
    events = [json.loads(line) for line in (project / "events.jsonl").read_text().splitlines()]
    assert [each["event"] for each in events if each["event"] != "progress"] == [
        "run_started",
        "claim_started",
        "claim_finished",
        "run_finished",
    ]
    status, _, _ = here(*words)
    assert f"regression: {kept.name}: refuted" in read_records(project / "saved")["half"]["notes"]
