"""The data of a frontier: a registered table by its name, a file with a label column, a Table, or (features, labels).

Files are prepared as the loaders prepare theirs: number columns from their own least and largest value to [0, 1], text
columns as one column a value, a column of ones for the intercept. Rows are scaled to L2 norm 1 at most. The scaling of
columns looks at the data; no account here pays for that (`preprocessing`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.literals import load_dataset
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import shortened
from dpverify.core.subjects import Float
from dpverify.datasets.dataset import Dataset
from dpverify.datasets.preprocessing import scaled, with_intercept
from dpverify.datasets.table import Table

FILES = (".csv", ".parquet", ".npy")
MOST_VALUES, MOST_CLASSES = 200, 100
"""Values of a text column, and classes, at most."""


def raw_data(data: Any) -> Any:
    """The user's own records, as they are before any scaling; None for a registered data set, which is public."""
    if not isinstance(data, str | Path):
        return data
    return load_dataset(str(data), "--data") if Path(data).suffix in FILES else None


def labelled(data: Any, *, label: str | None = None) -> tuple[Table, int, str]:
    """(table with rows of norm at most 1, number of classes, what was done to the data in words).

    Parameters
    ----------
    data : str, Path, Table or (features, labels)
        A registered name (``adult``), a .csv, .parquet or .npy file, or the records themselves.
    label : str or None
        The label's column in a file: its name, or its number from 0 (negative from the end).

    Raises
    ------
    InputError
        For what is neither, for an unknown label, missing values, and a data set that is not here (its loader says
        where to put it).
    """
    if isinstance(data, Table):
        table, done = data, ""
    elif isinstance(data, tuple) and len(data) == 2:
        table, done = _of_columns(np.asarray(data[0]), np.asarray(data[1]), name="data")
    elif isinstance(data, str | Path) and Path(str(data)).suffix in FILES:
        table, done = _of_file(Path(str(data)), label)
    elif isinstance(data, str):
        table, done = _registered(data), ""
        if label is not None:
            raise InputError(f"label {label!r} for the data set {data!r}", allowed="a label for a file only")
    else:
        raise InputError(
            f"data of type {type(data).__name__}",
            allowed="a registered name, a .csv, .parquet or .npy file, a Table, or (features, labels)",
        )
    if table.rows < 10:
        raise InputError(f"{table.called()} of {table.rows} records", allowed="at least 10")
    classes, labels, mapped = _classes(table)
    said = [done, mapped]
    norms = np.sqrt(np.einsum("ij,ij->i", table.features, table.features))
    if norms.max() > 1.0:
        said.append("rows scaled to norm 1 at most")
        table = Table(
            features=table.features / np.maximum(1.0, norms)[:, None],
            labels=labels,
            name=table.name,
            source=table.source,
            sha256=table.sha256,
        )
    elif mapped:
        table = Table(features=table.features, labels=labels, name=table.name, source=table.source)
    return table, classes, "; ".join(filter(None, said))


def _registered(name: str) -> Table:
    found: Dataset = registry().datasets.get(name)
    loaded = found.load()
    if not isinstance(loaded, Table):
        raise InputError(f"data set {name!r} is a {type(loaded).__name__}", allowed="a data set of labelled records")
    return loaded


def _classes(table: Table) -> tuple[int, Float, str]:
    values = np.unique(table.labels)
    if values.size < 2:
        raise InputError(f"{table.called()} with one label only, {values[0]:g}", allowed="two labels or more")
    if set(values) <= {-1.0, 1.0}:
        return 2, table.labels, ""
    if values.size == 2:
        return 2, np.where(table.labels == values[1], 1.0, -1.0), f"label {values[1]:g} is +1, {values[0]:g} is -1"
    if values.size > MOST_CLASSES:
        raise InputError(
            f"{table.called()} with {values.size} different labels", allowed=f"at most {MOST_CLASSES} classes"
        )
    if (values == np.arange(values.size)).all():
        return int(values.size), table.labels, ""
    return int(values.size), np.searchsorted(values, table.labels).astype(np.float64), "labels numbered in order"


