"""A data set by name: how to load it, whether it is here, where it is from.

Most are records: files with their checksums, and the function that makes features and labels of them (`TableFiles`).
Each file's content is parsed once a process, and again when the file has moved or changed.

Limits: sizes are what the record states; the loader checks the file itself, so nothing here reads it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.datasets.files import Content, DataFile, are_here, parsed
from dpverify.datasets.table import Table

Float = NDArray[np.float64]
Contents = tuple[Content, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset(ABC):
    """A named data set in the registry.

    Attributes
    ----------
    name : str
        Registry name.
    rows, columns : int or None
        Of what `load` returns (records or documents, features), intercept included; None where that depends on what is
        here.
    source, licence : str
        Where it comes from, and the licence as known.
    """

    name: str
    rows: int | None
    columns: int | None
    source: str
    licence: str

    @abstractmethod
    def load(self) -> Any:
        """A Table (or Sessions ...); raises InputError, one line, when a file is missing or damaged."""

    @abstractmethod
    def available(self) -> bool:
        """Whether `load` would find its files without a download. Never raises, reads no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made(Dataset):
    """A data set that needs no file: `make` returns it."""

    make: Callable[[], Any]

    def load(self) -> Any:
        """What `make` returns."""
        return self.make()

    def available(self) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Files(Dataset):
    """A data set that is read from files."""

    files: tuple[DataFile, ...]
    """All of them are needed."""

    def available(self) -> bool:
        """Whether all files lie in the data folders (their checksums are looked at by the loader only)."""
        return are_here(*self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFiles(Files):
    """A table that is read from files."""

    parse: Callable[[Contents], tuple[Float, Float]]
    """``parse(contents) -> (features, labels)``: from the files' contents, in order, to arrays of shapes (n, d) and
    (n,); InputError for a malformed content."""

    def load(self, *, download: bool = False) -> Table:
        """The table.

        Parameters
        ----------
        download : bool
            Fetch missing files into the user's cache, where they have an address; otherwise nothing is downloaded.

        Raises
        ------
        InputError
            When a file is missing, truncated or altered: one line that names it, both checksums and the remedy.
        """
        return parsed(self.files, self.table, download=download)

    def table(self, contents: Contents) -> Table:
        """The table of these contents; `sha256` joins those of the files by "+"."""
        features, labels = self.parse(contents)
        sha256 = "+".join(each.sha256 for each in contents)
        return Table(features=features, labels=labels, name=self.name, source=self.source, sha256=sha256)


def load_table(name: str) -> Table:
    """Load a registered data set by its name.

    Parameters
    ----------
    name : str
        Such as ``adult``, ``breast-cancer`` or ``auto``.

    Raises
    ------
    InputError
        For an unknown name (with the nearest known ones), for a data set of another kind, or when its files are missing
        or damaged.
    """
    from dpverify.core.plugins import registry

    found: Dataset = registry().datasets.get(name)
    loaded = found.load()
    if not isinstance(loaded, Table):
        raise InputError(f"data set {name!r} is a {type(loaded).__name__}", allowed="a data set of labelled records")
    return loaded
