"""Files that a mechanism's texts name: compiled code opens a file unheard, so every file that it could name counts.

A name counts in the working folder, beside the mechanism's modules, and in folders that another text names. What is put
together otherwise (``f"{year}.csv"``) is not seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

MOST = 100_000
"""Most names with a folder that are tried; without one they are looked up in lists of the folders."""

LONGEST = 4096


def named_files(texts: Iterable[str | bytes], folders: Iterable[str]) -> tuple[set[str], str]:
    """The regular files under these names; and what cannot be told, or an empty text."""
    short = (os.fsdecode(each) for each in texts if 0 < len(each) <= LONGEST)
    names = {os.path.expanduser(each) for each in short if "\0" not in each and "\n" not in each}
    plain = {each for each in names if os.sep not in each}
    paths = names - plain
    files, places, done = set[str](), {".", *folders}, set[str]()
    for _ in range(2):  # what lies in the folders, then what lies in folders that are named
        places = {each for place in places if (each := os.path.abspath(place)) not in done}
        done |= places
        if len(done) * len(paths) > MOST:
            return files, f"{len(paths)} texts with a {os.sep} may name files in {len(done)} folders"
        here = {os.path.join(place, each) for place in places for each in paths | (plain & _listed(place))}
        files |= {each for each in here if os.path.isfile(each)}
        places = {each for each in here if os.path.isdir(each)}
    return files, ""


def _listed(place: str) -> set[str]:
    with suppress(OSError):
        return set(os.listdir(place))
    return set()
