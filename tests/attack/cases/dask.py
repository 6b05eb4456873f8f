"""Attacks on a run over a Dask cluster: whoever answers there, falls silent, or dies at work."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dpverify.runner.store.store import NAME, Store
from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

ROOT = Path(__file__).parents[3]
RUN = ("run", "core", "--only", "laplace-[np]*", "--profile", "full", "--trials", "500000", "--quiet", "--out", "out")


def _on(address: str) -> tuple[str, ...]:
    return "--backend", "dask", "--scheduler", address


def silent(folder: Path, *, greeting: bytes) -> Outcome:
    """A server that takes connections, says this, and then nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept: list[socket.socket] = []

        def take() -> None:
            with suppress(OSError):
                while True:
                    kept.append(listening.accept()[0])
                    kept[-1].sendall(greeting)

        threading.Thread(target=take, daemon=True).start()
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        ran = dpverify(*RUN, *_on(address), folder=folder, seconds=60.0)
    held = ran.status == 2 and "no Dask scheduler answers" in ran.err and ran.seconds < 30.0 and ran.clean
    return Outcome(happened=f"{ran.told} ({ran.seconds:.0f} s)", held=held)


@dataclass(slots=True)
class Processes:
    """A scheduler and its one worker."""

    scheduler: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]
    address: str


@contextmanager
def cluster(folder: Path, *, package: Path = ROOT) -> Iterator[Processes]:
    """Theirs, whose worker has the code below `package`; ended afterwards."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    environment = {**os.environ, "PYTHONPATH": str(package)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "env": environment}
    dask = [sys.executable, "-m", "distributed.cli"]
    scheduler = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
        **quiet,  # type: ignore[arg-type]
    )
    worker = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"],
        **quiet,  # type: ignore[arg-type]
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 30.0
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
                break
            time.sleep(0.1)
        yield Processes(scheduler=scheduler, worker=worker, address=address)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        scheduler.kill()
        worker.wait()
        scheduler.wait()


def _finished(path: Path) -> int:
    if not path.exists():
        return 0
    with Store(path, reading=True) as store:
        return len(list(store.told()))


def _when_one_is_finished(folder: Path, act: Callable[[], object]) -> threading.Thread:
    """Do it as soon as the store has a finished claim."""

    def wait() -> None:
        until = time.monotonic() + 120.0
        while time.monotonic() < until:
            with suppress(Exception):  # it is just being made
                if _finished(folder / "out" / NAME):
                    act()
                    return
            time.sleep(0.1)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def scheduler_ends(folder: Path, *, how: signal.Signals) -> Outcome:
    """The scheduler dies, or stops answering, while a worker is at work; then the run goes on without it."""
    with cluster(folder) as theirs:
        acting = _when_one_is_finished(folder, lambda: theirs.scheduler.send_signal(how))
        ran = dpverify(*RUN, *_on(theirs.address), folder=folder, seconds=170.0)
        acting.join(1.0)
    before = _finished(folder / "out" / NAME)
    again = dpverify(*RUN, "--resume", folder=folder, seconds=170.0) if how == signal.SIGKILL else None
    one = "is gone or was started again" in ran.err and "--resume" in ran.err
    return Outcome(
        happened=f"{ran.told} ({ran.seconds:.0f} s; {before} claims were finished)"
        + (f"; resumed: status {again.status}" if again else ""),
        held=ran.status == 3 and one and ran.clean and (again is None or again.status in (0, 1)),
        lost="nothing" if before else "what had been finished",
    )


def worker_dies(folder: Path) -> Outcome:
    """The worker's process dies at work; its nanny starts another."""

    def kill() -> None:
        children = Path(f"/proc/{theirs.worker.pid}/task/{theirs.worker.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)

    with cluster(folder) as theirs:
        acting = _when_one_is_finished(folder, kill)
        ran = dpverify(*RUN, *_on(theirs.address), folder=folder, seconds=170.0)
        acting.join(1.0)
    alone = dpverify(*RUN[:-1], "alone", folder=folder, seconds=170.0)
    same = _numbers(folder / "out" / NAME) == _numbers(folder / "alone" / NAME)
    numbers = "the same" if same else "others"
    return Outcome(
        happened=f"status {ran.status}, without a cluster {alone.status}; the numbers are {numbers}",
        held=ran.status == alone.status and ran.status in (0, 1) and ran.clean,
        lost="nothing" if same else "numbers",
    )


def _numbers(path: Path) -> list[tuple[str, str, float]]:
    with Store(path, reading=True) as store:
        return sorted(
            (claim, record["verdict"], part["bound"])
            for claim, record in store.records(1).items()
            for part in record["evidence"]
        )


def other_code(folder: Path) -> Outcome:
    """A worker with another version of one auditor."""
    package = folder / "theirs"
    for name in ("dpverify", "auditors", "reference_impls"):
        shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    changed = next((package / "auditors").rglob("event*.py"))
    changed.write_text(changed.read_text() + "\nANOTHER = 1\n")
    with cluster(folder, package=package) as theirs:
        ran = dpverify(*RUN, *_on(theirs.address), folder=folder, seconds=170.0)
    held = ran.status == 2 and "has other code" in ran.err and ran.clean
    return Outcome(happened=ran.told, held=held)


ATTACKS = [
    Attack(
        name="a server at the scheduler's address that says nothing",
        wanted="one line, exit status 2, in seconds",
        run=partial(silent, greeting=b""),
        quick=False,
    ),
    Attack(
        name="an HTTP server's answer at the scheduler's address",
        wanted="one line, exit status 2, in seconds, no memory taken",
        run=partial(silent, greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        quick=False,
    ),
    Attack(
        name="a server that greets like a scheduler and falls silent",
        wanted="one line, exit status 2, in seconds",
        run=partial(silent, greeting=b":\0\0\0\0\0\0\0\1"),
        quick=False,
    ),
    Attack(
        name="the scheduler is killed while audits are at work",
        wanted="one line, exit status 3; what was finished is kept, and the run goes on from it",
        run=partial(scheduler_ends, how=signal.SIGKILL),
        quick=False,
    ),
    Attack(
        name="the scheduler stops answering while audits are at work",
        wanted="one line, exit status 3, in two minutes; what was finished is kept",
        run=partial(scheduler_ends, how=signal.SIGSTOP),
        quick=False,
    ),
    Attack(
        name="a worker's process is killed at work",
        wanted="the run ends as it would without that, with the same numbers",
        run=worker_dies,
        quick=False,
    ),
    Attack(
        name="a worker with another version of the code",
        wanted="one line, exit status 2: no number comes from it",
        run=other_code,
        quick=False,
    ),
]
