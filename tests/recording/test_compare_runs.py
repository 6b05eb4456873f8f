"""Two runs side by side: what is compared, and where the comparison has to end."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.transcript import Step, Transcript
from dpverify.recording.compare_runs import compare, print_alike, same_bits


def run(*steps: Step) -> Transcript:
    return Transcript(result=np.empty(0), iterates=np.empty((0, 0)), steps=steps)


def query(clean: float, *, hidden: bool = False) -> Step:
    value = "hidden" if hidden else None
    return Step(kind="query", name="q", value=value, clean=np.array([clean]), law="laplace", sensitivity=1.0)


def coin(value) -> Step:
    return Step(kind="coin", name="draws", value=value)


def moved(first: list[Step], second: list[Step], *, last_differs: bool = False) -> list[float]:
    return [each.change for each in compare(run(*first), run(*second), last_differs=last_differs).moved]


def test_noise_free_values_are_compared_while_the_coins_are_the_same() -> None:
    ours, theirs = np.array([0, 2]), np.array([0, 3])
    assert moved([coin(ours), query(1.0)], [coin(ours), query(3.0)]) == [2.0]
    assert moved([query(1.0), coin(ours), query(1.0)], [query(2.0), coin(theirs), query(3.0)]) == [1.0]
    assert moved([coin(None), query(1.0)], [coin(None), query(3.0)]) == []  # drawn in place: nobody knows which
    assert moved([query(1.0)], [coin(ours), query(3.0)]) == []


def test_what_a_hidden_value_leads_to_is_not_compared_once_it_has_moved() -> None:
    for hidden, changes in ((True, [1.0]), (False, [1.0, 5.0])):
        assert moved([query(0.0, hidden=hidden), query(0.0)], [query(1.0, hidden=hidden), query(5.0)]) == changes
    assert moved([query(0.0, hidden=True), query(0.0)], [query(0.0, hidden=True), query(5.0)]) == [0.0, 5.0]


def test_drawn_indices_of_a_record_that_one_side_lacks() -> None:
    long, short = np.array([0, 4, 2]), np.array([0, 2])
    assert moved([coin(long), query(0.0)], [coin(short), query(2.0)], last_differs=True) == [2.0]
    assert moved([coin(long), query(0.0)], [coin(short), query(2.0)]) == []
    assert moved([coin(long), query(0.0)], [coin(np.array([0, 4])), query(2.0)], last_differs=True) == []


def test_a_change_of_shape_or_a_nan_is_infinite() -> None:
    other = Step(kind="query", name="q", clean=np.zeros(2), law="laplace", sensitivity=1.0)
    assert moved([query(0.0)], [other]) == [math.inf]
    assert moved([query(0.0)], [query(math.nan)]) == [math.inf]


@pytest.mark.parametrize(
    ("one", "other", "to_the_bit", "to_a_reader"),
    [
        (1, 1.0, False, True),
        (math.nan, math.nan, True, True),
        ("a", "a", True, True),
        (1.0, "1.0", False, False),
        (0.1, 0.1 + 2**-55, False, False),
        ((1, (2.0,)), (1, (2.0,)), True, True),
        (np.array([1.0]), np.array([1]), False, False),
    ],
)
def test_what_is_the_same(one, other, to_the_bit, to_a_reader) -> None:
    assert same_bits(one, other) is to_the_bit
    assert print_alike(one, other) is to_a_reader
