"""Records and ranges as typed: every kind's own text is read back, and what cannot be read is one line."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.examples.record_text import bounds_from_text, record_kind_from_text
from dpverify.neighbourhood.neighbours import neighbours_of

TEXTS = (
    "float(0, 1)",
    "int(-3, 9)",
    "bool",
    "text",
    "choice('a', 'b')",
    "missing(float(0, 1))",
    "{'age': int(0, 120), 'sex': choice('f', 'm')}",
    "(float(0, 1), int(0, 9))",
    "row(10, float(-1, 1))",
    "norm(1, row(10, float(0, 1)))",
    "row(10, norm<=1)",
    "norm(2, {'x': float(-2, 2), 'y': float(0, 1)})",
)


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_kind_says_of_itself_is_read_back(text):
    kind = record_kind_from_text(text)
    assert kind.text() == text
    assert all(kind.holds(record) for record in kind.plain())


@pytest.mark.parametrize(
    "text",
    [
        "float(1, 0)",
        "float(0)",
        "float(0, nan)",
        "int(0.5, 1)",
        f"int(0, 1{'0' * 400})",
        "choice()",
        "floats(0, 1)",
        "__import__('os').system('true')",
        "float(0, __import__('os'))",
        "{1: bool}",
        "{}",
        "()",
        "row(0, bool)",
        "row(10 ** 9, bool)",
        "norm(1, bool)",
        "norm(-1, row(2, float(0, 1)))",
        "norm<1",
        "norm<=0",
        "norm<=x",
        "size<=1",
        "0<=norm<=1",
        "row(3, norm>=1)",
        "float(0, 1",
        "(" * 500,
        "",
        "float(0, 1)" + " " * 10_001,
    ],
)
def test_what_is_no_record_is_one_line(text):
    with pytest.raises(InputError, match="allowed") as caught:
        record_kind_from_text(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("0:1", (0.0, 1.0)), ("age=0:120, income=-1:1e6", {"age": (0.0, 120.0), "income": (-1.0, 1e6)})],
)
def test_bounds_are_read(text, bounds):
    assert bounds_from_text(text) == bounds


@pytest.mark.parametrize("text", ["1:0", "1", "a:b", "age=", "=0:1", "age=0:1,", "nan:1"])
def test_what_are_no_bounds_is_one_line(text):
    with pytest.raises(InputError, match="LOW"):
        bounds_from_text(text)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bounds": "0:0.5"}, "record 1 of the example is outside"),
        ({"bounds": {"age": (0, 1)}}, "bounds"),
        ({"records": "int(0, 1)"}, "record 0 of the example is not"),
        ({"records": "(float(0, 1), float(0, 1))"}, "single values"),
        ({"records": 5}, "a hypothesis strategy"),
        ({"relation": "labels"}, "add-remove or replace"),
        ({"unit": "user"}, "a column"),
    ],
)
def test_settings_that_do_not_fit_the_example_are_one_line(settings, said):
    with pytest.raises(InputError) as caught:
        neighbours_of([0.25, 0.75, 0.5], **settings)
    assert said in str(caught.value)


def test_a_norm_alone_takes_the_fields_of_the_example():
    unit = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]
    assert neighbours_of(unit, records="norm<=1").record.text() == "row(3, norm<=1)"
    named = neighbours_of([{"x": 0.6, "y": 0.8}], records="norm<=1").record
    assert (list(named.kinds), named.norm, named.named) == (["x", "y"], 1.0, True)
    with pytest.raises(InputError, match="record 1 of the example is not 'norm<=1'"):
        neighbours_of([[0.5], [1.5]], records="norm<=1")
    with pytest.raises(InputError, match="the norm of single values"):
        neighbours_of([0.5, 0.2], records="norm<=1")


def test_missing_numbers_are_nan():
    assert str(record_kind_from_text("missing(float(0, 1))").plain()[-1]) == "nan"
    assert record_kind_from_text("missing(int(0, 1))").plain()[-1] is None
