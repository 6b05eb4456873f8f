"""LETOR 4.0, MQ2008, supervised ranking: the data of DISS chapter 6 that is here (MQ2007 is not).

784 sessions of 5 to 121 documents with 46 features in [0, 1] and labels 0, 1, 2, in five parts S1 to S5; fold i trains
on three of them, the next validates, the one after tests. Source: T. Qin, T.-Y. Liu (2013), arXiv 1306.2597.

The order of the sessions, and of the documents in each, is that of the files. No intercept: DISS section 6.6.3 puts a
bias into the model. Nothing can be downloaded: the files are for research only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.datasets.dataset import Contents, Files
from dpverify.datasets.files import DataFile, parsed
from dpverify.datasets.sessions import Sessions, joined

_COMMENT = re.compile(rb"#[^\n]*")
COLUMNS = 46
_SUMS = {
    "S1": (
        "cbd42504549a2388f6c0aefdb506f22074225b574c7a5df10194174c9b00e4e0",
        "59c8152a910dc36685097ec02f9c0f2de27341016c1f5ee999d34ff6b651b7c4",
    ),
    "S2": (
        "055ac792cb8f7d5a029090b8acbfb6c57323339d1371251bf2465ac182aa8605",
        "93bf56166f482f8c6fbd6ad06630242bec4b747bd0bc364e11d1e348a9fbd07c",
    ),
    "S3": (
        "a03fe2b6e76479de60fecdb37d560a40a4e899b0cd685553d2da31ea205af1ab",
        "aa8e81d9096e65931f6922e75fb6c7d60b0970a2001a057d761634b0bd188eff",
    ),
    "S4": (
        "a239850bc6fe960ad08c2b7b0d99db90fe976dd93a15358e98036591b4e7a2ac",
        "2cdfba2a1992ff09fd43b15aedddd21deaa0ee8c7775746d54037e22ab345523",
    ),
    "S5": (
        "c68c52feb1ecae7f17b64c8e2fda2098302681bbd4ea5fad8c73a1d32a1cf2b2",
        "0c5e15d2da15438ea8fc1615445d387bf25438bec41f43ccf5047ee750b13a3b",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One of the five splits that come with LETOR: three parts, one, one."""

    train: Sessions
    validation: Sessions
    test: Sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Letor(Files):
    """The data set; parts and folds of it can be loaded."""

    def load(self, *parts: str) -> Sessions:
        """Parts ``S1`` .. ``S5`` in the order given, all five for none.

        InputError for another part, or when a file is missing, truncated or altered (one line with both checksums).
        """
        known = {_part(file): file for file in self.files}
        for name in parts:
            if name not in known:
                raise InputError(f"part {name!r} of {self.name}", allowed=", ".join(known))
        names = parts or tuple(known)
        loaded = tuple(parsed((known[name],), _parse) for name in names)
        return joined(loaded, name=self.name if names == tuple(known) else f"{self.name} {' '.join(names)}")

    def fold(self, number: int) -> Fold:
        """Fold 1 .. 5: fold i trains on parts i, i + 1, i + 2, validates on i + 3 and tests on i + 4 (cyclic)."""
        names = [_part(file) for file in self.files]
        if number not in range(1, 6):
            raise InputError(f"fold {number} of {self.name}", allowed="1 .. 5")
        turned = names[number - 1 :] + names[: number - 1]
        return Fold(train=self.load(*turned[:3]), validation=self.load(turned[3]), test=self.load(turned[4]))


MQ2008 = Letor(
    name="mq2008",
    files=tuple(
        DataFile(folder="mq2008", name=f"{name}.txt", packing=".xz", sha256=plain, packed_sha256=packed)
        for name, (plain, packed) in _SUMS.items()
    ),
    rows=15_211,
    columns=COLUMNS,
    source="LETOR 4.0 MQ2008 (T. Qin, T.-Y. Liu, 2013), supervised ranking",
    licence="released for research; no standard licence stated",
)


def _part(file: DataFile) -> str:
    return file.name.removesuffix(".txt")


def _parse(contents: Contents) -> Sessions:
    (content,) = contents
    labels, features, queries = parse_letor(content.data, columns=COLUMNS, name=str(content.path))
    starts = np.flatnonzero(np.append(True, queries[1:] != queries[:-1]))
    if np.unique(queries).size != starts.size:
        raise InputError(f"{content.path}: a query in two places", allowed="the documents of a query in one block")
    return Sessions(
        documents=features,
        labels=labels,
        offsets=np.append(starts, queries.size),
        name=f"{MQ2008.name} {_part(content.file)}",
        source=MQ2008.source,
        sha256=content.sha256,
    )


def parse_letor(content: bytes, *, columns: int, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lines ``label qid:N 1:v ... #comment`` as (labels, features, query numbers), float64 except for the last.

    InputError for the first line that is not of that form with features 1 .. `columns`, by its number.
    """
    lines = _COMMENT.sub(b"", content).replace(b"qid:", b"").replace(b":", b" ").splitlines()
    rows = [line.split() for line in lines]
    width = 2 + 2 * columns
    wrong = next((place for place, row in enumerate(rows) if len(row) != width), None)
    if wrong is not None or not rows:
        raise InputError(
            f"{name}, line {1 + (wrong or 0)}: no document with {columns} features",
            allowed="label qid:N 1:v 2:v ... in every line",
        )
    try:
        numbers = np.array([number for row in rows for number in row], dtype=np.bytes_).astype(np.float64)
    except ValueError as problem:
        raise InputError(f"{name}: {problem}", allowed="numbers") from problem
    table = numbers.reshape(len(rows), width)
    if not (table[:, 2::2] == np.arange(1, columns + 1)).all():
        at = int(np.argmin((table[:, 2::2] == np.arange(1, columns + 1)).all(axis=1)))
        raise InputError(f"{name}, line {at + 1}: features out of order", allowed=f"features 1 .. {columns}")
    return table[:, 0], table[:, 3::2], table[:, 1].astype(np.int64)


def register(registry: Registry) -> None:
    """Register the data set."""
    registry.datasets.add(MQ2008.name, MQ2008)
