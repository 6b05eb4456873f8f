"""The plug-in as a user meets it: a project of its own, run by pytest in a process of its own."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests import forked

PROJECT = '''
import os, signal, time
import numpy as np
import pytest

DATA = [0.0, 1.0, 0.3]

def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)

def half(data, size, rng):
    return sum(data) + rng.laplace(scale=0.5, size=size)

def ignores(data, size, rng):
    return rng.laplace(size=size)

def dies(data, rng):
    os._exit(0)

def killed(data, rng):
    os.kill(os.getpid(), signal.SIGKILL)

def raises(data, rng):
    raise ValueError("no")

def sound_as_a_coin(data):
    """Its own randomness: no seed gives it back."""
    return sum(data) + np.random.default_rng().laplace(scale=0.4)

def test_sound(dp_audit):
    assert dp_audit(noisy_sum, claim="PureDP(epsilon=1)", data=DATA).verdict == "not_refuted"

def test_broken(dp_audit):
    dp_audit(half, claim="PureDP(epsilon=1)", data=DATA)

def test_of_its_own(dp_audit):
    dp_audit(sound_as_a_coin, claim="PureDP(epsilon=1)", data=DATA)

def test_ignores(dp_audit):
    dp_audit(ignores, claim="PureDP(epsilon=1)", data=DATA)

@pytest.mark.parametrize("function", [dies, killed, raises])
def test_contained(dp_audit, function):
    dp_audit(function, claim="PureDP(epsilon=1)", data=DATA)

@pytest.mark.dp_claim("PureDP(epsilon=1)", data=DATA)
@pytest.mark.dp_claim("PureDP(epsilon=2)", data=DATA)
def test_marked(dp_audit):
    assert len(dp_audit(noisy_sum)) == 2

@pytest.mark.dp_claim("PureDP(epsilon=1)", data=DATA)
def test_never_audits(dp_audit):
    pass

def test_bad_claim(dp_audit):
    dp_audit(noisy_sum, claim="PureDP(epsilom=1)", data=DATA)

def test_bad_data(dp_audit):
    dp_audit(noisy_sum, claim="PureDP(epsilon=1)", data=[])

@pytest.mark.dp_claim("PureDP(epsilon=1)", date=DATA)
def test_unknown_setting(dp_audit):
    dp_audit(noisy_sum)


def test_without_a_claim(dp_audit):
    dp_audit(noisy_sum, data=DATA)

def test_of_nothing_private():
    pass
'''


def run(folder, *options):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--junit-xml", "junit.xml", *options]
    ran = forked.run(command, cwd=folder)
    cases = ElementTree.parse(folder / "junit.xml").iter("testcase")
    failed = {}
    for case in cases:
        failure = case.find("failure")
        failed[case.get("name")] = None if failure is None else f"{failure.get('message')}\n{failure.text}"
    return ran.stdout, failed


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_mine.py").write_text(PROJECT)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


@pytest.fixture(scope="module")
def ran(project):
    """The first run, with a report (over two workers: test_suite_items.py)."""
    return run(project, "--dp-report", "report")


def test_what_passes_and_what_fails(ran):
    _, failed = ran
    assert {name for name, text in failed.items() if text is None} == {
        "test_sound",
        "test_ignores",
        "test_marked",
        "test_of_nothing_private",
    }


def test_a_failure_says_claim_bound_pair_picture_and_how_to_make_it_again(ran, project):
    _, failed = ran
    text = failed["test_broken"]
    for words in ("PureDP(epsilon=1) of half is refuted", "claimed 1", "d0: ", "d1: ", "event: ", "picture: "):
        assert words in text
    assert "again: dpverify audit test_mine:half --claim 'PureDP(epsilon=1)' --d0 " in text
    page = text.partition("picture: ")[2].splitlines()[0]
    assert "refuted" in Path(page).read_text()


def test_every_row_of_the_report_has_a_command_that_a_shell_knows(ran, project):
    records = json.loads((project / "report" / "results.json").read_text())
    commands = {item["id"].rpartition("::")[2]: shlex.split(item["reproduce"]) for item in records}
    assert commands["test_sound"][:2] == ["pytest", "test_mine.py::test_sound"]
    assert commands["test_broken"][:2] == ["dpverify", "audit"]
    words = [sys.executable, "-m", *commands["test_sound"], "-q", "-p", "no:cacheprovider"]
    again = forked.run(words, cwd=project)
    assert "1 passed" in again.stdout
    head = json.loads((project / "report" / "summary.json").read_text())
    assert head["facts"]["audited"].endswith(" UTC")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_contained[dies]", "died (exit status 0)"),
        ("test_contained[killed]", "SIGKILL"),
        ("test_contained[raises]", "raised ValueError: no"),
        ("test_never_audits", "on a test that never audits"),
        ("test_bad_claim", "unknown parameter 'epsilom'"),
        ("test_bad_data", "data without a record"),
        ("test_without_a_claim", "dp_audit without a claim"),
        (
            "test_unknown_setting",
            "date=, which no audit has; allowed: the arguments of dpverify.audit; did you mean data?",
        ),
    ],
)
def test_each_trouble_is_one_failed_test_with_one_line(ran, test, said):
    _, failed = ran
    assert said in failed[test]
    assert "Traceback" not in failed[test]


def test_the_summary_says_what_passes_could_have_caught_and_the_sum_of_the_rates(ran):
    out, _ = ran
    assert "would have detected epsilon ≥ " in out
    assert "NOTHING SEEN" in out
    assert "ignores its data" in out
    assert "with probability at most" in out
    assert "A pass is no proof" in out


def test_the_report_holds_all_audits(ran, project):
    records = json.loads((project / "report" / "results.json").read_text())
    names = {record["id"].partition("::")[2] for record in records}
    assert names == {"test_sound", "test_broken", "test_of_its_own", "test_ignores", "test_marked"}
    assert (project / "report" / "report.html").exists()


def test_a_rerun_returns_the_stored_verdict_until_code_changes(ran, project):
    _, failed = run(project, "--lf", "-k", "own")
    assert "no change was seen of its code and data" in failed["test_of_its_own"]
    (project / "test_mine.py").write_text(PROJECT.replace("scale=0.4", "scale=1.0"))
    _, failed = run(project, "-k", "own")
    assert failed["test_of_its_own"] is None
    (project / "test_mine.py").write_text(PROJECT)


def test_strict_fails_a_pass_that_saw_nothing(project):
    _, failed = run(project, "-k", "ignores", "--dp-strict")
    assert "ignores its data" in failed["test_ignores"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dp-profile", "fast"), "--dp-profile = fast; allowed: quick or full"),
        (("--dp-seed", "-1"), "--dp-seed = -1"),
        (("--dp-false-alarm-rate", "0"), "--dp-false-alarm-rate = 0"),
        (("--dp-seconds", "x"), "--dp-seconds = x"),
        (("--dp-max-seconds", "x"), "--dp-seconds = x"),
        (("--dp-detect", "1"), "--dp-detect = 1"),
        (("-o", "dp_detect=none"), "dp_detect in"),
    ],
)
def test_a_bad_option_stops_the_session_with_one_line(tmp_path, options, said):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", *options]
    done = forked.run(command, cwd=tmp_path)
    assert done.returncode == 4
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_loading_the_plug_in_imports_nothing_heavy(tmp_path):
    code = (
        "import sys, pytest, dpverify.pytest_plugin.plugin\n"
        "print([name for name in ('numpy', 'numba', 'scipy', 'hypothesis') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_evidence_is_pooled_over_sessions_and_begins_anew_with_new_code(project):
    words = ("-k", "test_ignores", "--dp-evidence", "evidence")
    sessions = [run(project, *words)[0] for _ in range(2)]
    assert ["evidence of 1 sessions" in sessions[0], "evidence of 2 sessions" in sessions[1]] == [True, True]
    again, _ = run(project, *words, "--dp-seed", "1")
    assert "no evidence was added" in again
    (kept,) = (project / "evidence").iterdir()
    assert [each["seed"] for each in json.loads(kept.read_text())["sessions"]] == [0, 1]
    (project / "test_mine.py").write_text(PROJECT + "\n# another version\n")
    out, _ = run(project, *words)
    (project / "test_mine.py").write_text(PROJECT)
    assert "evidence of 1 sessions" in out
    assert len(list((project / "evidence").iterdir())) == 2


def test_pairs_that_refute_are_saved_and_tried_first(project):
    shutil.rmtree(project / ".pytest_cache", ignore_errors=True)  # a verdict that is kept saves no pair
    saved = project / ".dpverify" / "regressions"
    saved.mkdir(parents=True)
    for seed in ("0", "1"):
        _, failed = run(project, "-k", "test_broken", "--dp-seed", seed)
        assert "regression: the pair is saved in " in failed["test_broken"] or seed == "1"
    (kept,) = saved.iterdir()
    assert f"regression: {kept.name}: refuted" in failed["test_broken"]
    shutil.rmtree(saved.parent)


def test_a_flood_and_a_hang_are_contained(project):
    (project / "test_rude.py").write_text(
        "import os, time\n"
        "def floods(data, rng):\n"
        "    while True:\n"
        "        os.write(1, b'x' * 2**20)\n"
        "def hangs(data, rng):\n"
        "    time.sleep(10_000)\n"
        "def test_floods(dp_audit):\n"
        "    dp_audit(floods, claim='PureDP(epsilon=1)', data=[0.0, 1.0])\n"
        "def test_hangs(dp_audit):\n"
        "    dp_audit(hangs, claim='PureDP(epsilon=1)', data=[0.0, 1.0], max_seconds=3)\n"
    )
    _, failed = run(project, "test_rude.py")
    assert "File too large" in failed["test_floods"]
    assert "limit of 3 s" in failed["test_hangs"]


OUTSIDE = """
import numpy as np
import dpverify as dpv

