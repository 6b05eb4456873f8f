"""The files of what a user audits, found without an import, and their digests: the subject of an attestation.

Of a module its file, of a module in a package all Python files of the package, of a program the files that its words
name. What these import from elsewhere is not followed.
"""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from dpverify.core.read_untrusted import read_bytes

MOST = 200
"""Files of a package; of a larger one, as of an installed one, only the module's own file is taken."""


def module_files(name: str, folders: Sequence[Path]) -> dict[str, Path]:
    """Files by their names from the top package; empty where the module is not found.

    Parameters
    ----------
    name : str
        Dotted, with or without ``:CALLABLE`` behind it; of ``MODULE.CALLABLE`` the longest part that is a module.
    folders : sequence of Path
        Searched before ``sys.path``.
    """
    first, *rest = name.partition(":")[0].split(".")
    spec = PathFinder.find_spec(first, [*map(str, folders), *(each or "." for each in sys.path)])
    if spec is None or spec.origin is None:
        return {}
    origin = Path(spec.origin)
    if origin.stem != "__init__":
        return {origin.name: origin}
    home, own = origin.parent, origin
    for length in range(len(rest), 0, -1):
        below = home.joinpath(*rest[:length])
        if found := [each for each in (below.with_suffix(".py"), below / "__init__.py") if each.is_file()]:
            own = found[0]
            break
    files = sorted(home.rglob("*.py"))
    if len(files) > MOST or "site-packages" in home.parts:
        files = [own]
    return {each.relative_to(home.parent).as_posix(): each for each in files}


def program_files(command: str, folder: Path) -> dict[str, Path]:
    """The files that the words of a command name, as seen from a folder; empty where none does."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    return {Path(word).name: folder / word for word in words if (folder / word).is_file()}


def digests(files: Mapping[str, Path]) -> dict[str, str]:
    """SHA-256 of each file, in hexadecimal digits; a file that cannot be read is left out."""
    found = {}
    for name, path in files.items():
        try:
            found[name] = hashlib.sha256(read_bytes(path)).hexdigest()
        except (OSError, ValueError):
            continue
    return found
