"""A container: a package and a home that cannot be written to, and a temporary directory for everybody.

As root these are run as another user, or, where that one cannot reach the interpreter, as a root without capabilities
(``setpriv``), for whom permissions hold as for everybody else.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attack.attack import Attack, Outcome

ROOT = Path(__file__).parents[3]
NOBODY = 65534
# Two numbers, of which events are found by compiled kernels; one number needs none.
MODULE = "def noisy(data, size, rng):\n    return sum(data) + rng.laplace(scale=2, size=(size, 2))\n"
AUDIT = ("audit", "m:noisy", "--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1]", "--trials", "20000")


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """Its folders; `user` runs commands there."""

    place: Path
    user: int
    prefix: tuple[str, ...] = ()

    @property
    def temporary(self) -> Path:
        """Everybody's."""
        return self.place / "tmp"

    @property
    def kernels(self) -> Path:
        """Where compiled kernels of `user` belong."""
        return self.temporary / f"dpverify-kernels-{self.user}"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`dpverify` with these words, as `user`."""
        drop = _as(self.user) if self.user != os.geteuid() else {}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.place / "home"),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(self.place / "package"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            [*self.prefix, sys.executable, "-m", "dpverify", *words],
            cwd=self.place / "work",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            **drop,
        )


def _as(user: int) -> dict[str, Any]:
    return {"user": user, "group": NOBODY, "extra_groups": []}


def _somebody() -> tuple[int, tuple[str, ...]]:
    """A user for whom permissions hold, and what commands begin with."""
    if os.geteuid() != 0:
        return os.geteuid(), ()
    with suppress(OSError):
        tried = [sys.executable, "-c", "import numba"]
        if subprocess.run(tried, cwd="/", capture_output=True, check=False, **_as(NOBODY)).returncode == 0:
            return NOBODY, ()
    return 0, ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


@contextmanager
def container() -> Iterator[Container]:
    """A copy of the sources that nobody may write to, and a home likewise."""
    place = Path(tempfile.mkdtemp(prefix="dpverify-container-"))
    user, prefix = _somebody()
    try:
        for name in ("dpverify", "auditors", "reference_impls"):
            shutil.copytree(ROOT / name, place / "package" / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("home", "tmp", "work"):
            (place / name).mkdir()
        (place / "work" / "m.py").write_text(MODULE)
        place.chmod(0o755)
        for each in (place / "package", place / "home"):
            for path in (each, *each.rglob("*")):
                path.chmod(0o555 if path.is_dir() else 0o444)
        (place / "tmp").chmod(0o1777)
        yield Container(place=place, user=user, prefix=prefix)
    finally:
        for path in (place, *place.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(place, ignore_errors=True)


def read_only(_folder: Path) -> Outcome:
    """Nothing but the temporary directory can be written to."""
    with container() as there:
        first, second = there.run(*AUDIT), there.run(*AUDIT)
        found = there.kernels.stat() if there.kernels.is_dir() else None
        private = found is not None and found.st_uid == there.user and stat.S_IMODE(found.st_mode) == 0o700
        kept = sum(1 for _ in there.kernels.rglob("*.nbi"))
    line = next((line for line in first.stderr.splitlines() if "kernels are kept" in line), "")
    return Outcome(
        happened=f"status {first.returncode}, then {second.returncode}; {kept} kernels kept: {line}",
        held=first.returncode == second.returncode == 0 and private and kept > 0 and bool(line),
    )


def taken(_folder: Path) -> Outcome:
    """Somebody was there first: the folder's name is his (root), or a link to a folder of his."""
    told = []
    for trap in ("folder", "link", "open folder"):
        with container() as there:
            theirs = there.temporary / "theirs"
            theirs.mkdir()
            theirs.chmod(0o777)
            if trap == "link":
                there.kernels.symlink_to(theirs)
            else:
                there.kernels.mkdir()
                there.kernels.chmod(0o777)
                if os.geteuid() == 0:
                    another = NOBODY if there.user == 0 else 0
                    os.chown(there.kernels, there.user if trap == "open folder" else another, NOBODY)
            ran = there.run("account", "gaussian(sigma=1)", "--quiet")
            written = [*theirs.rglob("*"), *there.kernels.rglob("*")]
            left = [each.name for each in there.temporary.glob(f"dpverify-kernels-{there.user}-*")]
            told.append((trap, ran.returncode, len(written), len(left), "until this process ends" in ran.stderr))
    return Outcome(
        happened="; ".join(f"{trap}: status {status}, {used} files there" for trap, status, used, _, _ in told),
        held=all((status, used, left, said) == (0, 0, 0, True) for _, status, used, left, said in told),
    )


ATTACKS = [
    Attack(
        name="package and home that cannot be written to, another user",
        wanted="one line, verdict as ever, kernels in a folder of this user's alone",
        run=read_only,
        quick=False,
    ),
    Attack(
        name="somebody made the folder for compiled kernels first",
        wanted="nothing is read from it or written to it",
        run=taken,
        quick=False,
    ),
]
