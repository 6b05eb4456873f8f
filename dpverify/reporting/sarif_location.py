"""The source location of a subject, for reports that refer to files.

Only files below the working directory have a location, and it is relative to that: an absolute path would reveal the
machine. Installed packages (``site-packages``) have none, even if their folder is below the working directory.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from dpverify.core.errors import InputError
from dpverify.core.record import Record

INSTALLED = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file's path relative to the working directory (percent-encoded), and the line from 1, if known."""

    uri: str
    line: int | None = None

    @property
    def path(self) -> str:
        """The path itself, not encoded."""
        return unquote(self.uri)


def place_of_claim(item: Record) -> Place | None:
    """The location of a record's claim: the line of its suite file, if it is of one, else that of its subject.

    None for what is not below the working directory.
    """
    location = item.get("location")
    if location is None:
        return place(item["subject"])
    file = PurePosixPath(location["file"])
    if file.is_absolute() or ".." in file.parts:
        return None
    return Place(uri=quote(file.as_posix()), line=location["line"])


def place(subject: str) -> Place | None:
    """The location of the registered subject of this name; None if it is not registered or its file is elsewhere."""
    from dpverify.core.plugins import registry

    try:
        factory = registry().subject(subject)
    except InputError:
        return None
    return place_of(factory)


def place_of(function: object) -> Place | None:
    """The location of a function; None if its file is elsewhere."""
    made: Any = inspect.unwrap(function.func if isinstance(function, partial) else function)  # type: ignore[arg-type]
    try:
        file = Path(inspect.getsourcefile(made) or "").resolve(strict=True)
        inside = file.relative_to(Path.cwd().resolve())
    except (TypeError, OSError, ValueError):
        return None
    if not file.is_file() or INSTALLED & set(inside.parts):
        return None
    return Place(uri=quote(inside.as_posix()), line=_line(made))


def _line(made: object) -> int | None:
    try:
        return max(1, inspect.getsourcelines(made)[1])  # type: ignore[arg-type]
    except (TypeError, OSError):
        return None
