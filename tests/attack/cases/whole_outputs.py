"""Attacks by what an output carries beside what a reader sees: bits of a NaN, attributes, the array below it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.attack.attack import Attack, Outcome
from tests.attack.command import dpverify

MODULE = """
import decimal, datetime
import numpy as np

def nan(data):
    return np.uint64(0x7ff8000000000000 | int(data[-1])).view(np.float64)

def payload(data):
    return float(nan(data))

def payload_batch(data, size):
    return np.full(size, nan(data))

def payload_float32(data):
    return np.uint32(0x7fc00000 | int(data[-1])).view(np.float32)

def payload_complex(data):
    return complex(0.0, payload(data))

def payload_inside(data):
    return {"sum": [1.0, payload(data)]}

def sign_of_nan(data):
    return -float("nan") if data[-1] > 5 else float("nan")

def sign_of_zero(data):
    return -0.0 if data[-1] > 5 else 0.0

def beside(base, *arguments):
    def mechanism(data):
        value = type("My" + base.__name__, (base,), {})(*arguments)
        value.secret = list(data)
        return value
    return mechanism

on_a_float, on_an_int, on_a_text = beside(float, 1), beside(int, 1), beside(str, "a")
on_a_complex, on_a_decimal = beside(complex, 1), beside(decimal.Decimal, 1)
on_a_date, on_a_float32 = beside(datetime.date, 2020, 1, 1), beside(np.float32, 1)

class Array(np.ndarray):
    pass

def on_an_array(data):
    value = np.zeros(2).view(Array)
    value.secret = list(data)
    return value

def on_a_batch(data, size):
    value = np.zeros(size).view(Array)
    value.secret = list(data)
    return value

def on_an_array_inside(data):
    return {"sums": [on_an_array(data)]}

def on_an_array_of_objects(data):
    value = np.empty(1, dtype=object)
    value[0] = on_a_float(data)
    return value

def on_a_list(data):
    return beside(list, [1.0])(data)

def in_a_slot(data):
    class Row(dict):
        __slots__ = ("secret",)
    value = Row(a=1.0)
    value.secret = list(data)
    return value

def on_a_table(data):
    import pandas
    table = pandas.DataFrame({"a": [0.0]})
    object.__setattr__(table, "secret", list(data))
    return table

def on_a_column(data):
    import pandas
    column = pandas.Series([0.0])
    object.__setattr__(column, "secret", list(data))
    return column

def attrs_of_a_table(data):
    import pandas
    table = pandas.DataFrame({"a": [0.0]})
    table.attrs["secret"] = list(data)
    return table

def attrs_of_a_column(data):
    import pandas
    column = pandas.Series([0.0])
    column.attrs["secret"] = list(data)
    return column

def on_a_sparse_matrix(data):
    import scipy.sparse
    value = scipy.sparse.csr_matrix([[1.0]])
    value.secret = list(data)
    return value

def metadata_of_a_dtype(data):
    return np.zeros(2, dtype=np.dtype("f8", metadata={"secret": list(data)}))

def under_a_mask(data):
    return np.ma.masked_array([1.0, float(data[-1])], mask=[False, True])

def as_fill_value(data):
    return np.ma.masked_array([1.0], fill_value=float(data[-1]))

def a_matrix(data):
    return np.matrix([[float(data[-1])]])

def below_nothing(data, rng):
    return np.array(data, dtype=float)[:0]

def below_noise(data, rng):
    whole = np.array([*data, rng.laplace()], dtype=float)
    return whole[len(data):]

def below_a_batch(data, size, rng):
    whole = np.concatenate([np.array(data, dtype=float), rng.laplace(size=size)])
    return whole[len(data):]

def below_in_a_list(data, rng):
    return [below_noise(data, rng), rng.laplace()]

def below_a_memoryview(data, rng):
    return memoryview(np.array(data, dtype=float))[:0]

def between_fields(data, rng):
    table = np.array([(float(data[-1]), rng.laplace())], dtype=[("age", "f8"), ("sum", "f8")])
    return table[["sum"]]

def a_million_numbers(data):
    return np.zeros(10**6 + 1)

def a_gigabyte(data):
    return np.zeros(2**27)

def shared_lists(data):
    value = [float(data[-1])]
    for _ in range(60):
        value = [value, value]
    return value
