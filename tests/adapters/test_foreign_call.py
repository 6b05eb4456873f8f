"""A call of somebody's code: its time, its errors in one line, and copies of this process that it lets come back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dpverify
from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.core.errors import InputError

FORMS = "a trainer that returns"


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (ValueError("two\nlines"), "mine raised ValueError: two lines"),
        (SystemExit(), "mine raised SystemExit: (no message)"),
        (StopIteration(3), "mine raised StopIteration: 3"),
        (RecursionError("deep"), "mine raised RecursionError: deep"),
    ],
)
def test_what_it_raises_is_one_line(problem, said):
    with pytest.raises(InputError) as caught, foreign_call("mine", allowed=FORMS):
        raise problem
    assert (caught.value.what, caught.value.allowed, caught.value.__cause__) == (said, FORMS, problem)


def batches(done):
    with foreign_call("mine", allowed=FORMS, where=lambda: f" in batch {len(done) + 1}"):
        done.append(1)
        raise KeyError("a")


def test_where_it_raised_is_asked_then():
    with pytest.raises(InputError, match=r"mine raised KeyError in batch 2: 'a'"):
        batches([])


@pytest.mark.parametrize("problem", [InputError("no table", allowed="a table"), KeyboardInterrupt(), Interrupted()])
def test_what_says_itself_what_is_wrong_and_what_is_no_error_goes_on(problem):
    with pytest.raises(type(problem)) as caught, foreign_call("mine", allowed=FORMS):
        raise problem
    assert caught.value is problem


def endless(limit):
    with limit, foreign_call("mine", limit, allowed=FORMS):
        while True:
            pass


def test_a_call_has_its_limit():
    with pytest.raises(InputError, match=r"one call of mine ran longer than its limit of 0\.05 s"):
        endless(TimeLimit(per_call=0.05))


def test_copies_end_in_one_place():
    """A second guard is a second idea of what a copy may still do."""
    home = Path(dpverify.__file__).parent
    guards = [path.name for path in home.rglob("*.py") if "os.getpid() != " in path.read_text()]
    assert sorted(guards) == ["store.py", "time_limit.py"]  # the store closes nothing that another process has open


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("limit", [None, TimeLimit(per_call=60.0)])
@pytest.mark.parametrize("raises", [False, True])
def test_a_copy_that_comes_back_ends(limit, raises):
    """It neither goes on, nor tells anybody: its exit status is 0 before anything after the call is done."""
    reader, writer = os.pipe()
    child = 0
    with limit or TimeLimit(), foreign_call("mine", limit, allowed=FORMS):
        child = os.fork()
        if child == 0 and raises:
            raise ValueError("in the copy")
    os.write(writer, b"once ")
    assert os.waitpid(child, 0)[1] == 0
    os.close(writer)
    assert os.read(reader, 100) == b"once "
    os.close(reader)