def _of_file(path: Path, label: str | None) -> tuple[Table, str]:
    if not path.is_file():
        raise InputError(f"--data: no file {path}", allowed=f"an existing {', '.join(FILES[:-1])} or {FILES[-1]} file")
    read = load_dataset(str(path), "--data")
    named = hasattr(read, "columns")
    if label is None:
        raise InputError(
            f"the file {path.name} without a label", allowed="--label COLUMN, the column that is predicted"
        )
    if named:
        names = [str(each) for each in read.columns]
        place = names.index(label) if label in names else _place(label, names)
        columns = [np.asarray(read[each]) for each in read.columns]
        target = columns.pop(place)
        return _of_columns(columns, target, name=path.stem)
    numbers = np.asarray(read, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape[1] < 2:
        raise InputError(f"{path.name} of shape {numbers.shape}", allowed="records by columns, two columns or more")
    place = _place(label, [str(each) for each in range(numbers.shape[1])])
    return _of_columns(np.delete(numbers, place, axis=1), numbers[:, place], name=path.stem)


def _place(label: str, names: list[str]) -> int:
    try:
        place = int(label)
    except ValueError:
        place = len(names)
    if not -len(names) <= place < len(names):
        raise InputError(
            f"label {label!r}",
            allowed=shortened(", ".join(names), most=200),
            remedy="name the column, or give its number from 0 (negative: from the end)",
        )
    return place % len(names)


def _of_columns(columns: Any, target: NDArray[Any], *, name: str) -> tuple[Table, str]:
    """Columns (a list, or an array of shape (n, d)) and labels of any type, as the loaders prepare them."""
    if isinstance(columns, np.ndarray):
        if columns.ndim != 2:
            raise InputError(f"features of shape {columns.shape}", allowed="shape (n, d)")
        columns = list(columns.T)
    if any(len(each) != len(target) for each in columns):
        raise InputError(f"{len(target)} labels for another number of records", allowed="one label a record")
    done: list[Float] = []
    texts = 0
    for place, column in enumerate(columns):
        kind = np.asarray(column).dtype.kind
        if kind in "biuf":
            numbers = np.asarray(column, dtype=np.float64)
            _whole(numbers, f"column {place} of {name}")
            done.append(scaled(numbers[:, None]))
            continue
        values = np.unique([str(each) for each in column])
        if values.size > MOST_VALUES:
            raise InputError(
                f"text column {place} of {name} with {values.size} different values",
                allowed=f"at most {MOST_VALUES}",
                remedy="leave the column out, or group its values",
            )
        texts += 1
        done.append((np.array([str(each) for each in column])[:, None] == values).astype(np.float64))
    if np.asarray(target).dtype.kind in "biuf":
        labels, words = np.asarray(target, dtype=np.float64), ""
        _whole(labels, f"the label of {name}")
    else:
        known, numbered = np.unique([str(each) for each in target], return_inverse=True)
        labels = numbered.astype(np.float64)
        if known.size == 2:
            labels, words = 2.0 * labels - 1.0, f"label {known[1]} is +1, {known[0]} is -1"
        else:
            words = "labels numbered in alphabetical order"
    features = with_intercept(np.concatenate(done, axis=1)) if done else np.ones((len(target), 1))
    said = "columns scaled to [0, 1] by their own least and largest value, and a column of ones"
    more = f"; {texts} text columns as one column a value" if texts else ""
    return Table(features=features, labels=labels, name=name, source="the user's data"), "; ".join(
        filter(None, [said + more, words])
    )


def _whole(numbers: Float, what: str) -> None:
    if not np.isfinite(numbers).all():
        raise InputError(
            f"{what} with values that are missing or not finite",
            allowed="finite numbers",
            remedy="fill them in, or leave these records out",
        )
