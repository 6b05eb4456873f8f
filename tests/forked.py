"""`subprocess.run` for our commands and pytest, without the start-up: forks of a process that has imported all.

`run` gives a process of its own: own arguments, environment, working directory, descriptors, session, signals and exit
status. It is forked from a server that starts with the first call of a session and has imported numpy, numba,
hypothesis, pytest and ours. What can be seen only from a cold start takes `subprocess`: which modules are loaded,
completion, how a process ends while it starts, the console script. So does, by itself, a call with another value of a
variable that Python or numba reads when it starts (`COLD`).
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[1]
COLD = (
    "PYTHONWARNINGS",
    "PYTHONHASHSEED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "NUMBA_DISABLE_JIT",
    "NUMBA_CACHE_DIR",
    "OMP_NUM_THREADS",
)

NOT_IMPORTED = ("dpverify.gallery.bugs.",)
"""Modules that run in environments of their own."""

SHOWN = "DPVERIFY_ATTACK"
"""A variable by which the descendants of a command are found (`tests.attack.command`)."""

spent: list[Any] = [0.0, 0]
"""CPU seconds of the commands so far, and their number."""


def run(
    command: Sequence[object],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = 600.0,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """What ``subprocess.run(command, capture_output=True, text=True, ...)`` returns, with nothing on standard input.

    Parameters
    ----------
    command : sequence
        ``[sys.executable, "-m", "dpverify" or "pytest", ...]``, ``[sys.executable, "-c", CODE, ...]`` or
        ``[sys.executable, SCRIPT, ...]``.

    Raises
    ------
    subprocess.TimeoutExpired
        When it ran longer; it and its session are killed.
    subprocess.CalledProcessError
        When `check` is set and the status is not 0.
    """
    words = [str(word) for word in command]
    environment = dict(os.environ if env is None else env)
    if words[0] != sys.executable:
        raise ValueError(f"not a command of this Python: {words[0]}")
    if not hasattr(os, "fork") or any(environment.get(name) != os.environ.get(name) for name in COLD):
        return subprocess.run(
            words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout, check=check
        )
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        open(os.devnull) as nothing,
        socket.socket(socket.AF_UNIX) as line,
    ):
        line.connect(_address())
        request = {"words": words[1:], "cwd": str(cwd or Path.cwd()), "env": environment}
        streams = [nothing.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(line, [json.dumps(request).encode() + b"\n"], streams)
        told = line.makefile()
        process = int(told.readline())
        line.settimeout(timeout)
        try:
            status, seconds = told.readline().split()
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(words, timeout or 0.0) from None
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode().replace("\r\n", "\n"))
    done = subprocess.CompletedProcess(words, int(status), *texts)
    spent[0] += float(seconds)
    spent[1] += 1
    if check:
        done.check_returncode()
    return done


_server: tuple[int, str] | None = None


def _address() -> str:
    """The socket of this process's server; a fork of this process takes a server of its own."""
    global _server
    if _server is None or _server[0] != os.getpid():
        folder = tempfile.TemporaryDirectory(prefix="dpverify-forks-")
        path = Path(folder.name) / "socket"
        environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked", path, str(os.getpid())], cwd=ROOT, env=environment
        )
        atexit.register(folder.cleanup)
        atexit.register(process.kill)
        while not path.exists():
            if process.poll() is not None:
                raise RuntimeError(f"the server of forked commands ended with status {process.returncode}")
            time.sleep(0.01)
        _server = (os.getpid(), str(path))
    return _server[1]


# --- in the server


def _serve(path: Path, above: int) -> NoReturn:
    """Fork for every request, until the process `above` is gone; one process between them waits for each command."""
    from dpverify.runner.process_tree import end_with_parent

    end_with_parent(above)
    _import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for those between
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path.with_suffix(".new")))
    listener.listen(16)
    path.with_suffix(".new").rename(path)
    while True:
        line, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _attend(line)
        line.close()


