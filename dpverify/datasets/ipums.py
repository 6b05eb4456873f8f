"""IPUMS-BR and IPUMS-US, census extracts of BLSGD, RSGD and DISS: files that the user brings.

IPUMS' terms of use restrict redistribution, so nothing here has or fetches them. The loaders take the files that the
authors of DP-AGD (Lee and Kifer 2018) prepared, as ``ipums/IPUMS-BR.dat`` and ``ipums/IPUMS-US.dat`` below a data
folder, plain or packed by xz: blank separated, no header, label 0 or 1 last. Known by their git blob ids, which is what
is published of them (of IPUMS-BR the first eight digits).

38,000 records, 52 columns and the intercept (RSGD, Table 1: 53); 40,000, 57 and the intercept (58). Scaled as RSGD,
section 5: see :mod:`dpverify.datasets.preprocessing`.

Not to be confused with a fresh extract from IPUMS, which has other records: it is refused.
"""

from __future__ import annotations

from functools import partial

from dpverify.core.registry import Registry
from dpverify.datasets.dataset import TableFiles
from dpverify.datasets.files import DataFile
from dpverify.datasets.preprocessing import parse_prepared


def extract(country: str, *, git_blob: str, rows: int, columns: int) -> TableFiles:
    """The prepared extract of a country; `columns` without intercept and label."""
    return TableFiles(
        name=f"ipums-{country.lower()}",
        files=(DataFile(folder="ipums", name=f"IPUMS-{country}.dat", packing=".xz", git_blob=git_blob),),
        parse=partial(parse_prepared, columns=columns),
        rows=rows,
        columns=columns + 1,
        source=f"IPUMS International ({country}), as prepared for DP-AGD; the user's own copy",
        licence="IPUMS terms of use; not redistributed",
    )


EXTRACTS = (
    extract("BR", git_blob="d2232b41", rows=38_000, columns=52),
    extract("US", git_blob="4dc4b720b45f718a7dd09af2d5be36d91e891c99", rows=40_000, columns=57),
)
"""Features in [0, 1], the last the intercept; labels -1 and +1."""


def register(registry: Registry) -> None:
    """Register the data sets."""
    for each in EXTRACTS:
        registry.datasets.add(each.name, each)
