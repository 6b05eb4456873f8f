"""One key of everything that a user's audit follows from: under another key nothing that was kept is used again.

It covers the mechanism's code and values (`dpverify.code_key.values`), the sources of the modules that it is made of
(`dpverify.code_key.modules`), the environment variables and files that these have read (`dpverify.code_key.reads`),
files that their texts name, shared libraries that they have loaded, dpverify and
Python. A program (`dpverify.command`) is known by its text, the files that it names, and the code beside these. It is
the same in every process and folder. Errs on the side of change: a comment makes a new key. Not seen: `NOT_LOOKED_AT`.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dpverify import __version__
from dpverify.code_key import reads
from dpverify.code_key.modules import code_digest, digest_of, modules_of, own_file
from dpverify.code_key.values import Walk

NOT_LOOKED_AT = (
    "not looked at: network, clock, command line, whether files exist, what other programs read, and what compiled "
    "code reads under computed names"
)

_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", reads.STANDARD, reads.OURS)


@dataclass(frozen=True, slots=True)
class CodeKey:
    """16 hexadecimal digits; or none, and what could not be told: then nothing is kept, and nothing kept is used."""

    text: str
    unknown: str = ""


def code_key(mechanism: Any, *things: Any) -> CodeKey:
    """Hash a mechanism that has run as often as it is to be looked at, and other things by their values."""
    walk = Walk()
    name = getattr(mechanism, "__qualname__", None) or type(mechanism).__qualname__
    try:
        words = [
            f"dpverify {__version__} {code_digest()}",
            f"{platform.python_implementation()} {platform.python_version()}",
        ]
        words.append(walk.told(mechanism, name))
        texts = set(walk.texts)
        words += [walk.told(each, "what is asked") for each in things]
        modules = modules_of(walk.modules)
        words += modules.words()
        files = {*modules.files.values(), *walk.files}
        read = _of_these(files, walk.codes)
        texts |= {value for (kind, _), value in read.items() if kind == "environment" and value}
        named, too_many = named_files(texts, map(os.path.dirname, files))
        named -= {name for kind, name in read if kind == "written"}
        words += [*sorted(map(digest_of, walk.files)), *_read(read), *sorted(map(digest_of, named))]
        if walk.libraries or modules.compiled or any(kind == "library" for kind, _ in read):
            words += _libraries()
    except RecursionError:
        return CodeKey("", f"{name} holds sets within sets without end")
    unknown = walk.unknown or modules.unknown or too_many
    return CodeKey("", unknown) if unknown else CodeKey(_digest(words))


def _of_these(files: set[str], codes: set[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
    """Return what these files read: in the calls that were looked at, at import, and in functions that are reached."""
    found = {}
    for notes, all_count in ((reads.earlier, False), (reads.noted, True)):
        for (kind, name, asking, importing), value in list(notes.items()):
            by = [each for each in asking if each[0] in files]
            if by and (all_count or importing or any(each in codes or each[1] == "<module>" for each in by)):
                found[kind, name] = value
    return found


def _read(read: Mapping[tuple[str, str], str | None]) -> list[str]:
    """Values of variables, contents of files."""
    found = set()
    for (kind, name), value in read.items():
        if kind == "environment":
            found.add(f"{name} unset" if value is None else f"{name}={value}")
        elif kind == "file" and (os.path.isfile(name) or not os.path.exists(name)):
            found.add(f"file {digest_of(name)}")
    return sorted(found)


def _libraries() -> list[str]:
    """Contents of the shared libraries that are loaded, but for those of the system and of installed releases."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as stream:
            paths = {line.split(maxsplit=5)[5].strip() for line in stream if len(line.split(maxsplit=5)) == 6}
    except OSError:
        return []
    others = {each for each in paths if ".so" in each and own_file(each) and not each.startswith(_SYSTEM)}
    return sorted(digest_of(each) for each in others if not os.path.basename(each).startswith("libpython"))


def _digest(words: Iterable[str]) -> str:
    found = hashlib.sha256()
    for word in words:
        found.update(f"{len(word)}:{word}\n".encode(errors="surrogatepass"))
    return found.hexdigest()[:16]


def folder_key(package: str) -> str:
    """Hash dpverify and the modules of a library: versions of releases, sources where they are the user's own."""
    return _digest([code_digest(), *modules_of([package]).words()])


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
