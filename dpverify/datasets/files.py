"""Files of data sets: find them, check them, and download them only when asked.

What it is: a file is looked for below the folder that the environment variable DPVERIFY_DATA names, then below the
user's cache; ``download=True`` fetches what is missing into the cache (pooch, https, checksum). Each may lie there
unpacked or packed under its own name. Whatever is read is checked against its sha256 first, so a truncated or altered
file never reaches a parser. The unpacked checksum decides: a file that somebody packed again is the same file.

Limits: whole files in memory. Nothing is downloaded, and nothing is written, without being asked.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from dpverify.core.errors import InputError, one_line

VARIABLE = "DPVERIFY_DATA"
_UNPACK = {".xz": lzma.decompress, ".gz": gzip.decompress}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One file of a data set.

    Attributes
    ----------
    folder, name : str
        ``adult`` and ``a9a``: where it lies below a data folder, and its unpacked name.
    sha256 : str
        Of the unpacked file.
    packing : ".xz", ".gz" or ""
        The suffix under which it may lie packed.
    packed_sha256 : str
        Of the packed file as distributed; only named in messages.
    url : str
        Of the unpacked file; empty when it cannot be downloaded.
    """

    folder: str
    name: str
    sha256: str
    packing: str = ""
    packed_sha256: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        if self.packing not in ("", *_UNPACK):
            raise InputError(f"packing {self.packing!r} of {self.name}", allowed=", ".join(_UNPACK))

    @property
    def path(self) -> str:
        """As messages name it: ``adult/a9a.xz``."""
        return f"{self.folder}/{self.name}{self.packing}"


def cache_folder() -> Path:
    """The user's cache for downloads; not created here."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("dpverify"))


def folders() -> tuple[Path, ...]:
    """Where files are looked for, in this order: $DPVERIFY_DATA when it is set, then the user's cache.

    Raises
    ------
    InputError
        When DPVERIFY_DATA is set and names no folder: a typing error must not silently choose other data.
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


def read(file: DataFile, *, download: bool = False) -> tuple[Path, bytes]:
    """Read a file whole, unpacked, its checksum verified.

    Returns
    -------
    (path, content)
        Where it was found, and the unpacked bytes, whose sha256 is `file.sha256`.

    Raises
    ------
    InputError
        When it is missing, unreadable, truncated or altered; names the file, both checksums and the remedy.
    """
    path = locate(file, download=download)
    remedy = f"replace the file{' (delete it and load with download=True)' if file.url else ''}"
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(
            f"data file {path} cannot be read ({problem.strerror or type(problem).__name__})",
            allowed=f"a readable file with sha256 {file.sha256}",
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
                allowed=f"sha256 {file.packed_sha256 or f'{file.sha256} once unpacked'}",
                remedy=remedy,
            ) from problem
    if (found := _digest(content)) != file.sha256:
        once = " once unpacked" if packed else ""
        raise InputError(
            f"data file {path} has sha256 {found}{once}", allowed=f"sha256 {file.sha256}{once}", remedy=remedy
        )
    return path, content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _download(file: DataFile) -> Path:
    import pooch

    try:
        path = pooch.retrieve(
            url=file.url, known_hash=f"sha256:{file.sha256}", fname=file.name, path=cache_folder() / file.folder
        )
    except (OSError, ValueError) as problem:  # requests' errors are OSErrors; a wrong checksum is a ValueError
        raise InputError(
            f"{file.url} could not be downloaded ({one_line(str(problem))})",
            allowed=f"a file with sha256 {file.sha256}",
            remedy=f"fetch it by hand and set {VARIABLE} to the folder that holds {file.folder}/{file.name}",
        ) from problem
    return Path(path)