"""
CLAIM = ("--claim", "PureDP(epsilon=1)", "--trials", "300", "--confidence", "0.999999")
PAIR = ("--d0", "[3,4]", "--d1", "[3,7]")
EXAMPLE = ("--data", "[3,4,9,1]", "--bounds", "0:9")


def told(name: str, status: int, words: str, where: tuple[str, ...], folder: Path) -> Outcome:
    """The audit of this function: its exit status, these words on one of its streams, and no traceback."""
    (folder / "whole.py").write_text(MODULE)
    ran = dpverify("audit", f"whole:{name}", *where, *CLAIM, "--verbose", folder=folder)
    said = words in " ".join((ran.out + ran.err).split())
    return Outcome(happened=ran.told, held=ran.status == status and said and ran.clean)


def view(name: str, folder: Path) -> Outcome:
    """Its own values are audited, and a note says that it holds more."""
    (folder / "whole.py").write_text(MODULE)
    ran = dpverify("audit", f"whole:{name}", *PAIR, *CLAIM, "--verbose", folder=folder)
    said = "is a view of memory that holds more" in " ".join(ran.out.split())
    return Outcome(happened=f"status {ran.status}, {'told' if said else 'not told'}", held=said and ran.clean)


REFUTED = (
    ("the payload of a NaN", "payload"),
    ("the payload of NaNs in a batch", "payload_batch"),
    ("the payload of a float32 NaN", "payload_float32"),
    ("the payload of a NaN in a complex number", "payload_complex"),
    ("the payload of a NaN deep in a dict", "payload_inside"),
    ("the sign of a NaN", "sign_of_nan"),
    ("the sign of a zero", "sign_of_zero"),
    ("a subclass of list with an attribute", "on_a_list"),
    ("a slot of a subclass of dict", "in_a_slot"),
    ("attrs of a table of pandas", "attrs_of_a_table"),
    ("attrs of a column of pandas", "attrs_of_a_column"),
    ("a number in a np.matrix", "a_matrix"),
)
REFUSED = (
    *(
        (f"an attribute on {what}", name, "carries 'secret' beside its value")
        for what, name in (
            ("a float", "on_a_float"),
            ("an integer", "on_an_int"),
            ("a text", "on_a_text"),
            ("a complex number", "on_a_complex"),
            ("a decimal", "on_a_decimal"),
            ("a date", "on_a_date"),
            ("a float32", "on_a_float32"),
            ("an array", "on_an_array"),
            ("a batch", "on_a_batch"),
            ("an array in a dict", "on_an_array_inside"),
            ("a number in an array of objects", "on_an_array_of_objects"),
            ("a table of pandas", "on_a_table"),
            ("a column of pandas", "on_a_column"),
            ("a sparse matrix", "on_a_sparse_matrix"),
        )
    ),
    ("metadata of a dtype", "metadata_of_a_dtype", "dtype carries metadata"),
    ("a number under a mask", "under_a_mask", "values are masked"),
    ("the fill value of a masked array", "as_fill_value", "fill value"),
    ("an output of a million and one numbers", "a_million_numbers", "more than 1000000"),
    ("an output of a gigabyte", "a_gigabyte", "more than 1000000"),
    ("an output of 2^60 numbers by lists that are shared", "shared_lists", "more than 1000000"),
)
ATTACKS = [
    *(
        Attack(
            name=f"data told by {what}",
            wanted="refuted, exit status 1",
            run=partial(told, name, 1, "refuted", PAIR),
            quick=False,
        )
        for what, name in REFUTED
    ),
    *(
        Attack(
            name=f"data told by {what}" if "output" not in what else what,
            wanted="one line, exit status 2",
            run=partial(told, name, 2, words, PAIR),
            quick=False,
        )
        for what, name, words in REFUSED
    ),
    *(
        Attack(
            name=f"with --data: {what}",
            wanted=f"exit status {status}",
            run=partial(told, name, status, words, EXAMPLE),
            quick=False,
        )
        for what, name, status, words in (
            ("data told by the payload of a NaN", "payload", 1, "refuted"),
            ("data told by the sign of a NaN", "sign_of_nan", 1, "refuted"),
            ("an attribute on an array", "on_an_array", 2, "carries 'secret'"),
            ("an attribute on a float", "on_a_float", 2, "carries 'secret'"),
            ("an attribute on a table", "on_a_table", 2, "carries 'secret'"),
            ("attrs of a table of pandas", "attrs_of_a_table", 1, "refuted"),
            ("the fill value of a masked array", "as_fill_value", 2, "fill value"),
            ("metadata of a dtype", "metadata_of_a_dtype", 2, "metadata"),
        )
    ),
    *(
        Attack(
            name=f"data in {what}",
            wanted="its own values are audited, and a note says that it holds more",
            run=partial(view, name),
            quick=False,
        )
        for what, name in (
            ("the array below an empty view", "below_nothing"),
            ("the array below a view of noise", "below_noise"),
            ("the array below a batch", "below_a_batch"),
            ("the array below a view in a list", "below_in_a_list"),
            ("the buffer below a memoryview", "below_a_memoryview"),
            ("the bytes between the fields of a table", "between_fields"),
        )
    ),
]
