"""What is typed on the command line as a data set: JSON, or the name of a file; and parameters, in Python's words."""

from __future__ import annotations

import ast
import importlib
import io
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dpverify.core.errors import InputError, one_line
from dpverify.core.npy import read_npy
from dpverify.core.read_untrusted import csv_text, open_regular, parse_json, read_text, shortened

WIDEST = 2_000
"""Named columns of a table; libraries take minutes for many thousands."""

MOST_VALUES = 10**8
"""In a Parquet file, which may hold them in a few bytes."""

SUFFIXES = (".json", ".npy", ".csv", ".parquet")


def load_dataset(text: str, option: str) -> Any:
    """Read a data set: a file by its suffix, else JSON text (which reaches the mechanism as plain lists).

    JSON has finite numbers only: NaN and infinities, which Python's reader takes, are refused. In .npy and .csv files a
    NaN is a missing value, and stays.

    InputError for text that is neither JSON nor a data file, an unreadable file, or a JSON number that is not finite.
    """
    path = Path(text)
    if path.suffix in SUFFIXES:
        return _read(path, option)
    try:
        return _finite(parse_json(text), option)
    except json.JSONDecodeError as problem:
        raise InputError(
            f"{option} {shortened(text, most=60)!r} is neither JSON ({problem.msg} at character {problem.pos}) nor a "
            "data file",
            allowed=f"JSON such as '[1,2,3]', or a file ending in {', '.join(SUFFIXES)}",
        ) from problem
    except InputError:
        raise
    except ValueError as problem:
        raise InputError(f"{option}: {one_line(str(problem))}", allowed="JSON such as '[1,2,3]'") from problem


def _read(path: Path, option: str) -> Any:
    try:
        if path.suffix == ".json":
            return _finite(parse_json(read_text(path)), option)
        with open_regular(path) as stream:
            return _READERS[path.suffix](stream)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{option}: no file {path}", allowed="an existing file, or JSON text") from None
    except (OSError, ValueError, MemoryError, OverflowError) as problem:
        said = shortened(one_line(str(problem)), most=300)
        raise InputError(
            f"{option}: {path} cannot be read: {said}", allowed="a whole .json, .npy, .csv or .parquet file"
        ) from problem


def _csv(stream: BinaryIO) -> Any:
    """Numbers as an array; with a header of names, or texts among the values, a table of pandas, or of polars."""
    text = csv_text(stream.read())
    first = text.split("\n", 1)[0]
    if all(map(_is_number, first.split(","))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an empty file is an empty data set
            return np.loadtxt(io.StringIO(text), delimiter=",", ndmin=1)
    columns = first.count(",") + 1
    if columns > WIDEST:
        raise InputError(f"a table of {columns} named columns", allowed=f"at most {WIDEST}; numbers without a header")
    return _library().read_csv(io.BytesIO(text.encode()))


def _parquet(stream: BinaryIO) -> Any:
    content = io.BytesIO(stream.read())
    with suppress(ImportError):
        about = importlib.import_module("pyarrow.parquet").ParquetFile(content).metadata
        if about.num_rows * max(1, about.num_columns) > MOST_VALUES:
            raise InputError(
                f"a table of {about.num_rows} rows and {about.num_columns} columns in a file of "
                f"{len(content.getbuffer())} bytes",
                allowed=f"at most {MOST_VALUES} values",
            )
    return _library().read_parquet(content)


def _library() -> Any:
    """pandas, or polars where there is no pandas."""
    for name in ("pandas", "polars"):
        with suppress(ImportError):
            return importlib.import_module(name)
    raise InputError(
        "a table with named columns, and neither pandas nor polars",
        allowed="one of them installed, or numbers without a header",
        remedy="pip install pandas",
    )


def _is_number(text: str) -> bool:
    text = text.strip()
    with suppress(ValueError):
        float(text or "0")
        return True
    return text.startswith("#")


_READERS: dict[str, Callable[[BinaryIO], Any]] = {".npy": read_npy, ".csv": _csv, ".parquet": _parquet}


def _finite(value: Any, option: str) -> Any:
    """Return `value`; InputError if a number in it is NaN or infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(
            f"{option} holds {value}", allowed="finite numbers", remedy="leave the record out, or correct it"
        )
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _finite(each, option)
    return value


ALLOWED = "NAME=VALUE, with commas between them; a value is a number, a text in quotes, True, False, None, or a list, "
ALLOWED += "tuple or dict of these"


def parse_expression(text: str) -> ast.expr | None:
    """The expression that a text is in Python's grammar; None where it is none. Nothing is evaluated."""
    try:
        with warnings.catch_warnings():  # of odd literals
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def literal_arguments(text: str, option: str) -> dict[str, Any]:
    """The values by name.

    InputError for text of any other form; `option` is what it calls the text.
    """
    found = parse_expression(f"f({text}\n)")
    if not (isinstance(found, ast.Call) and isinstance(found.func, ast.Name)) or found.args or not found.keywords:
        raise InputError(
            f"{option} {shortened(repr(text), most=80)}", allowed=ALLOWED, remedy=f"such as {option} 'epsilon=1.0'"
        )
    return literal_keywords(found.keywords, option)


def literal_keywords(keywords: Sequence[ast.keyword], option: str) -> dict[str, Any]:
    """The values of parsed keywords; errors as for `literal_arguments`."""
    values: dict[str, Any] = {}
    for each in keywords:
        shown = shortened(ast.unparse(each), most=80)
        if each.arg is None:
            raise InputError(f"{option} with {shown}", allowed=ALLOWED)
        if each.arg in values:
            raise InputError(f"{option} with {each.arg} twice", allowed="each name once")
        try:
            values[each.arg] = ast.literal_eval(each.value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            word = isinstance(each.value, ast.Name)
            remedy = f"a text stands in quotes: {each.arg}='{ast.unparse(each.value)}'" if word else ""
            raise InputError(f"{option} with {shown}", allowed=ALLOWED, remedy=remedy) from None
    return values


def arguments_text(values: Mapping[str, Any]) -> str | None:
    """The text that `literal_arguments` reads back; None where a value has none."""
    text = ", ".join(f"{name}={value!r}" for name, value in values.items())
    try:
        return text if literal_arguments(text, "text") == dict(values) else None
    except (InputError, ValueError, TypeError):
        return None
