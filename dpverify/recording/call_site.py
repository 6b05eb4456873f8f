"""Where in the user's code a call came from."""

from __future__ import annotations

import random
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

_HERE = str(Path(__file__).parent)
_GENERATORS = {str(Path(random.__file__).with_name(name)) for name in ("random.py", "secrets.py", "uuid.py")}


def caller() -> str:
    """``file:line`` of the innermost frame outside this package and what it records; empty where there is none.

    The file is given relative to the working directory, or else by name alone, so that records contain no absolute
    paths.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        name = _short(file)
        if name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


@lru_cache(maxsize=1024)
def _short(file: str) -> str:
    """The file's name for a record; empty for files of this package, of numpy and torch, and of Python's generators."""
    if (
        file.startswith(_HERE)
        or file in _GENERATORS
        or {"numpy", "torch"} & set(file.replace("\\", "/").split("/")[:-1])
    ):
        return ""
    path, here = Path(file), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name
