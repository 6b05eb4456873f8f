"""Where a subject's source stands: for reports that point into files.

Only files below the working directory have a place, and that place is relative to it: an absolute path would name the
machine. What is installed (``site-packages``) is nobody's working copy, though its folder may lie there.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from dpverify.core.errors import InputError

INSTALLED = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file's address relative to the working directory (percent-encoded), and the line, from 1, if it is known."""

    uri: str
    line: int | None = None


def place(subject: str) -> Place | None:
    """The place of the registered subject of this name; None where it is not registered or its file is elsewhere."""
    from dpverify.core.plugins import registry

    try:
        factory = registry().subject(subject)
    except InputError:
        return None
    made = inspect.unwrap(factory.func if isinstance(factory, partial) else factory)
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
