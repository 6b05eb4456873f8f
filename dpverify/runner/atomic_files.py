"""Writing whole files or none: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import tempfile
from pathlib import Path

from dpverify.core.errors import InputError

LONGEST_NAME = 150
"""Bytes; file systems take some 255, and writers add an ending or a prefix."""


def write_atomically(path: Path, text: str, *, private: bool = False) -> Path:
    """Write `text` to `path` atomically, so that no reader ever sees half of it; creates the folder.

    A new file gets the permissions that the user's umask allows (witnesses may be private data). A replaced file keeps
    its permissions; with `private`, nobody but the user may read either. A device, a pipe or ``/dev/stdout`` is written
    to in place and never replaced by a file.

    InputError when the path cannot be written to; no partial file is left behind.
    """
    try:
        content = text.encode("utf-8", errors="backslashreplace")  # names typed in another encoding have surrogates
        path.parent.mkdir(parents=True, exist_ok=True)
        if _special(path):
            return _written_there(path, content)
        part = path.with_name(f".dpverify-{secrets.token_hex(8)}.part")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        handle = os.open(part, flags, 0o600 if private else 0o666)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                if not private and (mode := _mode(path)) is not None:
                    part.chmod(mode)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as problem:  # a name with a NUL is a ValueError
        raise InputError(
            f"cannot write {path}: {getattr(problem, 'strerror', None) or problem}",
            allowed="a folder that can be written to",
        ) from problem
    return path


def _special(path: Path) -> bool:
    """Tell whether the path is a device or a pipe, which must not be replaced by a file."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except OSError:  # nothing, or a link to nothing
        return False
    return not regular or path.absolute().parts[1:2] in (("dev",), ("proc",))


def _written_there(path: Path, content: bytes) -> Path:
    # Without O_NONBLOCK, opening a pipe that nobody reads would block for ever. The system refuses folders.
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(handle, "wb") as stream:
        os.set_blocking(handle, True)
        stream.write(content)
    return path


def _mode(path: Path) -> int | None:
    """Permissions of the file that is replaced."""
    try:
        found = path.lstat().st_mode
    except OSError:
        return None
    return stat.S_IMODE(found) & 0o777 if stat.S_ISREG(found) else None


def check_folder(folder: Path) -> None:
    """Make the folder and check that files can be written to it, before the work instead of after it.

    InputError when no file can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".part"):
            pass
    except OSError as problem:
        raise InputError(
            f"cannot write to the folder {folder}: {problem.strerror or problem}",
            allowed="a folder that can be written to, or made",
        ) from problem


def safe_name(text: str) -> str:
    """A claim's id as a file name, unique for each id: an id that had to be changed gets a digest at its end."""
    name = "".join(character if character.isalnum() or character in "-_.=" else "_" for character in text)
    if name == text and not name.startswith(".") and len(name.encode()) <= LONGEST_NAME:
        return name
    kept = name.replace(".", "_", 1 if name.startswith(".") else 0).encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{kept}.{hashlib.sha256(text.encode()).hexdigest()[:12]}"
