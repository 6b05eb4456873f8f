"""Scores as subjects: what was recorded is all that there is, so it comes back whatever stream is given.

Scores from a file: columns ``in`` and ``out``, or ``score`` and ``included``; CSV, JSON, NPY or NPZ.

- CSV: a header line with the two names; with ``in,out`` the shorter column ends in empty cells.
- JSON: an object of two lists, or a list of objects with ``score`` and ``included``.
- NPZ: two arrays of these names.
- NPY: shape (n, 2), the columns score and included (``in`` and ``out`` need names: use NPZ).
"""

from __future__ import annotations

import csv
import io
import math
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError, one_line
from dpverify.core.npy import read_npy
from dpverify.core.read_untrusted import LARGEST, csv_text, open_regular, parse_json, read_text, shortened
from dpverify.core.subjects import Float

FEWEST_CANARIES = 2
MOST_VALUES = 10**6


SUFFIXES = (".csv", ".json", ".npz", ".npy")
COLUMNS = "columns 'in' and 'out', or 'score' and 'included'"
ALIASES = {"in": "in", "out": "out", "score": "score", "scores": "score", "included": "included"}
MOST_COLUMNS = 1000
MOST_NAMES = 8
_TROUBLE = (MemoryError, OverflowError, NotImplementedError, RuntimeError, csv.Error, zipfile.BadZipFile, zlib.error)
WORDS = {"true": 1.0, "false": 0.0, "in": 1.0, "out": 0.0}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedScores:
    """Scores of trainings with the record (`inside`) and without (`outside`), float64, shapes (n,) and (m,)."""

    inside: Float
    outside: Float

    def scores(self, *, rng: np.random.Generator) -> tuple[Float, Float]:
        """Scores with and without the record, as they were recorded."""
        return self.inside, self.outside


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedRun:
    """One training: a score a canary, shape (m,), or one for each of its values, shape (m, values); and its value."""

    given: Float
    included: NDArray[np.int64]
    values: int = 2

    @property
    def canaries(self) -> int:
        """Number of canaries."""
        return int(self.included.size)

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """Scores and values of the canaries, as they were recorded."""
        return self.given, self.included


def numbers(values: ArrayLike, what: str, *, dimensions: Sequence[int] = (1,)) -> Float:
    """Return float64; InputError for what is none, is empty, or has another number of dimensions."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{what}: a number beyond all floating-point ones", allowed="numbers below 1.8e308") from None
    except (TypeError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{what} are not all numbers", allowed="a list of numbers") from None
    if array.ndim not in dimensions or array.size == 0:
        raise InputError(
            f"{what} of shape {array.shape}",
            allowed=f"{' or '.join(map(str, dimensions))}-dimensional, at least one number",
        )
    return array


def inclusions(values: ArrayLike) -> NDArray[np.int64]:
    """Return integers of booleans, or of whole numbers from 0; InputError for anything else."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise InputError("inclusions of different lengths", allowed="one number a canary") from None
    whole = array.dtype.kind in "biuf" and array.ndim == 1 and array.size >= FEWEST_CANARIES
    if not whole or not np.all(array == np.floor(array)) or np.min(array) < 0 or np.max(array) >= MOST_VALUES:
        raise InputError(
            f"inclusions of shape {array.shape} and type {array.dtype}",
            allowed="one true or false (or 1 or 0, or the number of the canary's value, below a million) for each of 2 "
            "canaries or more",
        )
    return array.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreFile:
    """The content of a file: `kind` tells which two columns."""

    kind: Literal["in/out", "score/included"]
    first: Float
    second: Float | NDArray[np.int64]


def read_scores(path: Path) -> ScoreFile:
    """Read a score file.

    Raises
    ------
    InputError
        No such file, another suffix, unreadable contents, or other columns; one line.
    """
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: not a score file by its name", allowed=f"a file ending in {', '.join(SUFFIXES)}")
    try:
        columns = _READERS[path.suffix](path)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"no file {path}", allowed="an existing file") from None
    except (OSError, ValueError, KeyError, EOFError, *_TROUBLE) as problem:
        said = shortened(one_line(str(problem)), most=300)
        raise InputError(
            f"{path} cannot be read: {said or type(problem).__name__}",
            allowed=f"a whole {path.suffix} file with {COLUMNS}",
        ) from problem
    return _known(columns, path)


