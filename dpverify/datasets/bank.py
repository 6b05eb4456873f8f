"""UCI Bank Marketing as the papers on private optimisation use it: one-hot, scaled, with an intercept.

45,211 records of a bank's calls; 32 columns in the order of the file that the authors of DP-AGD (Lee and Kifer 2018)
prepared, every one scaled to [0, 1] by its own least and largest value (RSGD, section 5), and a column of ones: 33, as
in RSGD's Table 1. Labels: -1 no deposit (0.883), +1. Source: S. Moro, P. Cortez, P. Rita (2014), UCI "Bank Marketing".

Limits: the scaling looks at the data, which a private pipeline must not do for nothing; here the scaled table *is* the
data. Rows are not in the unit ball: see :meth:`~dpverify.datasets.table.Table.normalised`.

Not to be confused with the raw ``bank-full.csv`` of 16 columns.
"""

from __future__ import annotations

from functools import partial

from dpverify.core.registry import Registry
from dpverify.datasets.dataset import TableFiles
from dpverify.datasets.files import DataFile
from dpverify.datasets.preprocessing import parse_prepared

_COLUMNS = 32

BANK = TableFiles(
    name="bank",
    files=(
        DataFile(
            folder="bank",
            name="BANK.dat",
            packing=".xz",
            sha256="fe536a257d242b1fb78dd0e753d2c50176ef12a5dd23dfb86402f62127a3b96e",
            packed_sha256="9b3eaa767a21e669f7dfe23a780f939d870d02f43e17b241199c0ea50b790475",
        ),
    ),
    parse=partial(parse_prepared, columns=_COLUMNS),
    rows=45_211,
    columns=_COLUMNS + 1,
    source="UCI Bank Marketing (S. Moro, P. Cortez, P. Rita, 2014), as prepared for DP-AGD",
    licence="CC BY 4.0",
)
"""Features of shape (45211, 33) in [0, 1], the last the intercept; labels -1 and +1.

Nothing is downloaded: the prepared file has no home but a research repository.
"""


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(BANK.name, BANK)
