"""A command leaves nothing behind on the machine: no shared locks of workers that are gone, and no word of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpverify.runner.process_tree import with_descendants

SHARED = Path("/dev/shm")


def locks_of(makers: set[int]) -> list[str]:
    """Names of the locks that these processes made, and left."""
    return [path.name for path in SHARED.glob("sem.loky-*") if int(path.name.split("-")[1]) in makers]


@pytest.mark.skipif(not SHARED.is_dir() or not Path("/proc/self").exists(), reason="no shared memory as files here")
def test_a_run_on_two_workers_gives_its_locks_back(tmp_path):
    words = ["run", "standard", "--only", "laplace*", "--jobs", "2", "--trials", "2000", "--quiet", "--out", "out"]
    makers: set[int] = set()
    with (tmp_path / "err").open("w") as told:
        ran = subprocess.Popen([sys.executable, "-m", "dpverify", *words], cwd=tmp_path, env=os.environ, stderr=told)
        while ran.poll() is None:
            makers |= set(with_descendants(ran.pid))
            time.sleep(0.02)
    assert "leaked" not in (tmp_path / "err").read_text()
    assert ran.returncode in (0, 1, 3)
    assert (tmp_path / "out" / "results.json").is_file()
    assert len(makers) > 3  # workers were seen
    assert not locks_of(makers)
