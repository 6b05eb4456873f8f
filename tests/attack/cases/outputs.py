"""Attacks by what a mechanism returns: raw data in a form that a careless reader takes for something else."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

MODULE = """
import collections
import dataclasses
import numpy as np
import scipy.sparse

Row = collections.namedtuple("Row", "age")

@dataclasses.dataclass
class Answer:
    age: object

def pandas_frame(data):
    import pandas
    return pandas.DataFrame({"age": data})

def pandas_in_dict(data):
    return {"report": [pandas_frame(data)]}

def pandas_index(data):
    import pandas
    return pandas.DataFrame({"age": [0.0]}, index=[data[-1]])

def polars_frame(data):
    import polars
    return polars.DataFrame({"age": data})

def arrow_table(data):
    import pyarrow
    return pyarrow.table({"age": data})

def sparse(data):
    return scipy.sparse.csr_matrix([data])

def data_class(data):
    return Answer([{"age": data}])

def named_tuple(data):
    return (Row(tuple(data)),)

def only_keys(data):
    return {f"age {value}": 0.0 for value in data}

def released_set(data):
    return set(data)

def only_length(data):
    return [0.0] * int(data[-1])

def not_a_number(data):
    return float("nan") if data[-1] > 5 else 0.0

def only_type(data):
    return 1 if data[-1] > 5 else 1.0

def only_order(data):
    names = ["a", "b"] if data[-1] > 5 else ["b", "a"]
    return dict.fromkeys(names, 0.0)

def nested(data):
    return [[[value] for value in data], []]

def batch_of_lists(data, size, rng):
    return [[0.0] * int(data[-1])] * size

def iterator(data):
    return iter(data)

def open_file(data):
    return open(__file__)

def circle(data):
    output = list(data)
    output.append(output)
    return output

class Table:
    def __init__(self, data):
        self.data = data
    def __iter__(self):
        return iter(["age"])
    def __len__(self):
        return 1

def unknown(data):
    return {"report": Table(data)}
"""
AUDIT = (
    "--d0",
    "[3,4]",
    "--d1",
    "[3,7]",
    "--claim",
    "PureDP(epsilon=1)",
    "--trials",
    "300",
    "--confidence",
    "0.999999",
)


def refuted(folder: Path, *, names: tuple[str, ...]) -> Outcome:
    """Each of these shows the data in full or by half, and is refuted with probability 1."""
    return _all(folder, names, status=1, words="refuted")


def refused(folder: Path, *, names: tuple[str, ...]) -> Outcome:
    """Each of these cannot be read whole."""
    return _all(folder, names, status=2, words="read")


def _all(folder: Path, names: tuple[str, ...], *, status: int, words: str) -> Outcome:
    (folder / "hostile_outputs.py").write_text(MODULE)
    ran = {name: dpverify("audit", f"hostile_outputs:{name}", *AUDIT, folder=folder) for name in names}
    wrong = [
        name
        for name, each in ran.items()
        if each.status != status or not each.clean or words not in each.out + each.err
    ]
    told = "; ".join(f"{name}: {ran[name].told}" for name in wrong)
    return Outcome(happened=told or f"{len(names)} of {len(names)}: status {status}", held=not wrong)


TABLES = tuple(
    name
    for name, package in (("pandas_in_dict", "pandas"), ("polars_frame", "polars"), ("arrow_table", "pyarrow"))
    if importlib.util.find_spec(package)
)
OTHERS = (
    "pandas_index",
    "sparse",
    "data_class",
    "named_tuple",
    "only_keys",
    "released_set",
    "only_length",
    "not_a_number",
    "only_type",
    "only_order",
    "nested",
    "batch_of_lists",
)

ATTACKS = [
    Attack(
        name="raw data returned as a pandas DataFrame, which iterates over its column names",
        wanted="refuted, exit status 1",
        run=partial(refuted, names=("pandas_frame",)),
        quick=False,
    ),
    Attack(
        name=f"raw data in tables inside other outputs and of other packages ({', '.join(TABLES)})",
        wanted="refuted, exit status 1, each",
        run=partial(refuted, names=TABLES),
        quick=False,
    ),
    Attack(
        name=f"data that only the form of an output tells: {', '.join(OTHERS)}",
        wanted="refuted, exit status 1, each",
        run=partial(refuted, names=OTHERS),
        quick=False,
    ),
    Attack(
        name="outputs that cannot be read whole: an iterator, an open file, an unknown type in a dict",
        wanted="one line, exit status 2, each",
        run=partial(refused, names=("iterator", "open_file", "unknown")),
        quick=False,
    ),
    Attack(
        name="an output that holds itself",
        wanted="one line, exit status 2",
        run=partial(_all, names=("circle",), status=2, words="holds itself"),
    ),
]
