"""Where compiled kernels are kept when neither the package nor the user's cache can be written to (containers).

Numba keeps them beside the sources, or else in the user's cache; without either it refuses to compile at all ("no
locator available"). Then they go to a folder of this user's in the temporary directory. What is kept there is code that
will be run, so it is used only when nobody else can have written it: a folder (no link) of this user, closed to others.
Where somebody took its name, a new folder serves until this process ends.

NUMBA_CACHE_DIR, where it is set, is the user's word and is left alone. Numba is not imported here.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"
PACKAGE = Path(__file__).parents[1]


def settle() -> str:
    """Choose the folder, if one must be chosen, before the first kernel is imported; a line about it, or nothing."""
    if os.environ.get(VARIABLE) or _numba_finds_one():
        return ""
    import tempfile

    try:
        folder, kept = _own(Path(tempfile.gettempdir()))
    except OSError:
        return f"no folder for compiled kernels can be written to: set {VARIABLE} to one"
    os.environ[VARIABLE] = str(folder)  # worker processes find it there
    if "numba" in sys.modules:  # it has read the variable already
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    until = "" if kept else " until this process ends"
    return (
        f"compiled kernels are kept in {folder}{until}, since {PACKAGE} and the user's cache cannot be written to; "
        f"{VARIABLE} names another folder"
    )


def _numba_finds_one() -> bool:
    beside = PACKAGE / "__pycache__"
    if os.access(beside if beside.exists() else PACKAGE, os.W_OK | os.X_OK):
        return True
    if sys.platform in ("win32", "darwin"):  # other places than below; both have a home that can be written to
        return True
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "numba"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no home
        return False
    return os.access(cache, os.W_OK | os.X_OK)


def _own(temporary: Path) -> tuple[Path, bool]:
    """A folder that nobody else has written to, and whether it stays."""
    import atexit
    import shutil
    import tempfile

    user = os.geteuid()
    folder = temporary / f"dpverify-kernels-{user}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077:
        return folder, True
    folder = Path(tempfile.mkdtemp(prefix=f"dpverify-kernels-{user}-", dir=temporary))
    made_by = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == made_by else None)
    return folder, False
