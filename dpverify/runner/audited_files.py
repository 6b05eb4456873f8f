"""The files of what a user audits, found without an import, with their digests, and the version of the code.

Of a module its file, of a module in a package all Python files of the package, of a program the files that its words
name. What these import from elsewhere is not followed. The version is that of the package, and the commit of the
repository that tracks the files, where git is installed.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from dpverify.core.read_untrusted import read_bytes

MOST = 200
"""Files of a package; of a larger one, as of an installed one, only the module's own file is taken."""


def module_files(name: str, folders: Sequence[Path]) -> dict[str, Path]:
    """Files by their names from the top package; empty where the module is not found.

    `name`: dotted, with or without ``:CALLABLE`` behind it; of ``MODULE.CALLABLE`` the longest part that is a module.
    `folders`: searched before ``sys.path``.
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


SECONDS = 5.0
"""A slower git says nothing."""

INSTALLED = ("site-packages", "dist-packages")


def subject_version(files: Mapping[str, Path]) -> dict[str, str]:
    """Text for ``package`` (name and version) and ``commit``, as far as there are any.

    `files`: files of the subject by their names from the top package (`module_files`).

    Returns
    -------
    dict
        ``commit`` is the full hash; ``", with changes"`` follows it where a file differs from it, and ``", which has
        none of these files"`` where it has none of them.
    """
    if not files:
        return {}
    found = {"package": _package(files), "commit": _commit(files)}
    return {name: text for name, text in found.items() if text}


def version_text(said: Mapping[str, str]) -> str:
    """Both in one phrase, such as ``noisy 1.2.0, commit 3f2a9c01d4e7 with changes``."""
    commit, _, changed = said.get("commit", "").partition(",")
    return ", ".join(filter(None, [said.get("package", ""), f"commit {commit[:12]}{changed}" if commit else ""]))


def _package(files: Mapping[str, Path]) -> str:
    name, path = next(iter(files.items()))
    top = Path(name).parts[0].removesuffix(".py")
    names = [top]
    if set(INSTALLED) & set(path.parts):
        names += packages_distributions().get(top, [])  # such as scikit-learn of sklearn
    for each in names:
        try:
            return f"{each} {version(each)}"
        except (PackageNotFoundError, ValueError):
            continue
    return ""


def _commit(files: Mapping[str, Path]) -> str:
    git, paths = shutil.which("git"), [str(path.resolve()) for path in files.values()]
    if git is None:
        return ""
    asked = ["status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored=matching", "--", *paths]
    known = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        told = subprocess.run(
            [git, "-c", "core.fsmonitor=false", "-C", str(Path(paths[0]).parent), *asked],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
            env={**known, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        ).stdout.splitlines()
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    commit = next((line.removeprefix("# branch.oid ") for line in told if line.startswith("# branch.oid ")), "")
    states = [line[0] for line in told if line and line[0] != "#"]
    if (
        not commit
        or commit == "(initial)"
        or (len(states) == len(paths) and set(states) <= {"?", "!"} and "!" in states)
    ):
        return ""  # no file of these is in the repository
    if len(states) == len(paths) and set(states) == {"?"}:
        return f"{commit}, which has none of these files"
    return f"{commit}, with changes" if states else commit
