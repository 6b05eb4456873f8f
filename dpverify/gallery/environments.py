"""Environments of old releases: one virtual environment for each set of pins, below the user's cache directory.

What is installed are exact versions, by name, without their dependencies (the pins name these too), from whatever
package index pip is set up for. A failure is one line; nothing half made stays: a file that is written last says that
an environment is whole, and what an ended installation left goes with the next one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dpverify.core.errors import AuditError, one_line
from dpverify.datasets.files import cache_folder
from dpverify.runner.process_tree import kill_with_descendants

SECONDS = 900.0
"""For one installation."""

ANSWER = 20.0
"""For an interpreter to say its version."""

WHOLE = "dpverify-whole"
"""The file that is written last."""

PART = ".part-"
"""Between the name of an environment and the process that makes it."""

_NO_SPACE = re.compile("No space left on device|Errno 28|Disk quota exceeded", re.IGNORECASE)
_NO_FILE = re.compile(r"No matching distribution|Could not find a version", re.IGNORECASE)
_NO_NETWORK = re.compile(
    "NewConnectionError|name resolution|Network is unreachable|Connection refused|ConnectTimeout|ProxyError|"
    "Max retries",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b\w+://\S+")


class NoEnvironmentError(AuditError):
    """An environment cannot be made; the message says why in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltEnvironment:
    """An environment that is there: its interpreter, and the seconds that making it took (0 where it was there)."""

    python: Path
    version: str
    seconds: float


def environment_for(
    pins: Sequence[str],
    pythons: Sequence[str],
    *,
    say: Callable[[str], None] = lambda _: None,
    folder: Path | None = None,
) -> BuiltEnvironment:
    """The environment with exactly these pins; made where it is not there yet.

    `pins`: ``name==version``. `pythons`: versions of Python that the pins have files for, the best first, such as
    ``3.11``.

    NoEnvironmentError where no such Python is on this machine, the index cannot be reached, or has no file for a pin.
    """
    version, python = _interpreter(pythons)
    place = (folder or cache_folder() / "gallery") / _key(pins, version)
    found = _python_of(place)
    if _whole(place):
        return BuiltEnvironment(python=found, version=version, seconds=0.0)
    began = time.monotonic()
    say(f"installing {', '.join(pins)} for Python {version}, once")
    part = place.with_name(f"{place.name}{PART}{os.getpid()}")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        _remove_left(part.parent)
        shutil.rmtree(place, ignore_errors=True)
        _run([python, "-m", "venv", str(part)], pins)
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-compile", "--retries", "1"]
        _run([str(_python_of(part)), "-m", "pip", "install", *quiet, "--no-deps", *pins], pins)
        (part / WHOLE).touch()
        with suppress(OSError):  # another process made it meanwhile
            part.rename(place)
        if not _whole(place):
            raise NoEnvironmentError(f"no environment for {pins[0]}: another installation was at work; try again")
    except OSError as problem:
        raise NoEnvironmentError(one_line(f"no environment for {pins[0]}: {problem.strerror or problem}")) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return BuiltEnvironment(python=found, version=version, seconds=time.monotonic() - began)


def _whole(place: Path) -> bool:
    return (place / WHOLE).exists() and _python_of(place).exists()


def _remove_left(folder: Path) -> None:
    """Remove what installations left whose process has ended."""
    for path in folder.glob(f"*{PART}*"):
        number = path.name.rpartition(PART)[2]
        if number.isdecimal() and not _lives(int(number)):
            shutil.rmtree(path, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as problem:
        return not isinstance(problem, ProcessLookupError)
    return True


def _interpreter(pythons: Sequence[str]) -> tuple[str, str]:
    """Version and path of the first of these Pythons that is there; this one's where it is among them."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here in pythons:
        return here, sys.executable
    for version in pythons:
        path = shutil.which(f"python{version}")
        if path is not None and _answers(path, version):
            return version, path
    raise NoEnvironmentError(f"needs Python {' or '.join(pythons)}, and only {here} is found on PATH")


def _answers(path: str, version: str) -> bool:
    """Tell whether it is that Python, and no launcher of one that is not installed."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        return _said([path, "-c", code], ANSWER).strip() == version
    except (OSError, subprocess.SubprocessError):
        return False


def _key(pins: Sequence[str], version: str) -> str:
    """A folder's name: the first pin, for people, and a digest of all of them."""
    text = "\n".join([version, *sorted(pins)])
    name = re.sub(r"[^A-Za-z0-9.]+", "-", pins[0])
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _python_of(place: Path) -> Path:
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: Sequence[str], pins: Sequence[str]) -> None:
    """Run, with a time limit; the error is one line without addresses of this machine's index."""
    try:
        _said(command, SECONDS)
    except subprocess.TimeoutExpired:
        raise NoEnvironmentError(f"installing {pins[0]} took more than {SECONDS:g} s, and was ended") from None
    except subprocess.CalledProcessError as problem:
        raise NoEnvironmentError(why_not(problem.output + problem.stderr, pins)) from None


def _said(command: Sequence[str], seconds: float) -> str:
    """Return what a command prints; it is ended with all that it started after so many seconds."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            kill_with_descendants(process.pid)
            process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, out, err)
    return out


def why_not(said: str, pins: Sequence[str]) -> str:
    """pip's complaint in one line."""
    if _NO_SPACE.search(said):
        return f"{pins[0]} cannot be installed: no space left on the disk of {cache_folder()}"
    if _NO_NETWORK.search(said):
        return f"{pins[0]} cannot be installed: the package index cannot be reached"
    if _NO_FILE.search(said):
        missing = next((pin for pin in pins if pin in said), pins[0])
        return f"{missing} cannot be installed: the package index has no file of it for this Python"
    lines = [line for line in said.splitlines() if "error" in line.lower()] or said.splitlines() or ["pip failed"]
    return one_line(_ADDRESS.sub("(address)", f"{pins[0]} cannot be installed: {lines[-1].strip()[:200]}"))