def _known(columns: Mapping[str, Any], path: Path) -> ScoreFile:
    names: dict[str, Any] = {}
    for name, values in columns.items():
        known = ALIASES.get(str(name).strip().lower())
        if known in names:
            raise InputError(f"{path}: two columns that are both {known!r}", allowed=COLUMNS)
        if known is not None:
            names[known] = values
    if {"in", "out"} & set(names) and {"score", "included"} & set(names):
        raise InputError(f"{path}: columns {_listed(names)}", allowed=f"{COLUMNS}, not both")
    if {"in", "out"} <= set(names):
        return ScoreFile(
            kind="in/out", first=numbers(names["in"], f"{path}: in"), second=numbers(names["out"], f"{path}: out")
        )
    if {"score", "included"} <= set(names):
        scores = numbers(names["score"], f"{path}: scores", dimensions=(1, 2))
        return ScoreFile(kind="score/included", first=scores, second=inclusions(names["included"]))
    raise InputError(f"{path}: columns {_listed(columns) or '(none)'}", allowed=COLUMNS)


def _listed(names: Iterable[object]) -> str:
    some = [shortened(str(name)) for name in islice(names, MOST_NAMES + 1)]
    return ", ".join(some[:MOST_NAMES]) + (", ..." if len(some) > MOST_NAMES else "")


def _csv(path: Path) -> dict[str, Any]:
    with open_regular(path) as stream:
        text = io.StringIO(csv_text(stream.read()), newline="")
    rows = [row for row in csv.reader(text) if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise InputError(f"{path}: {len(rows)} lines", allowed=f"a header line with {COLUMNS}, and at least one more")
    header, body = rows[0], rows[1:]
    if len(set(header)) < len(header):
        raise InputError(f"{path}: columns {_listed(header)}", allowed="each name once")
    if len(header) > MOST_COLUMNS:  # each is looked for on every line
        raise InputError(f"{path}: {len(header)} columns", allowed=f"at most {MOST_COLUMNS}, {COLUMNS} among them")
    columns: dict[str, Any] = {}
    for place, name in enumerate(header):
        cells = [row[place].strip() if place < len(row) else "" for row in body]
        while cells and not cells[-1]:
            cells.pop()
        columns[name] = [_cell(cell, name, line) for line, cell in enumerate(cells, start=2)]
    if any(name.strip().lower().startswith("score") for name in header) and len({*map(len, columns.values())}) > 1:
        raise InputError(f"{path}: columns of different lengths", allowed="a score and an inclusion on every line")
    return columns


def _cell(cell: str, name: str, line: int) -> float:
    said, name = shortened(cell), shortened(name)
    try:
        found = WORDS[cell.lower()] if cell.lower() in WORDS else float(cell)
    except ValueError:
        raise InputError(f"{said!r} in column {name!r} on line {line}", allowed="a number") from None
    if math.isinf(found) and "inf" not in cell.lower():
        raise InputError(f"{said!r} in column {name!r} on line {line}", allowed="a number below 1.8e308, or inf")
    return found


def _json(path: Path) -> dict[str, Any]:
    found = parse_json(read_text(path), pairs=_once)
    if isinstance(found, list) and found and all(isinstance(each, dict) for each in found):
        return {name: [each[name] for each in found] for name in found[0]}
    if not isinstance(found, dict):
        raise InputError(f"{path}: a {type(found).__name__}", allowed=f"an object with {COLUMNS}")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError(f"an object with the names {_listed(name for name, _ in pairs)}", allowed="each name once")
    return found


def _npz(path: Path) -> dict[str, Any]:
    with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        wanted = {name: entry for name, entry in entries.items() if name.strip().lower() in ALIASES}
        if not wanted:
            raise InputError(f"{path}: columns {_listed(entries) or '(none)'}", allowed=COLUMNS)
        unpacked = sum(entry.file_size for entry in wanted.values())  # no more than that is ever unpacked
        if unpacked > LARGEST:
            raise ValueError(f"it unpacks to {unpacked} bytes, and at most {LARGEST} are read")
        return {name: read_npy(io.BytesIO(archive.read(entry))) for name, entry in wanted.items()}


def _npy(path: Path) -> dict[str, Any]:
    with open_regular(path) as stream:
        array = read_npy(stream)
    if array.dtype.names:
        return {name: array[name] for name in array.dtype.names}
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"{path}: shape {array.shape}", allowed="(n, 2): score and included", remedy="or use .npz")
    return {"score": array[:, 0], "included": array[:, 1]}


_READERS = {".csv": _csv, ".json": _json, ".npz": _npz, ".npy": _npy}
