"""`dpverify run --resume`: killed, interrupted and cut runs go on where they were, and end with the same numbers."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from dpverify.runner.store.store import Store
from tests import forked
from tests.soak.kills import ROOT, has_run, timeless

AUDIT = ("run", "standard", "--only", "laplace*", "--trials", "100000", "--quiet", "--jobs", "2")


def dpverify(*words, **how):
    return forked.run([sys.executable, "-m", "dpverify", *map(str, words)], cwd=ROOT, **how)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that nobody disturbed: its records, and its seconds."""
    dpverify("--version")  # the server of forks may be starting, which is none of the run's seconds
    out, begun = tmp_path_factory.mktemp("whole") / "out", time.monotonic()
    ran = dpverify(*AUDIT, "--out", out)
    assert ran.returncode == 0, ran.stderr
    return timeless(json.loads((out / "results.json").read_text())), time.monotonic() - begun


@pytest.mark.ci
def test_killed_at_random_moments_and_resumed_it_gives_the_same_numbers(whole, tmp_path, record_property):
    """Two kills; the seed is printed, since it decides when, and never what is found. `make soak` kills cold starts."""
    expected, seconds = whole
    seed = int.from_bytes(os.urandom(4))
    record_property("seed", seed)
    sys.stdout.write(f"seed of the moments: {seed}\n")
    choose, out, killed = random.Random(seed), tmp_path / "out", []
    for share in (choose.uniform(0.2, 0.9) for _ in range(2)):
        try:
            dpverify(*AUDIT, "--out", out, *resumed(out), timeout=share * seconds)
            break
        except subprocess.TimeoutExpired:  # it and its session are killed
            killed.append(share * seconds)
    last = dpverify(*AUDIT, "--out", out, *resumed(out))
    assert last.returncode == 0, f"seed {seed}, killed after {killed} s: {last.stderr}"
    assert timeless(json.loads((out / "results.json").read_text())) == expected, f"seed {seed}, killed after {killed} s"


def resumed(out):
    return ["--resume"] if has_run(out) else []


def test_what_the_limit_cut_is_inconclusive_and_can_be_resumed(whole, tmp_path):
    out = tmp_path / "out"
    cut = dpverify(*AUDIT, "--out", out, "--max-seconds", 0.5)
    assert cut.returncode == 3
    assert "--resume" in cut.stderr
    records = json.loads((out / "results.json").read_text())
    assert {item["id"] for item in records} == {item["id"] for item in whole[0]}  # a partial report, and a whole one
    assert all("--max-seconds" in item["reason"] for item in records if item["verdict"] == "inconclusive")
    with Store(out / "dpverify.sqlite") as store:
        assert store.runs()[0].state == "cut"
    resumed = dpverify(*AUDIT, "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert timeless(json.loads((out / "results.json").read_text())) == whole[0]
    with Store(out / "dpverify.sqlite") as store:
        assert [run.state for run in store.runs()] == ["done"]


def test_ctrl_c_leaves_a_partial_report_and_a_store_to_resume(whole, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-m", "dpverify", *AUDIT, "--out", str(out)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # whoever runs the tests may ignore it
    )
    while process.poll() is None and not has_run(out):
        time.sleep(0.02)
    time.sleep(0.5)  # the run is at work, and its workers are not through: starting takes them a second and more
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to everybody
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "--resume" in told
    assert "Traceback" not in told
    assert len(json.loads((out / "results.json").read_text())) == len(whole[0])
    assert dpverify(*AUDIT, "--out", out, "--resume").returncode == 0
    assert timeless(json.loads((out / "results.json").read_text())) == whole[0]


@pytest.mark.parametrize(("made", "told"), [(False, "no store at"), (True, "seed = 7")])
def test_nothing_to_resume_is_one_line(tmp_path, call, made, told):
    if made:
        Store(tmp_path / "dpverify.sqlite", make=True).close()
    status, _, err = call("run", "standard", "--only", "laplace", "--seed", "7", "--out", tmp_path, "--resume")
    assert status == 2
    assert err.count("\n") == 1
    assert told in err
