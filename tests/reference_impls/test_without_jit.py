"""The twin tests once more with the kernels as plain Python: what is compiled is what is written.

The same as ``make test-nojit``. NumPy's scalars say where the random generator's words overflow, as they must.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.ci
def test_the_twin_tests_pass_without_compiling() -> None:
    files = sorted(str(path) for path in HERE.rglob("test_*_twin.py"))
    assert files
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-W", "ignore:overflow encountered:RuntimeWarning", *files]
    run = subprocess.run(
        command,
        cwd=HERE.parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", run.stdout).group(1)) >= 2 * len(files)