def passes_nan(data, size, rng):
    return float(np.sum(np.clip(np.asarray(data, dtype=float), 0, 1))) + rng.laplace(size=size)

WORDS = {"claim": "PureDP(epsilon=1)", "data": [0.0, 1.0, 0.3], "trials": 40_000}

def test_fixture(dp_audit):
    dp_audit(passes_nan, **WORDS)

def test_assertion():
    dpv.assert_dp(passes_nan, **WORDS)

def test_stated(dp_audit):
    dp_audit(passes_nan, bounds=(0, 1), **WORDS)

def test_by_type(dp_audit):
    dp_audit(passes_nan, domain="type", **WORDS)
"""


def test_what_falls_outside_of_the_example_is_a_warning_and_fails_where_it_is_strict(tmp_path):
    (tmp_path / "test_outside.py").write_text(OUTSIDE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    line = (
        "PureDP(epsilon=1) of passes_nan is false where a record is NaN: drop or replace NaN, which clipping lets pass"
    )
    said, failed = run(tmp_path)
    assert {name for name, text in failed.items() if text} == {"test_by_type"}
    assert said.count(f"VacuousAuditWarning: {line}") == 2
    _, failed = run(tmp_path, "--dp-strict", "-k", "not by_type")
    assert {name for name, text in failed.items() if text} == {"test_fixture"}
    assert line in failed["test_fixture"]
