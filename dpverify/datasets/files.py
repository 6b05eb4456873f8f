"""Files of data sets: find them, check them, and download them only when asked.

What it is: a file is looked for below the folder that the environment variable DPVERIFY_DATA names, then below the
user's cache; ``download=True`` fetches what is missing into the cache (pooch, https, checksum). Each may lie there
unpacked or packed under its own name. Whatever is read is checked against its sha256 first, so a truncated or altered
file never reaches a parser. The unpacked checksum decides: a file that somebody packed again is the same file. `parsed`
keeps what a parser made of files until they change.

Limits: whole files in memory. Nothing is downloaded, and nothing is written, without being asked.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeVar, cast

from dpverify.core.errors import InputError, one_line
from dpverify.core.fields import Checked

VARIABLE = "DPVERIFY_DATA"
_UNPACK = {".xz": lzma.decompress, ".gz": gzip.decompress}
_GIT_ID = 40  # digits of a whole one
_KEPT = 8  # results of parsers: as many as the data sets have that one run reads
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile(Checked):
    """One file of a data set."""

    folder: str
    name: str
    """`folder`, `name`: ``adult`` and ``a9a``: where it lies below a data folder, and its unpacked name."""
    sha256: str = ""
    """Of the unpacked file; empty where only `git_blob` is known."""
    git_blob: str = ""
    """The unpacked file's id in git, or how it begins."""
    packing: Literal["", ".xz", ".gz"] = ""
    """The suffix under which it may lie packed."""
    packed_sha256: str = ""
    """Of the packed file as distributed; only named in messages."""
    url: str = ""
    """Of the unpacked file; empty when it cannot be downloaded."""

    def called(self) -> str:
        """``file 'a9a'``."""
        return f"file {self.name!r}"

    @property
    def path(self) -> str:
        """As messages name it: ``adult/a9a.xz``."""
        return f"{self.folder}/{self.name}{self.packing}"

    @property
    def known_by(self) -> str:
        """The checksum that the unpacked content must have, as messages say it."""
        if self.sha256:
            return f"sha256 {self.sha256}"
        return f"git blob id {self.git_blob}{'...' if len(self.git_blob) < _GIT_ID else ''}"

    def wrong(self, content: bytes) -> str:
        """The unpacked content's checksum, as messages say it, where it is not this file's; empty where it is."""
        if self.sha256:
            found = hashlib.sha256(content).hexdigest()
            return "" if found == self.sha256 else f"sha256 {found}"
        found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        return "" if self.git_blob and found.startswith(self.git_blob) else f"git blob id {found}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file holds: where it was found, its unpacked bytes, their sha256, and which file it is."""

    file: DataFile
    path: Path
    data: bytes
    sha256: str


def cache_folder() -> Path:
    """The user's cache for downloads; not created here."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("dpverify"))


def folders() -> tuple[Path, ...]:
    """Where files are looked for, in this order: $DPVERIFY_DATA when it is set, then the user's cache.

    InputError when DPVERIFY_DATA is set and names no folder: a typing error must not silently choose other data.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return (cache_folder(),)
    if not Path(named).is_dir():
        raise InputError(
            f"{VARIABLE}={named} is no folder",
            allowed="a folder that holds adult/, mnist/ ...",
            remedy=f"correct it, or unset {VARIABLE}",
        )
    return (Path(named), cache_folder())


def find(file: DataFile) -> Path | None:
    """The first path at which `file` lies (unpacked or packed), or None; its content is not looked at."""
    names = [file.name, file.name + file.packing] if file.packing else [file.name]
    paths = (folder / file.folder / name for folder in folders() for name in names)
    return next((path for path in paths if path.exists()), None)


def are_here(*files: DataFile) -> bool:
    """Whether all of them lie in the data folders; their checksums are looked at by loaders only."""
    try:
        return all(find(file) is not None for file in files)
    except InputError:  # DPVERIFY_DATA names no folder
        return False


def locate(file: DataFile, *, download: bool = False) -> Path:
    """The path at which `file` lies, after a download when it is missing and `download` is True.

    Raises
    ------
    InputError
        When it is missing and may not, or cannot, be downloaded: one line that says where it was looked for and what
        to do.
    """
    found = find(file)
    if found is not None:
        return found
    if download and file.url:
        return _download(file)
    fetch = " or load it with download=True" if file.url and not download else ""
    raise InputError(
        f"data file {file.path} is not here",
        allowed=f"the file below {' or '.join(str(folder) for folder in folders())}",
        remedy=f"set {VARIABLE} to the folder that holds {file.folder}/{fetch}",
    )


def read(file: DataFile, *, download: bool = False) -> Content:
    """Read a file whole, unpacked, its checksum verified.

    InputError when it is missing, unreadable, truncated or altered; names the file, both checksums and the remedy.
    """
    path = locate(file, download=download)
    remedy = f"replace the file{' (delete it and load with download=True)' if file.url else ''}"
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(
            f"data file {path} cannot be read ({problem.strerror or type(problem).__name__})",
            allowed=f"a readable file with {file.known_by}",
            remedy="correct its type or permissions",
        ) from problem
    packed = bool(file.packing) and path.name.endswith(file.packing)
    if packed:
        raw = content
        try:
            content = _UNPACK[file.packing](raw)
        except (lzma.LZMAError, EOFError, OSError, zlib.error) as problem:
            raise InputError(
                f"data file {path} cannot be unpacked ({one_line(str(problem))}), its sha256 is {_digest(raw)}",
                allowed=f"sha256 {file.packed_sha256}" if file.packed_sha256 else f"{file.known_by} once unpacked",
                remedy=remedy,
            ) from problem
    if wrong := file.wrong(content):
        once = " once unpacked" if packed else ""
        raise InputError(f"data file {path} has {wrong}{once}", allowed=f"{file.known_by}{once}", remedy=remedy)
    return Content(file=file, path=path, data=content, sha256=_digest(content))


def parsed(
    files: tuple[DataFile, ...], parse: Callable[[tuple[Content, ...]], Parsed], *, download: bool = False
) -> Parsed:
    """What `parse` makes of the files' contents: once a process, and again when a file has moved or changed.

    The last few results are kept, whoever asked for them (`forget` drops them).

    InputError as :func:`read` does, and as `parse` does.
    """
    paths = tuple(locate(file, download=download) for file in files)
    states = tuple((status.st_mtime_ns, status.st_size) for status in (path.stat() for path in paths))
    return cast("Parsed", _parsed(files, parse, paths, states))


@lru_cache(maxsize=_KEPT)
def _parsed(
    files: tuple[DataFile, ...],
    parse: Callable[[tuple[Content, ...]], object],
    _paths: tuple[Path, ...],
    _states: tuple[tuple[int, int], ...],
) -> object:
    """The last two arguments are there to notice changes."""
    return parse(tuple(read(file) for file in files))


def forget() -> None:
    """Drop all that was parsed."""
    _parsed.cache_clear()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _download(file: DataFile) -> Path:
    from dpverify.core.extras import pooch

    try:
        path = pooch.retrieve(
            url=file.url, known_hash=f"sha256:{file.sha256}", fname=file.name, path=cache_folder() / file.folder
        )
    except (OSError, ValueError) as problem:  # requests' errors are OSErrors; a wrong checksum is a ValueError
        raise InputError(
            f"{file.url} could not be downloaded ({one_line(str(problem))})",
            allowed=f"a file with {file.known_by}",
            remedy=f"fetch it by hand and set {VARIABLE} to the folder that holds {file.folder}/{file.name}",
        ) from problem
    return Path(path)
