"""What claims and compositions share when they are read."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.definitions.text_reader import DEEPEST, LONGEST, TextReader


class Words(TextReader):
    """Calls whose values are numbers, strings and functions."""

    subject = "a word"
    example = "word(a=1)"

    def product(self) -> float:
        if self.kind == "name":
            return self.function()
        if self.kind != "number":
            raise self.error("a number")
        return float(self.advance())


def read(text: str) -> object:
    reader = Words(text)
    found = reader.call("a word")
    reader.finish("nothing more")
    return found


def test_arguments_and_tuples() -> None:
    assert read(" f( a = 1, b=(1,), c=[], d=(2), e='x' ,) ") == (
        "f",
        {"a": 1.0, "b": (1.0,), "c": (), "d": 2.0, "e": "x"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the text ends at position 1; allowed: a word; write a word like 'word\(a=1\)'"),
        ("f(a=1)f", "'f' stands at position 7; allowed: nothing more"),
        ("f(a=1, a=2)", "argument 'a' twice"),
        ("f(a=1 b=2)", "allowed: ',' or '\\)'"),
        ("f(a=(1 2))", "allowed: ',' or '\\)'"),
        ("f(a=log(0))", "log of a number in its range, not of 0.0"),
        ("f(a=" + "log(" * (DEEPEST + 1) + "2", "a word nested too deeply"),
        ("f" * (LONGEST + 1), "a word of 20001 characters"),
    ],
)
def test_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)
