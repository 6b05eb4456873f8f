"""What code reads while it is imported and runs: environment variables and files, noted as it happens.

Begun by ``import dpverify``, which the pytest plug-in and the command line do before any code of the user is imported.
A read belongs to the nearest file of the user's own on the stack. What a package reads while it is itself imported is
its own business. C code that reads by itself is not heard, nor are other programs.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

STANDARD = os.path.dirname(os.__file__) + os.sep
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
INSTALLED = ("site-packages", "dist-packages")
"""Folders of installed packages."""

COMPILERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("numba", "llvmlite"))
"""Packages that go through all variables, for settings that change no result, whenever they compile."""

OF_PLACE = frozenset({"_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES", "TERM", "COLORTERM", "WINDOWID", "DISPLAY"})
OF_PLACE |= {"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "SSH_AUTH_SOCK", "XDG_SESSION_ID"}
OF_PLACE |= {"DPVERIFY_OUTERMOST", "DPVERIFY_NO_PLUGINS_FROM", "DPVERIFY_COMPLETE", "PYTEST_CURRENT_TEST"}
OF_PLACE |= {"PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "PYTEST_VERSION"}
"""Variables that the shell, this command or pytest sets anew in each process that it starts: they count nowhere."""

RUNNING = ("__main__", "__channelexec__")
"""Modules that are run, and not imported: a script, and what a worker of pytest-xdist begins with."""

Read = tuple[str, str, tuple[tuple[str, str], ...], bool]

noted: dict[Read, str | None] = {}
"""What was read: its kind (``environment``, ``file``, ``library``; or ``written``, a file that is opened for that), its
name, who may have asked (files and functions), whether a module was being imported; and the value.
"""

earlier: dict[Read, str | None] = {}
"""What was read before `begin_calls`."""

_asking: dict[str, str] = {}


def begin() -> None:
    """Note from now on; a second call does nothing."""
    if getattr(begin, "done", False) or not hasattr(os, "_Environ"):
        return
    begin.done = True  # type: ignore[attr-defined]
    look_up = os._Environ.__getitem__

    def heard(self: Any, name: Any) -> Any:
        value = None
        try:
            value = look_up(self, name)
        finally:
            if isinstance(name, str | bytes) and counts(said := os.fsdecode(name)):
                _note("environment", said, None if value is None else os.fsdecode(value))
        return value

    os._Environ.__getitem__ = heard  # type: ignore[method-assign]
    sys.addaudithook(_hear)


def begin_calls() -> None:
    """Note that the mechanism alone is called from now on; what was read before may be another's business."""
    earlier.update(noted)
    noted.clear()


def counts(variable: Any) -> bool:
    """Tell whether the variable may change what code computes: it does not change with each start of a process."""
    return variable not in OF_PLACE


def of_environment(value: Any) -> dict[Any, Any] | None:
    """The variables that count, of the environment itself or of a dict with half of its names; None of others."""
    if value is os.environ or (type(value) is dict and 2 * len(value.keys() & set(os.environ)) >= len(os.environ) > 0):
        return {name: value[name] for name in value if counts(name)}
    return None


def is_installed(path: str) -> bool:
    """Tell whether the file lies among installed packages."""
    return any(f"{os.sep}{name}{os.sep}" in path for name in INSTALLED)


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event not in ("open", "sqlite3.connect", "ctypes.dlopen"):
        return
    with suppress(Exception):  # whatever goes wrong here must not reach who opens a file
        name = os.fsdecode(args[0])
        if event == "ctypes.dlopen":
            _note("library", name, None)
        elif event == "sqlite3.connect" or _is_read(name, *args[1:]):
            _note("file", os.path.abspath(name), None)
        elif _is_written(*args[1:]):
            _note("written", os.path.abspath(name), None)


def _is_read(name: str, mode: str | None, flags: int) -> bool:
    """Tell whether a file is opened to be read, and is neither a device, nor a log, nor a module that is imported."""
    if _is_written(mode, flags):
        return False
    imported = name.endswith(".py") and sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")
    return not (imported or name.endswith(".pyc") or name.startswith(("/dev/", "/proc/", "/sys/")))


def _is_written(mode: str | None, flags: int) -> bool:
    return flags & os.O_ACCMODE == os.O_WRONLY or bool(flags & os.O_APPEND) or (mode or "")[:1] in tuple("wax")


def _note(kind: str, name: str, value: str | None) -> None:
    asking: list[tuple[str, str]] = []
    importing = settled = False
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not importing:
        code = frame.f_code
        file = code.co_filename
        whose = _asking.get(file) or _asking.setdefault(file, _whose(file))
        if whose == "ours":
            break
        if whose in ("own", "installed") and not settled:
            asking.append((file, code.co_qualname))
            settled = whose == "own"
            if not settled and code.co_name == "<module>":  # a package at its own import
                importing = True
                break
        importing = settled and code.co_name == "<module>" and frame.f_globals.get("__name__") not in RUNNING
        frame = frame.f_back
    if asking:
        noted[kind, name, tuple(asking), importing] = value


def _whose(file: str) -> str:
    if file.startswith("<"):
        return "nobody"
    if is_installed(file):
        return "ours" if any(each in file for each in COMPILERS) else "installed"
    return "ours" if file.startswith(OURS) else "nobody" if file.startswith(STANDARD) else "own"
