"""Outputs from a file, one a line (a row): CSV, NPY, Parquet or JSON.

CSV needs no header; a first line of texts above columns of numbers is one, and so is the word ``output`` alone. Several
columns are one output of several parts. Texts are labels; ``nan`` and ``inf`` are numbers, and outputs, too.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.adapters.literals import load_dataset
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import csv_text, open_regular, shortened
from dpverify.datasets.examples.container import container_of

SUFFIXES = (".csv", ".npy", ".parquet", ".json")
MOST_COLUMNS = 10_000


def read_samples(path: Path, option: str) -> Any:
    """The outputs: an array of shape (n,) or (n, k) where all are numbers, else a list.

    InputError for another kind of file, one that cannot be read, or rows of different lengths; one line.
    """
    if path.suffix not in SUFFIXES:
        raise InputError(f"{option} {path}", allowed=f"a file ending in {', '.join(SUFFIXES)}")
    if path.suffix == ".csv":
        return _csv(path, option)
    found = load_dataset(str(path), option)
    if path.suffix == ".parquet":
        records = list(container_of(found).records)
        one = all(isinstance(each, tuple) and len(each) == 1 for each in records)
        return _numbers([each[0] for each in records] if one else records)
    if path.suffix == ".json" and not isinstance(found, list):
        raise InputError(f"{option} {path} holds a {type(found).__name__}", allowed="an array of outputs")
    if isinstance(found, np.ndarray) and found.dtype.names:
        return _numbers([tuple(row) if len(row) > 1 else row[0] for row in found.tolist()])
    return found


def _csv(path: Path, option: str) -> Any:
    try:
        with open_regular(path) as stream:
            text = io.StringIO(csv_text(stream.read()), newline="")
        rows = [row for row in csv.reader(text) if row]
    except FileNotFoundError:
        raise InputError(f"{option}: no file {path}", allowed="an existing file") from None
    except (OSError, ValueError, csv.Error) as problem:
        said = shortened(one_line(str(problem)), most=300)
        raise InputError(f"{option}: {path} cannot be read: {said}", allowed="a text file in CSV") from None
    if not rows:
        return []
    width = len(rows[0])
    if width > MOST_COLUMNS:
        raise InputError(f"{option} {path} has {width} columns", allowed=f"at most {MOST_COLUMNS}; more as .npy")
    for place, row in enumerate(rows, start=1):
        if len(row) != width or not all(cell.strip() for cell in row):
            what = "an empty cell" if len(row) == width else f"{len(row)} cells, the first row {width}"
            raise InputError(f"{option} {path}: row {place} has {what}", allowed="rows of one length, without gaps")
    if _heads(rows):
        rows = rows[1:]
    return _numbers([_cell(row[0]) if width == 1 else tuple(map(_cell, row)) for row in rows])


def _heads(rows: list[list[str]]) -> bool:
    """Tell whether the first row names columns."""
    first, *others = rows
    if [cell.strip().lower() for cell in first] == ["output"]:
        return True
    below = [isinstance(_cell(cell), float) for cell in others[0]] if others else []
    return any(number and isinstance(_cell(cell), str) for cell, number in zip(first, below, strict=bool(others)))


def _cell(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell.strip()


def _numbers(outputs: list[Any]) -> Any:
    """An array where all are numbers."""
    kinds = {type(part) for each in outputs for part in (each if isinstance(each, tuple) else (each,))}
    return np.array(outputs, dtype=np.float64) if outputs and kinds <= {int, float, bool} else outputs
