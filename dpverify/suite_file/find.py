"""Where the suite file is: a folder's ``dpverify.toml``, or its ``pyproject.toml`` with a table ``[tool.dpverify]``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from dpverify.core.errors import InputError

NAME, SHARED = "dpverify.toml", "pyproject.toml"

ROOT = (".git", ".hg")
"""What the root of a repository holds; nothing above it is looked at."""


def find(start: Path) -> Path:
    """The nearest suite file, in `start` or above it, up to the root of the repository or of the file system.

    InputError where there is none.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        found = suite_file_in(folder)
        if found is not None:
            return found
        if any((folder / each).exists() for each in ROOT):
            break
    raise InputError(
        f"no suite file in {start.name or start} or above it",
        allowed=f"{NAME}, or [tool.dpverify] in {SHARED}",
        remedy="`dpverify init PACKAGE` writes a first one; `dpverify run core` audits the built-in suite core",
    )


def suite_file_in(folder: Path) -> Path | None:
    """The suite file of a folder: its ``dpverify.toml`` where it has one."""
    return next((each for each in (folder / NAME, folder / SHARED) if declares(each)), None)


def declares(path: Path) -> bool:
    """Tell whether the file is there and meant for dpverify: a pyproject that cannot be read is not."""
    if not path.is_file():
        return False
    if path.name != SHARED:
        return True
    try:
        return "dpverify" in tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError, AttributeError, TypeError):
        return False
