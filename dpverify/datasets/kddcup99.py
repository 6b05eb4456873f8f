"""KDD Cup 1999, 10 percent: network connections, attack or normal; one-hot, scaled, with an intercept.

494,021 records of 41 fields. Protocol, service and flag become one column for each of their values (3, 66 and 11, in
the order of their names), in the place of the field; the 38 others are scaled to [0, 1] by their own least and largest
value (RSGD, section 5); two are constant and become zeros. With a column of ones for the intercept that is 119. Labels:
+1 attack (0.803), -1 normal. Source: UCI KDD Archive (DARPA 1998, MIT Lincoln Labs).

RSGD's Table 1 has 4,898,431 records, the whole set, and 120 columns: it has four services more, and how the paper
counts them is not said. RSGD's Fig. 3 runs on parts of 50,000 to 250,000 records: `KddCup.load` takes parts of any
size, scaled by the whole.

Limits: dense float64, 470 MB for all records; half of the records are copies of others. Rows are not in the unit ball:
see :meth:`~dpverify.datasets.table.Table.normalised`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Contents, Files, Float
from dpverify.datasets.files import DataFile, parsed
from dpverify.datasets.preprocessing import scaled, with_intercept
from dpverify.datasets.table import Table

Integer = NDArray[np.int64]

_FIELDS = 42
_NAMED = (1, 2, 3)
_PART_SEED = 0  # which records make up a part: in its definition, never an audit's randomness


@dataclass(frozen=True, slots=True, kw_only=True)
class _Connections:
    """Every different line once: features and label, and which of them each record is; the file's sha256."""

    features: Float
    labels: Float
    of: Integer
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KddCup(Files):
    """The data set, of which parts of any size can be loaded."""

    def load(self, size: int | None = None) -> Table:
        """All, or a part: features of shape (size, 119) in [0, 1], the last column the intercept, labels -1 and +1.

        Parameters
        ----------
        size : int or None
            How many records, 1 .. 494,021: the first of one fixed random order, so that smaller parts lie in larger
            ones. None for all, in the order of the file (which is by attack).

        Raises
        ------
        InputError
            For another size, or when the file is missing, truncated or altered: one line that names it, both checksums
            and the remedy.
        """
        found = parsed(self.files, _parse)
        chosen, name, sha256 = found.of, self.name, found.sha256
        if size is not None:
            if not 1 <= size <= found.of.size:
                raise InputError(f"{size} records of {self.name}", allowed=f"1..{found.of.size}")
            order = np.random.Generator(np.random.PCG64(_PART_SEED)).permutation(found.of.size)
            chosen, name, sha256 = found.of[order[:size]], f"{self.name}, {size} records", ""
        return Table(
            features=found.features[chosen], labels=found.labels[chosen], name=name, source=self.source, sha256=sha256
        )


KDDCUP99 = KddCup(
    name="kddcup99",
    files=(
        DataFile(
            folder="kddcup99",
            name="kddcup.data_10_percent",
            packing=".gz",
            sha256="f8c8267ebcd9c0ed1fd7d6277fe5bfff8732e9b7db8e61b873542b2a534b6f9a",
            packed_sha256="8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
        ),
    ),
    rows=494_021,
    columns=119,
    source="UCI KDD Cup 1999, 10 percent (DARPA 1998, MIT Lincoln Labs)",
    licence="CC BY 4.0",
)


def _parse(contents: Contents) -> _Connections:
    (content,) = contents
    numbers: dict[bytes, int] = {}
    of = np.array([numbers.setdefault(line, len(numbers)) for line in content.data.split()], dtype=np.int64)
    if not numbers or any(line.count(b",") != _FIELDS - 1 for line in numbers):
        what = f"{content.path} is not in the form of KDD Cup 1999"
        raise InputError(what, allowed=f"lines of {_FIELDS} fields with commas")
    fields = np.array(b",".join(numbers).split(b",")).reshape(-1, _FIELDS)
    columns: list[Float] = []
    for place in range(_FIELDS - 1):
        if place in _NAMED:
            columns.extend((fields[:, place] == name).astype(np.float64) for name in np.unique(fields[:, place]))
        else:
            columns.append(_numbers(fields[:, place], str(content.path)))
    features = with_intercept(scaled(np.column_stack(columns)))
    labels = np.where(fields[:, -1] == b"normal.", -1.0, 1.0)
    return _Connections(features=features, labels=labels, of=of, sha256=content.sha256)


def _numbers(texts: NDArray[np.bytes_], name: str) -> Float:
    try:
        return texts.astype(np.float64)
    except ValueError as problem:
        raise InputError(f"{name} with something that is no number", allowed="numbers in 38 fields") from problem


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(KDDCUP99.name, KDDCUP99)
