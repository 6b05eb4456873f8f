"""Attacks on what a run leaves: its store, changed, deleted or a stranger's."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

from dpverify.runner.store.store import NAME, Store
from tests.attack.attack import Attack, Outcome
from tests.attack.command import Ran, dpverify

RUN = ("run", "core", "--only", "laplace", "--trials", "1000", "--quiet", "--out", "out")


def _change(folder: Path, statement: str) -> int:
    with closing(sqlite3.connect(folder / "out" / NAME)) as connection, connection:
        return connection.execute(statement).rowcount


def _bounds(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "out" / NAME)) as connection:
        return [row[0] for row in connection.execute("SELECT content FROM evidence ORDER BY run, claim, auditor")]


def _small(folder: Path) -> None:
    """A store with one run and one record, made without running anything."""
    with Store(folder / "out" / NAME, make=True) as store:
        run = store.begin("core", {"seed": 0}, {"code": "x"})
        store.put_record(run, {"id": "laplace", "verdict": "not_refuted", "seconds": 1.0, "surprise": None})
        store.end(run, "done")


def digit(folder: Path) -> Outcome:
    """One digit of a stored bound."""
    first = dpverify(*RUN, folder=folder)
    before = _bounds(folder)
    changed = _change(folder, "UPDATE evidence SET content = replace(content, '\"bound\":0.0', '\"bound\":0.9')")
    again = dpverify(*RUN, "--resume", folder=folder)
    held = first.status == again.status == 0 and changed > 0 and "is not what was written" in again.err
    return Outcome(
        happened=again.told,
        held=held and again.clean,
        lost="nothing" if _bounds(folder) == before else "the numbers are others now",
    )


def shown(folder: Path) -> Outcome:
    """One word of what a history shows."""
    _small(folder)
    _change(folder, "UPDATE told SET verdict = 'refuted'")
    ran = dpverify("history", "out", folder=folder)
    return Outcome(happened=ran.told, held=ran.status == 3 and "'laplace' in run 1" in ran.err and ran.clean)


def trigger(folder: Path) -> Outcome:
    """A trigger that deletes records when something is written."""
    _small(folder)
    _change(folder, "CREATE TRIGGER act AFTER INSERT ON provenance BEGIN DELETE FROM records; END")
    ran = dpverify(*RUN, folder=folder)
    with closing(sqlite3.connect(folder / "out" / NAME)) as connection:
        left = connection.execute("SELECT count(*) FROM records").fetchone()[0]
    return Outcome(
        happened=ran.told,
        held=ran.status == 2 and "trigger 'act'" in ran.err and ran.clean,
        lost="nothing" if left == 1 else "the records",
    )


def deleted(folder: Path) -> Outcome:
    """``rm -r`` of the output folder while audits are at work."""
    out = folder / "out"
    seen = threading.Event()

    def remove() -> None:
        until = time.monotonic() + 60.0
        while time.monotonic() < until and not (out / NAME).exists():
            time.sleep(0.02)
        while time.monotonic() < until and not seen.is_set():
            with closing(sqlite3.connect(out / NAME)) as connection:
                if connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'told'").fetchone()[0]:
                    seen.set() if connection.execute("SELECT count(*) FROM told").fetchone()[0] else None
            time.sleep(0.02)
        shutil.rmtree(out, ignore_errors=True)

    remover = threading.Thread(target=remove)
    remover.start()
    words = ("run", "core", "--only", "*noise-0.9", "--profile", "full", "--jobs", "2", "--quiet", "--out", "out")
    ran = dpverify(*words, folder=folder, seconds=120.0)
    remover.join()
    kept = 0
    if (out / NAME).exists():
        with Store(out / NAME, reading=True) as store:
            kept = store.count(1)
    held = seen.is_set() and ran.status == 3 and "was deleted or replaced" in ran.err and ran.clean
    return Outcome(
        happened=f"{ran.told}; {kept} finished claims are in the store",
        held=held,
        lost="nothing" if kept else "what had been finished",
    )


def private(folder: Path) -> Outcome:
    """Results under a umask of 077."""
    ran = subprocess.run(
        ["sh", "-c", 'umask 077; exec "$0" -m dpverify "$@"', sys.executable, *RUN, "--json", "r.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    modes = {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    readable = [name for name, mode in modes.items() if mode & 0o077]
    return Outcome(
        happened=f"status {ran.returncode}: of {len(modes)} files {len(readable)} can be read by others",
        held=ran.returncode == 0 and len(modes) >= 4 and not readable,
    )


def old(folder: Path) -> Outcome:
    """A store from before checksums."""
    from dpverify.runner.store.schema import APPLICATION, FIRST

    (folder / "out").mkdir()
    with closing(sqlite3.connect(folder / "out" / NAME)) as connection:
        connection.executescript(f"{FIRST}PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1")
        connection.execute("INSERT INTO runs VALUES (1, 'core', '{}', 0, 1, 'done')")
        connection.commit()
    ran: Ran = dpverify("history", "out", folder=folder)
    return Outcome(happened=ran.told, held=ran.status == 0 and "have no checksum" in ran.err and ran.clean)


ATTACKS = [
    Attack(
        name="one digit of a stored bound is changed, and the run resumed",
        wanted="the row is named and made again, with the numbers of before",
        run=digit,
        quick=False,
    ),
    Attack(name="a stored verdict is changed", wanted="history names the row, exit status 3", run=shown),
    Attack(name="a stranger's store with a trigger", wanted="one line, exit status 2, nothing acts", run=trigger),
    Attack(
        name="--out is deleted while the run is at work",
        wanted="one line, exit status 3, and what was finished is written back",
        run=deleted,
        quick=False,
    ),
    Attack(name="a run under umask 077", wanted="no file that others can read", run=private, quick=False),
    Attack(name="a store from before checksums", wanted="it is read, and one line says so", run=old),
]
