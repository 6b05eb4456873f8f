"""What a program answers: read whole whatever the pieces it comes in, or refused in a few words."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.programs.answer import Doubles, Lines, answer_width
from dpverify.programs.failure import ProgramError


def read(text, count):
    answer = Lines(count)
    answer.feed(text if isinstance(text, bytes) else text.encode())
    answer.close()
    assert answer.complete
    return answer.values()


def test_lines_are_json_values_and_numbers_are_doubles():
    found = read('1\n1.0\n-0\ntrue\nnull\n"yes"\n[1, 2.5]\n{"a": 1}\n', 8)
    assert found == [1.0, 1.0, 0.0, True, None, "yes", [1.0, 2.5], {"a": 1.0}]
    assert [type(each) for each in found[:3]] == [float, float, float]
    assert read("9007199254740993\n9007199254740994\n", 2) == [2**53 + 1, 2.0**53 + 2]


def test_numbers_as_c_awk_perl_and_r_print_them():
    found = read("nan\n-nan\ninf\n-inf\nNaN\nInf\n.5\n1.\n+2\r\n", 9)
    assert all(map(math.isnan, [found[0], found[1], found[4]]))
    assert found[2:4] + found[5:] == [math.inf, -math.inf, math.inf, 0.5, 1.0, 2.0]


def test_the_quick_way_reads_what_the_slow_one_reads():
    coins = random.Random(0)
    values = [coins.choice([coins.gauss(0, 1), coins.randrange(10**17), True, None, 1e300]) for _ in range(500)]
    text = "".join(f"{json.dumps(value)}\n" for value in values)
    quick, slow = read(text, 500), read(text + "[]\n", 501)[:500]
    assert quick == slow == values


@pytest.mark.parametrize(
    ("text", "count", "said"),
    [
        ("1\n2\n3\n", 2, "more than the 2 lines"),
        ("1\n2", 1, "more than the 1 lines"),
        ("1\nyes\n", 2, "the line 'yes', which is no JSON value"),
        ("1\n\n", 2, "an empty line"),
        ("1 2\n", 1, "no JSON value"),
        ("[1\n2],[3]\n", 2, "no JSON value"),
        (b"\xff\xfe\n", 1, "no UTF-8"),
        ("[" * 200 + "]" * 200 + "\n", 1, "deep"),
        ("1" * 2_000_000, 1, "bytes"),
    ],
)
def test_other_lines_are_refused(text, count, said):
    with pytest.raises(ProgramError, match=said):
        read(text, count)


def test_doubles_in_any_pieces():
    values = np.array([[1.5, math.nan], [-0.0, math.inf]])
    answer, raw = Doubles(2, 2), values.astype("<f8").tobytes()
    for place in range(0, len(raw), 5):
        assert not answer.complete
        answer.feed(raw[place : place + 5])
    assert answer.complete
    assert np.array_equal(answer.values(), values, equal_nan=True)
    with pytest.raises(ProgramError, match="more than the 32 bytes"):
        answer.feed(b"\0")


def test_words_for_outputs():
    assert [answer_width(word) for word in ("json", "doubles", "doubles:3")] == [0, 1, 3]
    for word in ("text", "doubles:0", "doubles:x", "doubles:", "json:2"):
        with pytest.raises(InputError, match="json, doubles"):
            answer_width(word)


@pytest.mark.parametrize(
    "text", ["0.1", "0.10000000000000001", "1e-5", "2.5e+300", "-0.0", "0.1000000000000000055511151231", "4.9e-324"]
)
def test_digits_of_a_double_are_that_double(text):
    (found,) = read(text, 1)
    assert isinstance(found, float)
    assert (found, math.copysign(1.0, found)) == (float(text), math.copysign(1.0, float(text)))


@pytest.mark.parametrize(
    "text", ["1e400", "-1e400", "1e-400", "0.1000000000000000055511151232", "0.30000000000000003", "9007199254740993.5"]
)
def test_a_number_that_no_double_holds_is_its_text(text):
    """Else what a program writes into digits that are rounded away could not be seen."""
    assert read(text, 1) == [text]
    assert read(f"[{text}]", 1) == [[text]]


def test_of_two_values_of_a_key_none_is_dropped():
    with pytest.raises(ProgramError, match="line 1 with the key 'a' twice"):
        read('{"a": 1, "b": 0, "a": 2}', 1)
