"""Who started whom, and ends of whole families."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpverify.runner.process_tree import children, kill_with_descendants, with_descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
ROOT = Path(__file__).parents[2]


def run(script):
    return subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_a_family_is_found_and_ended():
    with subprocess.Popen(["bash", "-c", "sleep 60 & sleep 60 & wait"]) as parent:
        while len(found := with_descendants(parent.pid)) < 3:
            time.sleep(0.01)
        assert set(children(parent.pid)) == set(found[1:])
        kill_with_descendants(parent.pid)
    assert with_descendants(parent.pid) == [parent.pid]


def test_those_who_were_left_behind_are_adopted_and_ended_but_those_that_are_kept():
    """In a process of its own, since it ends all that this one would have."""
    script = (
        "import os, subprocess, time\n"
        "from dpverify.runner.process_tree import adopt_orphans, children, kill_children\n"
        "adopt_orphans()\n"
        "kept = subprocess.Popen(['sleep', '60'])\n"
        "subprocess.run(['bash', '-c', 'setsid sleep 60 & setsid bash -c \"trap : TERM; sleep 60\" & exit'])\n"
        "before = len(children(os.getpid()))\n"
        "kill_children(frozenset([kept.pid]))\n"
        "print(before, children(os.getpid()) == [kept.pid])\n"
        "kept.kill()\n"
    )
    assert run(script).split() == ["3", "True"]


def test_who_comes_too_late_to_its_parent_ends_at_once():
    script = (
        "import os, subprocess, sys\n"
        "from dpverify.runner.process_tree import end_with_parent\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    end_with_parent(os.getppid() + 1)\n"
        "    os._exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert run(script).strip() == "-9"
