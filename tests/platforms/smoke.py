"""Audits a sound mechanism and a broken one by the installed command, and rechecks both; it needs no other package.

python tests/platforms/smoke.py    # on the system that is to be tried
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SUBJECTS = """
def noisy_sum(data, size, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=1.0, size=size)


def half(data, size, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=0.5, size=size)
"""
PAIR = ("--claim", "PureDP(epsilon=1)", "--d0", "[1.0]", "--d1", "[]", "--trials", "20000")


def main() -> int:
    """Return 0 where both verdicts are right and both records hold."""
    with TemporaryDirectory() as folder:
        Path(folder, "subjects.py").write_text(SUBJECTS, encoding="utf-8")
        for name, expected in (("noisy_sum", 0), ("half", 1)):
            for words, status in (
                (("audit", f"subjects:{name}", *PAIR, "--json", f"{name}.json"), expected),
                (("recheck", f"{name}.json"), 0),
            ):
                command = [sys.executable, "-m", "dpverify", *words]
                environment = os.environ | {"PYTHONPATH": folder}
                found = subprocess.run(command, cwd=folder, env=environment, check=False).returncode
                if found != status:
                    sys.stderr.write(f"{' '.join(words)}: exit status {found}, and not {status}\n")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
