"""What units and their workers leave behind (copies, daemons, grandchildren, threads) ends with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from dpverify.runner import subprocess_guard
from dpverify.runner.pool import end_workers
from dpverify.runner.process_tree import with_descendants
from tests.runner.test_pool import outcomes

ROOT = Path(__file__).parents[2]


def comes_back_twice(folder, place):
    os.fork()
    with (folder / f"{place}.{os.getpid()}").open("x"):
        return place


def starts_another(folder, place):
    subprocess_guard.begin_audits()
    child = subprocess.Popen(["sleep", "600"])
    (folder / "child").write_text(str(child.pid))
    time.sleep(600)


def leaves_behind(folder, place):
    """A daemon, a grandchild that ignores what can be ignored, and a thread that sleeps."""
    if place == 0:
        daemon = subprocess.Popen(["sleep", "600"], start_new_session=True)
        if (child := os.fork()) == 0:
            os.setsid()
            if (grandchild := os.fork()) == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(600)
            (folder / "grandchild").write_text(str(grandchild))
            os._exit(0)
        os.waitpid(child, 0)
        (folder / "daemon").write_text(str(daemon.pid))
        threading.Thread(target=time.sleep, args=(600,)).start()
    return place


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not say who started whom")
def test_what_a_unit_leaves_behind_is_ended_with_it(tmp_path):
    assert outcomes(partial(leaves_behind, tmp_path), 2, jobs=1) == {0: (0, ""), 1: (1, "")}
    for name in ("daemon", "grandchild"):
        assert not Path(f"/proc/{(tmp_path / name).read_text()}/status").exists()
    begun = time.monotonic()
    end_workers()  # the thread keeps nobody
    assert time.monotonic() - begun < 300  # no speed: ten minutes were asked for


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
def test_a_parent_that_is_killed_while_workers_start_leaves_nobody():
    """Killed as soon as there are workers: long before any of them has a unit."""
    script = "from tests.runner.test_pool import never, outcomes; outcomes(never, 6, jobs=3)"
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT) as parent:
        while len(found := with_descendants(parent.pid)) < 4:
            time.sleep(0.01)
        parent.kill()
    until = time.monotonic() + 60.0
    while (alive := [pid for pid in found[1:] if _lives(pid)]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive


def _lives(pid):
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing to fork with")
def test_who_forks_and_comes_back_twice_has_one_outcome(tmp_path):
    assert outcomes(partial(comes_back_twice, tmp_path)) == {place: (place, "") for place in range(4)}
    workers = {int(mark.suffix[1:]) for mark in tmp_path.iterdir()}
    end_workers()
    for pid in workers:  # a copy is ended with the unit, or ends itself where it comes to its end
        assert not Path(f"/proc/{pid}/status").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not say who started whom")
def test_what_the_late_one_started_ends_with_it(tmp_path):
    found = outcomes(partial(starts_another, tmp_path), 1, seconds_per_claim=1.0)
    assert "ran longer than the 1 s" in found[0][1]
    child = int((tmp_path / "child").read_text())
    status = Path(f"/proc/{child}/status")
    assert not status.exists() or "zombie" in status.read_text()  # nobody may be there to bury it
