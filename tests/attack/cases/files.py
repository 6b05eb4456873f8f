"""Attacks by what is no plain file: pipes, devices, folders, links in a circle; for reading and for writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dpverify.runner.store.store import NAME
from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

MODULE = "def noisy(data, size, rng):\n    return sum(data) + rng.laplace(size=size)\n"
AUDIT = ("audit", "m:noisy", "--claim", "PureDP(epsilon=1)", "--trials", "1000", "--d1", "[1]")
CLAIM = ("--claim", "PureDP(epsilon=1)")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def refused(folder: Path, *, name: str, make: Callable[[Path], None], words: tuple[str, ...]) -> Outcome:
    """The command over what `make` makes: one line and status 2, within seconds, and the thing is still what it was."""
    (folder / "m.py").write_text(MODULE)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    before = stat.S_IFMT(path.lstat().st_mode)
    ran = dpverify(*words, folder=folder, seconds=20.0)
    held = ran.status == 2 and len(ran.err.splitlines()) == 1 and "internal error" not in ran.err and ran.clean
    same = os.path.lexists(path) and stat.S_IFMT(path.lstat().st_mode) == before
    return Outcome(happened=ran.told, held=held, lost="nothing" if same else f"{name} was replaced")


def full(folder: Path) -> Outcome:
    """/dev/full as --json."""
    ran = dpverify("account", "gaussian(sigma=1)", "--json", "/dev/full", folder=folder)
    device = stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    held = ran.status == 2 and "No space left" in ran.err and ran.clean
    return Outcome(happened=ran.told, held=held, lost="nothing" if device else "the device /dev/full")


def _attack(name: str, make: Callable[[Path], None], at: str, *words: str, quick: bool = True) -> Attack:
    run = partial(refused, name=at, make=make, words=words)
    return Attack(name=name, wanted="one line, exit status 2, nothing waits", run=run, quick=quick)


ATTACKS = [
    _attack("a pipe as --d0", _pipe, "p.json", *AUDIT, "--d0", "p.json"),
    _attack("a pipe as --d0, as an array", _pipe, "p.npy", *AUDIT, "--d0", "p.npy", quick=False),
    _attack("/dev/zero as --d0", _zero, "z.json", *AUDIT, "--d0", "z.json"),
    _attack("a link in a circle as --d0", _circle, "l.csv", *AUDIT, "--d0", "l.csv", quick=False),
    _attack("/dev/zero as a composition", _zero, "z.toml", "account", "z.toml"),
    _attack("a pipe as a composition", _pipe, "p.json", "account", "p.json", quick=False),
    _attack("a pipe as scores", _pipe, "p.npz", "scores", "p.npz", *CLAIM),
    _attack("/dev/zero as a record", _zero, "z.json", "recheck", "z.json"),
    _attack("a pipe as a store", _pipe, f"out/{NAME}", "history", "out"),
    _attack(
        "a folder as lock file",
        Path.mkdir,
        f"out/{NAME}.lock",
        *("run", "core", "--only", "laplace", "--out", "out"),
        quick=False,
    ),
    _attack("a file as --out", Path.touch, "out", "run", "core", "--only", "laplace", "--out", "out", quick=False),
    _attack("a folder as --json", Path.mkdir, "j", "account", "gaussian(sigma=1)", "--json", "j", quick=False),
    _attack(
        "a pipe that nobody reads as --json", _pipe, "j", "account", "gaussian(sigma=1)", "--json", "j", quick=False
    ),
    _attack("a folder as evidence file", Path.mkdir, "e", *AUDIT, "--d0", "[1,1]", "--sequential", "--evidence", "e"),
    Attack(
        name="/dev/full as --json", wanted="one line, exit status 2, and it is still a device", run=full, quick=True
    ),
]
