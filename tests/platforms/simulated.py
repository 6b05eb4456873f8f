"""Runs dpverify's command line as if on another system: what that one lacks is taken away before the first import.

    python -m tests.platforms.simulated windows audit mymodule:f ...

That is no test on the system itself. It finds what is used and not there (``os.fork``, signals, ``resource``,
``fcntl``, ``/proc``); what the system does otherwise (its paths, its processes, its rounding) stays unseen.
"""

from __future__ import annotations

import asyncio
import builtins
import io
import multiprocessing.util
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from importlib import import_module
from typing import Any

LOADED = (asyncio, multiprocessing.util, sqlite3, subprocess, tempfile)
"""Parts of the standard library that look at the system when they are imported, and must see the true one."""

OTHERS = (
    "numpy scipy.optimize scipy.special scipy.stats numba joblib.externals.loky typer typer.testing rich.console "
    "platformdirs threadpoolctl jinja2 hypothesis"
)
"""Packages whose own code for another system is not what is tried."""

_OS = (
    "fork forkpty killpg getpgid setsid geteuid getuid pidfd_open register_at_fork WNOHANG WUNTRACED waitid "
    "sched_getaffinity sysconf mkfifo"
)
_SIGNAL = (
    "SIGKILL SIGSTOP SIGCONT SIGALRM SIGCHLD SIGPIPE SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGXCPU SIGXFSZ ITIMER_REAL "
    "setitimer getitimer alarm pause pthread_sigmask sigwait SIG_BLOCK SIG_UNBLOCK SIG_SETMASK pthread_kill sigpending"
)
LACKS = {
    "windows": {os: _OS.split(), signal: _SIGNAL.split()},
    "macos": {os: ["pidfd_open", "sched_getaffinity"]},
}
WITHOUT = {"windows": ("fcntl", "resource", "termios", "pwd", "grp", "tty", "pty"), "macos": ()}


def pretend(system: str) -> None:
    """Take away what the system lacks, in this process and in those that it forks."""
    for name in OTHERS.split():  # they see the true system
        import_module(name)

    for home, names in LACKS[system].items():
        for name in names:
            if hasattr(home, name):
                delattr(home, name)
    for name in WITHOUT[system]:
        sys.modules[name] = None  # type: ignore[assignment]
    if system == "macos":
        import resource

        del resource.prlimit
    sys.platform = {"windows": "win32", "macos": "darwin"}[system]
    opened = io.open

    def without_proc(file: Any, *args: Any, **kwargs: Any) -> Any:
        asks = str(sys._getframe(1).f_globals.get("__name__")).startswith(("dpverify", "auditors", "pathlib"))
        if asks and isinstance(file, str | os.PathLike) and os.fspath(file).startswith("/proc/"):
            raise FileNotFoundError(2, "No such file or directory", file)
        return opened(file, *args, **kwargs)

    builtins.open = io.open = without_proc


if __name__ == "__main__":
    pretend(sys.argv[1])
    sys.argv = ["dpverify", *sys.argv[2:]]
    from dpverify.cli import main

    main()
