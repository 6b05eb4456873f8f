"""A command leaves nothing behind on the machine: no shared locks of workers that are gone, and no word of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = Path("/dev/shm")


def locks_of_the_dead() -> set[str]:
    """Names of the locks whose process is gone."""
    found = set()
    for path in SHARED.glob("sem.loky-*"):
        (maker,) = re.findall(r"loky-(\d+)-", path.name)
        if not Path(f"/proc/{maker}").exists():
            found.add(path.name)
    return found


@pytest.mark.skipif(not SHARED.is_dir() or not Path("/proc/self").exists(), reason="no shared memory as files here")
def test_a_run_on_two_workers_gives_its_locks_back(tmp_path):
    before = locks_of_the_dead()
    words = ["run", "core", "--only", "*laplace*", "--jobs", "2", "--trials", "2000", "--quiet", "--out", "out"]
    ran = subprocess.run(
        [sys.executable, "-m", "dpverify", *words],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "leaked" not in ran.stderr
    assert ran.returncode in (0, 1, 3)
    assert (tmp_path / "out" / "results.json").is_file()
    assert locks_of_the_dead() <= before
