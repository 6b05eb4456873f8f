"""Bad mechanisms and time limits on the command line: one line and status 2, or a note beside a sound verdict."""

import json
import subprocess
import sys
from importlib.resources import files

import jsonschema
import pytest

from tests import forked
from tests.cli.conftest import unless_typed
from tests.unwatched import unwatched

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())
SUBJECTS = """
import itertools
import os
import signal
import time

def compiled(data, rng):
    sum(itertools.repeat(0))  # in C, for ever, and nothing is let in

def says_and_hangs(data, rng):
    os.write(2, b"here\\n")
    sum(itertools.repeat(0))

def ends_itself(data, rng):
    os._exit(7)

def deaf(data, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    while True:
        pass

def endless(data, rng):
    while True:
        pass

def slow(data, rng):
    time.sleep(0.002)
    return len(data) + rng.laplace()

def quick(data, rng):
    return len(data) + rng.laplace()

def constant(data, rng):
    return 1.5

def greedy(data, rng):
    data.clear()
    return rng.random()

def raises_on_one(data, rng):
    if len(data) == 1:
        raise ValueError("empty")
    return rng.random()
"""
AUDIT = ("--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1]", "--trials", "2000", "--confidence", 1 - 1e-9)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """``call(function, *options)``: audit it; returns (status, out, err)."""
    (tmp_path / "bad_subjects_for_cli.py").write_text(SUBJECTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("COLUMNS", "200")

    def run(function, *options):
        sys.modules.pop("bad_subjects_for_cli", None)
        words = [
            "dpverify",
            "audit",
            f"bad_subjects_for_cli:{function}",
            *map(str, unless_typed(AUDIT, options)),
            *map(str, options),
        ]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def one_line(text, *words):
    (line,) = text.strip().splitlines()
    return all(word in line for word in words)


def test_a_runaway_call_ends_with_one_line_that_names_the_limit(call):
    status, out, err = call("endless", "--max-seconds-per-call", 0.1)
    assert (status, out) == (2, "")
    assert one_line(err, "one call of endless", "limit of 0.1 s")


def test_a_whole_limit_is_inconclusive_with_status_three_and_without_a_bound(call, tmp_path):
    """The limit is long enough for the probe on a crowded machine; more than half an hour was asked for."""
    status, out, err = call("slow", "--max-seconds", 3, "--trials", 10**6, "--json", "kept.json")
    assert (status, err) == (3, "")
    assert out.startswith("inconclusive")
    assert "thrown away" in out
    (item,) = json.loads((tmp_path / "kept.json").read_text())
    jsonschema.validate(item, SCHEMA)
    assert (item["verdict"], item["bound"], item["evidence"]) == ("inconclusive", None, [])


def command(tmp_path, function, *options, before="pass"):
    """The same in a process of its own, as a shell starts it; `before` is run there first."""
    (tmp_path / "bad_subjects_for_cli.py").write_text(SUBJECTS)
    code = f"import sys; from dpverify import cli; sys.argv[0] = 'dpverify'; {before}; cli.main()"
    words = ["audit", f"bad_subjects_for_cli:{function}", *map(str, AUDIT), *map(str, options)]
    found = forked.run([sys.executable, "-c", code, *words], cwd=tmp_path)
    return found.returncode, found.stdout, found.stderr


def test_c_code_that_lets_nothing_in_is_killed_from_outside(tmp_path):
    before = "from dpverify.adapters import time_limit; time_limit.GRACE = 0.5"
    status, out, err = command(tmp_path, "compiled", "--max-seconds", 0.3, before=before)
    assert (status, out) == (3, "")
    assert one_line(err, "stopped 0.5 s after the limit of 0.3 s", "C code")


@pytest.mark.parametrize("function", ["compiled", "deaf"])
def test_a_call_that_nothing_inside_can_stop_is_ended_from_outside(tmp_path, function):
    before = "from dpverify.adapters import time_limit; time_limit.CALL_GRACE = 0.5"
    status, out, err = command(tmp_path, function, "--max-seconds-per-call", 0.3, before=before)
    assert (status, out) == (2, "")
    assert one_line(err, f"one call of {function} ran longer than its limit of 0.3 s")


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
def test_nobody_is_left_behind_when_the_watchdog_is_killed(tmp_path):
    """The pipe of the watched process's standard error closes when it is gone; it would spin for ever else."""
    (tmp_path / "bad_subjects_for_cli.py").write_text(SUBJECTS)
    code = "import sys; from dpverify import cli; sys.argv[0] = 'dpverify'; cli.main()"
    words = ["audit", "bad_subjects_for_cli:says_and_hangs", *map(str, AUDIT), "--max-seconds", "500"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as watchdog:
        assert watchdog.stderr.readline() == "here\n"
        watchdog.kill()
        assert watchdog.stderr.read() == ""


def test_a_process_that_dies_is_one_line(tmp_path):
    status, out, err = command(tmp_path, "ends_itself")
    assert (status, out) == (3, "")
    assert one_line(err, "died (exit status 7)")


def test_errors_of_the_watched_process_keep_their_line_and_status(call, tmp_path):
    free, held = call("raises_on_one"), command(tmp_path, "raises_on_one")
    assert free == held
    assert free[0] == 2


def test_the_same_result_watched_or_not(call, tmp_path):
    found = call("quick", "--json"), command(tmp_path, "quick", "--json", "--max-seconds", 300)
    free, held = (json.loads(out)[0] for _, out, _ in found)
    same = ("verdict", "bound", "estimate", "witness", "notes")
    assert [free[name] for name in same] == [held[name] for name in same]


def test_notes_stand_in_the_text_and_in_the_record(call):
    status, out, _ = call("constant", "--verbose")
    assert status == 3
    assert "a constant output does not" in out
    _, out, _ = call("greedy", "--json")
    (item,) = json.loads(out)
    jsonschema.validate(item, SCHEMA)
    assert any("changes the data set" in note for note in item["notes"])


def test_an_exception_on_one_side_is_one_line_or_an_output(call):
    status, out, err = call("raises_on_one")
    assert (status, out) == (2, "")
    assert one_line(err, "raised ValueError: empty", "tells the two apart")
    status, out, _ = call("raises_on_one", "--on-error", "output")
    assert status == 1
    assert "1 where it raised ValueError" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        *((("--max-seconds", value), f"max_seconds = {float(value)}") for value in (0, -1, "nan", "inf", 1e300)),
        (("--max-seconds-per-call", "nan"), "max_seconds_per_call = nan"),
        (("--on-error", "ignore"), "--on-error 'ignore'"),
    ],
)
def test_bad_limits_are_one_line_before_anything_is_imported(call, options, words):
    status, out, err = call("constant", *options)
    assert (status, out) == (2, "")
    assert one_line(err, words)
    assert "bad_subjects_for_cli" not in sys.modules
