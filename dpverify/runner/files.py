"""Writing whole files or none: to a temporary name beside the target, then renamed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from dpverify.core.errors import InputError

LONGEST_NAME = 150
"""Bytes; file systems take some 255, and writers add an ending or a prefix."""


def write_whole(path: Path, text: str) -> Path:
    """Write `text` to `path` so that nobody ever sees half of it; creates the folder.

    Raises
    ------
    InputError
        When the place cannot be written to; nothing is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise InputError(
            f"cannot write {path}: {problem.strerror or problem}", allowed="a folder that can be written to"
        ) from problem
    return path


def check_folder(folder: Path) -> None:
    """Make the folder and see that a file can stand in it: what `write_whole` would find out after the work.

    Raises
    ------
    InputError
        When it cannot.
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
    """A claim's id as a file name, another one for each id: where it had to be changed, with a digest of the id."""
    name = "".join(character if character.isalnum() or character in "-_.=" else "_" for character in text)
    if name == text and not name.startswith(".") and len(name.encode()) <= LONGEST_NAME:
        return name
    kept = name.replace(".", "_", 1 if name.startswith(".") else 0).encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{kept}.{hashlib.sha256(text.encode()).hexdigest()[:12]}"
