"""IPUMS-BR and IPUMS-US, census extracts of BLSGD, RSGD and DISS: files that the user brings.

IPUMS' terms of use restrict redistribution, so nothing here has or fetches them. The loaders take the files that the
authors of DP-AGD (Lee and Kifer 2018) prepared, as ``ipums/IPUMS-BR.dat`` and ``ipums/IPUMS-US.dat`` below a data
folder, plain or packed by xz: blank separated, no header, label 0 or 1 last. Known by their git blob ids, which is what
is published of them (of IPUMS-BR the first eight digits).

38,000 records, 52 columns and the intercept (RSGD, Table 1: 53); 40,000, 57 and the intercept (58). Scaled as RSGD,
section 5: see :mod:`dpverify.datasets.blank_separated`.

Not to be confused with a fresh extract from IPUMS, which has other records: it is refused.
"""

from __future__ import annotations

import hashlib
import lzma
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from dpverify.core.errors import InputError
from dpverify.datasets.blank_separated import labelled, parse_blank_separated
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.files import DataFile, are_here, locate
from dpverify.datasets.table import Table

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

_SOURCE = "IPUMS International ({}), as prepared for DP-AGD; the user's own copy"
EXTRACTS: dict[str, tuple[str, int, int]] = {
    "ipums-br": ("d2232b41", 38_000, 52),
    "ipums-us": ("4dc4b720b45f718a7dd09af2d5be36d91e891c99", 40_000, 57),
}
"""Git blob id (or how it begins), records, and columns without intercept and label."""


def _file(name: str) -> DataFile:
    return DataFile(folder="ipums", name=f"{name.upper()}.dat", packing=".xz", sha256="")


def load_ipums(name: str) -> Table:
    """Load ``ipums-br`` or ``ipums-us``: features in [0, 1], the last column the intercept, labels -1 and +1.

    Raises
    ------
    InputError
        For another name, or when the file is missing or another one; one line with both ids.
    """
    if name not in EXTRACTS:
        raise InputError(f"IPUMS extract {name!r}", allowed=", ".join(EXTRACTS))
    path = locate(_file(name))
    status = path.stat()
    return _parse(name, str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _parse(name: str, path: str, _changed: int, _size: int) -> Table:
    """Parse once a process, and again when the file has moved or changed: the arguments are there to notice that."""
    known, _, columns = EXTRACTS[name]
    content = _read(Path(path))
    found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if not found.startswith(known):
        raise InputError(
            f"data file {path} has git blob id {found}",
            allowed=f"{known}{'...' if len(known) < 40 else ''}, the file prepared for DP-AGD",
            remedy="bring that file; another extract has other records",
        )
    numbers = parse_blank_separated(content, columns=columns + 1, name=path)
    sha256 = hashlib.sha256(content).hexdigest()
    return labelled(numbers, name=name, source=_SOURCE.format(name[-2:].upper()), sha256=sha256)


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return lzma.decompress(content) if path.suffix == ".xz" else content
    except (OSError, lzma.LZMAError, EOFError) as problem:
        raise InputError(
            f"data file {path} cannot be read ({type(problem).__name__})",
            allowed="a text file, or one packed by xz",
            remedy="bring it again",
        ) from problem


def ipums_available(name: str) -> bool:
    """Whether the file lies in one of the data folders."""
    return are_here(_file(name))


def register(registry: Registry) -> None:
    """Register the data sets."""
    for name, (_, rows, columns) in EXTRACTS.items():
        registry.datasets.add(
            name,
            Dataset(
                name=name,
                load=partial(load_ipums, name),
                available=partial(ipums_available, name),
                rows=rows,
                columns=columns + 1,
                source=_SOURCE.format(name[-2:].upper()),
                licence="IPUMS terms of use; not redistributed",
            ),
        )
