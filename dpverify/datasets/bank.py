"""UCI Bank Marketing as the papers on private optimisation use it: one-hot, scaled, with an intercept.

45,211 records of a bank's calls; 32 columns in the order of the file that the authors of DP-AGD (Lee and Kifer 2018)
prepared, every one scaled to [0, 1] by its own least and largest value (RSGD, section 5), and a column of ones: 33, as
in RSGD's Table 1. Labels: -1 no deposit (0.883), +1. Source: S. Moro, P. Cortez, P. Rita (2014), UCI "Bank Marketing".

Limits: the scaling looks at the data, which a private pipeline must not do for nothing; here the scaled table *is* the
data. Rows are not in the unit ball: see :meth:`~dpverify.datasets.table.Table.normalised`.

Not to be confused with the raw ``bank-full.csv`` of 16 columns.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dpverify.datasets.blank_separated import labelled, parse_blank_separated
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.files import DataFile, are_here, locate, read
from dpverify.datasets.table import Table

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

_SOURCE = "UCI Bank Marketing (S. Moro, P. Cortez, P. Rita, 2014), as prepared for DP-AGD"
COLUMNS = 32
"""Features, without the intercept."""

DATA = DataFile(
    folder="bank",
    name="BANK.dat",
    packing=".xz",
    sha256="fe536a257d242b1fb78dd0e753d2c50176ef12a5dd23dfb86402f62127a3b96e",
    packed_sha256="9b3eaa767a21e669f7dfe23a780f939d870d02f43e17b241199c0ea50b790475",
)


def load_bank() -> Table:
    """Load it: features of shape (45211, 33) in [0, 1], the last column the intercept, labels -1 and +1.

    Raises
    ------
    InputError
        When the file is missing, truncated or altered: one line that names it, both checksums and the remedy. Nothing
        is downloaded: the prepared file has no home but a research repository.
    """
    path = locate(DATA)
    status = path.stat()
    return _parse(str(path), DATA.sha256, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _parse(_path: str, sha256: str, _changed: int, _size: int) -> Table:
    """Parse once a process, and again when the file has moved or changed: the arguments are there to notice that."""
    path, content = read(DATA)
    numbers = parse_blank_separated(content, columns=COLUMNS + 1, name=str(path))
    return labelled(numbers, name="bank", source=_SOURCE, sha256=sha256)


def bank_available() -> bool:
    """Whether the file lies in one of the data folders."""
    return are_here(DATA)


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(
        "bank",
        Dataset(
            name="bank",
            load=load_bank,
            available=bank_available,
            rows=45_211,
            columns=COLUMNS + 1,
            source=_SOURCE,
            licence="CC BY 4.0",
        ),
    )
