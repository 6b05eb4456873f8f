"""What subjects print: the first lines are shown, the rest is counted, and nothing fills a disk."""

from __future__ import annotations

import io
import sys

import pytest

from dpverify.cli.first_line import LINES, LONGEST, FirstLine
from tests.forked import run

MODULE = """
import os, subprocess, sys

calls = []

def prints(data, rng):
    print("hello")
    return len(data) + rng.laplace()

def prints_bytes(data, rng):
    sys.stdout.buffer.write(b"hello\\n")
    return len(data) + rng.laplace()

def to_error(data, rng):
    sys.stderr.write("hello\\n")
    return len(data) + rng.laplace()

def one_long_line(data, rng):
    sys.stderr.write("x" * 1000)
    return len(data) + rng.laplace()

def below_python(data, rng):
    os.write(1, b"hello\\n" * 100)
    os.write(2, b"hello\\n" * 100)
    return len(data) + rng.laplace()

def the_first_stream(data, rng):
    sys.__stderr__.write("hello\\n")
    return len(data) + rng.laplace()

def in_a_child(data, rng):
    if not calls:
        calls.append(subprocess.run(["sh", "-c", "yes hello | head -c 10000000"]))
    return len(data) + rng.laplace()

def writes(data, rng):
    with open("big", "ab") as stream:
        for _ in range(4):
            stream.write(bytes(2**26))
        stream.write(bytes(1))
    return len(data) + rng.laplace()
"""
PAIR = (
    "--d0",
    "[1,1]",
    "--d1",
    "[1]",
    "--claim",
    "PureDP(epsilon=1)",
    "--trials",
    "2000",
    "--confidence",
    "0.999999999",
)


@pytest.mark.parametrize(
    "function",
    [
        "prints",
        "prints_bytes",
        "to_error",
        "one_long_line",
        "below_python",
        "the_first_stream",
        "in_a_child",
    ],
)
def test_a_mechanism_that_prints_fills_nothing(function, tmp_path):
    (tmp_path / "m.py").write_text(MODULE)
    ran = run([sys.executable, "-m", "dpverify", "audit", f"m:{function}", *PAIR], cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stderr) < 2 * LONGEST + 200
    assert "printed, and not shown" in ran.stderr
    assert ran.stdout.count("not refuted") == 1
    assert "hello" not in ran.stdout


def test_a_file_of_a_mechanism_has_a_limit(tmp_path):
    (tmp_path / "m.py").write_text(MODULE)
    ran = run([sys.executable, "-m", "dpverify", "audit", "m:writes", *PAIR], cwd=tmp_path)
    assert ran.returncode == 2
    assert "File too large" in ran.stderr
    assert (tmp_path / "big").stat().st_size == 2**28


def test_few_lines_are_shown_as_they_are():
    below = io.StringIO()
    stream = FirstLine(below, LINES)
    stream.write("one\ntw")
    stream.write("o\n")
    stream.buffer.write(b"three\n")
    stream.tell_the_rest()
    assert below.getvalue() == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (["a\nb\nc\n"], "2 more lines were"),
        (["a\nb\n"], "1 more line was"),
        (["x" * (LONGEST + 1)], "1 more character was"),
        (["x" * 10] * LONGEST, f"{9 * LONGEST} more characters were"),
    ],
)
def test_the_rest_is_counted(written, told):
    below = io.StringIO()
    stream = FirstLine(below)
    stream.writelines(written)
    stream.tell_the_rest()
    assert f"dpverify: {told} printed, and not shown\n" in below.getvalue()
    assert len(below.getvalue()) < LONGEST + 100
