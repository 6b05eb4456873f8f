"""Commands in processes forked from one that has already imported everything: the same process, without its start-up.

`run` is `subprocess.run` for ``python -m dpverify`` and ``python -m pytest``: a process of its own with its own
arguments, environment, working directory, descriptors, signals and exit status. It is forked from a server, started
once a session, which has imported numpy, numba, hypothesis and ours. What is seen only from a cold start (which modules
are loaded, completion, Ctrl-C while importing, the console script) is tested with `subprocess`.

A request that sets a variable which Python or numba reads at start-up is started cold.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

COLD = ("PYTHONWARNINGS", "PYTHONHASHSEED", "NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
"""Variables that are read once, at start-up: a request with other values than the server's is started cold."""

_server: tuple[int, str] | None = None


def run(
    words: Sequence[object],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = 300.0,
) -> subprocess.CompletedProcess[str]:
    """Run ``[sys.executable, "-m", *words]``, and return its status and texts.

    Raises
    ------
    subprocess.TimeoutExpired
        When it ran longer; it and its children are killed.
    """
    texts = [str(word) for word in words]
    environment = dict(os.environ if env is None else env)
    if any(environment.get(name) != os.environ.get(name) for name in COLD):
        command = [sys.executable, "-m", *texts]
        return subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull) as nothing:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(_address())
            request = {"words": texts, "cwd": str(cwd or Path.cwd()), "env": environment}
            descriptors = [nothing.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(line, [json.dumps(request).encode() + b"\n"], descriptors)
            line.settimeout(timeout)
            told = line.makefile()
            try:
                process = int(told.readline())
                status = int(told.readline())
            except TimeoutError:
                with suppress(ProcessLookupError):
                    os.killpg(process, signal.SIGKILL)
                raise subprocess.TimeoutExpired(texts, timeout or 0.0) from None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(texts, status, out.read().decode(), err.read().decode())


def _address() -> str:
    """Of this process's server; it is started with the first request."""
    global _server
    if _server is None or _server[0] != os.getpid():
        path = str(Path(tempfile.mkdtemp(prefix="dpverify-forks-")) / "line")
        process = subprocess.Popen([sys.executable, "-m", "tests.forked", path, str(os.getpid())], cwd=Path(__file__).parents[1])
        atexit.register(process.kill)
        while not Path(path).exists():
            if process.poll() is not None:
                raise RuntimeError(f"the server of forked commands ended with status {process.returncode}")
            time.sleep(0.01)
        _server = (os.getpid(), path)
    return _server[1]


# --- the server


def _imported() -> None:
    """All that commands import, with their kernels; nothing is registered."""
    import gc
    import importlib
    import pkgutil

    import numba  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401

    import dpverify.cli as cli
    from dpverify.core import plugins
    from dpverify.suite_file.warm import warm

    for module in pkgutil.iter_modules(cli.__path__):
        importlib.import_module(f"dpverify.cli.{module.name}")
    warm()
    plugins.registry.cache_clear()
    gc.collect()
    gc.freeze()


def _serve(path: str, above: int) -> None:
    from dpverify.runner.process_tree import end_with_parent

    end_with_parent(above)
    _imported()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{path}.new")
    listener.listen(16)
    Path(f"{path}.new").rename(path)
    while True:
        line, _ = listener.accept()
        if os.fork() == 0:  # one process between them waits for the command, so that the server waits for nobody
            listener.close()
            _attend(line)
        line.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _attend(line: socket.socket) -> None:
    status = 255
    try:
        message, descriptors, _, _ = socket.recv_fds(line, 1 << 20, 3)
        while not message.endswith(b"\n"):
            message += line.recv(1 << 20)
        request = json.loads(message)
        child = os.fork()
        if child == 0:
            line.close()
            _become(request, descriptors)
        line.sendall(f"{child}\n".encode())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        line.sendall(f"{status}\n".encode())
    finally:
        os._exit(0)


def _become(request: Any, descriptors: list[int]) -> None:
    """The command, as if Python had just been started for it."""
    status = 1
    try:
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        module, *words = request["words"]
        added = [each for each in request["env"].get("PYTHONPATH", "").split(os.pathsep) if each]
        sys.path[:] = [request["cwd"], *added, *_clean_path]
        sys.argv = [module, *words]
        status = _called(module)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        import threading

        threading._shutdown()  # as Python does at its end
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(status)


def _called(module: str) -> int:
    if module == "dpverify":
        from dpverify.cli import main

        main()
    elif module == "pytest":
        import pytest

        sys.argv += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
        return pytest.console_main()
    raise ValueError(f"a module that the server does not know: {module}")


_clean_path = [each for each in sys.path if each and Path(each) != Path(__file__).parents[1]]

if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
