"""What a program's outputs follow from: the files that its command names, and the code that stands below their folders.

A worker loads its helpers by itself, so that nobody sees which: all code beside it counts. Settings and data that it
reads, its environment, and what is installed for it are not seen.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from dpverify.code_key.modules import digest_of
from dpverify.runner.audited_files import module_files

CODE = re.compile(
    r"\.(py|pyx|pxd|so|dll|dylib|c|h|cc|cpp|hpp|rs|go|java|jar|class|kt|scala|jl|r|R|js|mjs|cjs|ts|rb|pl|pm|lua|sh|php"
    r"|m|f90|hs|ml|cs|swift)"
)
"""Suffixes of code."""
SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__"})

MOST = 2_000
"""Files and folders that are looked at; a program among more is not known by its code."""


def code_words(named: Sequence[tuple[str, Path | None]], outputs: str, folder: Path) -> tuple[list[str], str]:
    """Digests, and what could not be told; empty where all could.

    Parameters
    ----------
    named : sequence of (str, Path or None)
        The words of the command, each with the file that it may name.
    outputs : str
        What it prints.
    folder : Path
        Where it works.
    """
    found, places, scripts = [outputs], set[Path](), list[str]()
    searched = os.environ.get("PATH", "").split(os.pathsep)
    for (before, _), (word, path) in zip((("", None), *named), named, strict=False):
        files = [path] if path is not None and path.is_file() else []
        if before == "-m":  # Python runs a module
            files = list(module_files(word, [folder]).values())
        found += [digest_of(str(each)) for each in files] or [word]
        for each in files:
            if str(each.parent) not in searched:
                places.add(each.resolve().parent)
            elif _is_script(each):
                scripts.append(each.name)
    if scripts and not places:
        return [], f"{scripts[0]} is a script, which may load any code"
    beside = list(islice((each for place in sorted(places) for each in _below(place)), MOST + 1))
    if len(beside) > MOST:
        return [], f"more than {MOST} files stand beside the program"
    return [*found, *sorted({digest_of(str(each)) for each in beside if CODE.fullmatch(each.suffix)})], ""


def _is_script(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as stream:
        return stream.read(2) == b"#!"
    return True


def _below(folder: Path) -> Iterator[Path]:
    """Files and folders, but for hidden ones and installed packages."""
    for above, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in SKIPPED]
        yield from (Path(above, each) for each in (*folders, *names))