def _import_all() -> None:
    """Import what commands import, and run small audits, so that kernels are compiled; nothing stays registered."""
    import hypothesis.internal.observability  # noqa: F401 - what its plug-in asks for at the end of each session
    import pytest  # noqa: F401
    import pytest_benchmark.plugin  # noqa: F401
    import scipy.stats  # noqa: F401
    import xdist.looponfail
    import xdist.newhooks  # noqa: F401

    import auditors
    import dpverify
    import reference_impls
    from dpverify.core import plugins
    from dpverify.reporting import html_writer
    from dpverify.runner import pool
    from dpverify.runner.plan import suite_plan
    from dpverify.suite_file.warm import warm

    for package in (dpverify, auditors, reference_impls):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(".__main__") and not module.name.startswith(NOT_IMPORTED):
                with suppress(ImportError):  # of a package that is not installed
                    importlib.import_module(module.name)
    warm()
    warm()
    suite_plan(plugins.registry(), suite="core", profile="quick", seed=0, confidence=0.999, trials=None)
    plugins.registry.cache_clear()
    html_writer._environment().get_template("report.html.jinja")
    vars(pool).update(forking_workers())
    gc.collect()
    gc.freeze()


def forking_workers() -> dict[str, Any]:
    """What the pool's module needs for workers that are forked: each cold one would import for a second and a half.

    Not where the process has a store of runs open, in which its workers write: SQLite's locks do not survive a fork.
    """
    from dpverify.runner import pool

    begin = pool._start

    def start(parent: int) -> None:
        _open_streams()
        faulthandler.enable(2)
        begin(parent)

    context = multiprocessing.get_context("fork")
    return {"_start": start, "ProcessPoolExecutor": partial(pool.ProcessPoolExecutor, context=context)}


def _open_streams() -> None:
    """Python's own streams on the descriptors as they are now."""
    sys.stdin, sys.stdout = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in ((0, "r"), (1, "w"))
    )
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _attend(line: socket.socket) -> NoReturn:
    """Between the server and a command: start it, wait for it, tell its number and its status."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        message, descriptors, _, _ = socket.recv_fds(line, 1 << 20, 3)
        while not message.endswith(b"\n"):
            message += line.recv(1 << 20)
        child = os.fork()
        if child == 0:
            line.close()
            _become(json.loads(message), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        line.sendall(f"{child}\n".encode())
        _, status, used = os.wait4(child, 0)
        line.sendall(f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime}\n".encode())
    finally:
        os._exit(0)


def _become(request: Any, descriptors: list[int]) -> NoReturn:
    """The command, as if Python had just been started for it."""
    status = 1
    this = os.getpid()
    try:
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        if SHOWN in os.environ:
            _show_in_proc(f"{SHOWN}={os.environ[SHOWN]}")
        _open_streams()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        first, *words = request["words"]
        added = [each for each in request["env"].get("PYTHONPATH", "").split(os.pathsep) if each]
        here = request["cwd"] if first in ("-m", "-c") else str(Path(first).resolve().parent)
        sys.path[:] = [here, *added, *sys.path[1:]]  # the first is the server's own working directory
        status = _called(first, words)
    except SystemExit as ended:
        if ended.code is not None and not isinstance(ended.code, int):
            sys.stderr.write(f"{ended.code}\n")
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - what Python itself does with it
        traceback.print_exc()
    finally:
        if os.getpid() == this:
            threading._shutdown()  # type: ignore[attr-defined]  # as Python does when it ends
            atexit._run_exitfuncs()
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
        os._exit(status)


def _show_in_proc(text: str) -> None:
    """Write it over the environment that this process began with, which ``/proc`` shows of it and of its forks."""
    numbers = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = map(int, numbers[47:49])  # env_start and env_end of proc(5)
    held = text.encode()[: end - start - 1].ljust(end - start, b"\0")
    ctypes.memmove(start, held, end - start)


def _called(first: str, words: list[str]) -> int:
    sys.argv = [first, *words]
    if first == "-c":
        sys.argv = ["-c", *words[1:]]
        exec(compile(words[0], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - the tests' own
    elif first != "-m":
        runpy.run_path(first, run_name="__main__")
    elif words[0] == "dpverify":
        from dpverify.cli import main

        sys.argv = words
        main()
    elif words[0] == "pytest":
        import pytest

        # Else it warns of each plug-in that the server has imported.
        return int(pytest.main([*words[1:], "-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]))
    else:
        raise ValueError(f"the server knows no module {words[0]}")
    return 0


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
