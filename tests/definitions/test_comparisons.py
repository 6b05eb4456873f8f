"""The comparisons of each shape."""

from __future__ import annotations

import pytest

from dpverify.core.comparing import Grid
from dpverify.core.errors import InputError
from dpverify.definitions.comparisons import Shape

GRID = Grid(data=("d",), xs=(1.0, 2.0, 4.0))


def value(shape, curve):
    """Each contrast's sum, with the curve as the means: ``curve(arm, metric, x)``."""
    return [sum(k * curve(arm, metric, x) for _, arm, metric, x, k in each.terms) for each in shape.contrasts(GRID)]


def rising(arm, metric, x):
    return x * {"a": 1.0, "b": 2.0}[arm] * (1.0 if metric == "accuracy" else 10.0)


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        (Shape(kind="increasing", metric="accuracy", of=("a",)), [1.0, 2.0]),
        (Shape(kind="decreasing", metric="accuracy", of=("a",)), [-1.0, -2.0]),
        (Shape(kind="increasing", metric="objective", of=("a",)), [10.0, 20.0]),  # the metric itself, worse or not
        (Shape(kind="rises", metric="accuracy", of=("a",)), [3.0]),
        (Shape(kind="falls", metric="objective", of=("a",)), [-30.0]),
        (Shape(kind="falls", metric="accuracy", of=("a",), high=1.0), []),
        (Shape(kind="rises", metric="accuracy", of=("a",), data=("e",)), []),
        (Shape(kind="surge", metric="accuracy", of=("b",), margin=-0.5), [2.0, 4.0]),
        (Shape(kind="surge", metric="objective", of=("a",), margin=-0.5), [-10.0, -20.0]),  # a rise is no improvement
        (Shape(kind="alike", metric="accuracy", of=("a", "b")), [-1.0, 1.0, -2.0, 2.0, -4.0, 4.0]),
        (Shape(kind="widening", metric="accuracy", of=("b", "a")), [3.0]),
        (Shape(kind="widening", metric="objective", of=("b", "a")), [-30.0]),
        (Shape(kind="flat", metric="accuracy", of=("a",), high=2.0), [1.0, -1.0]),
        (Shape(kind="clearer", metric="objective", other="accuracy", of=("a", "b"), high=1.0), [10.0 + 1.0]),
    ],
)
def test_contrasts(shape, found):
    assert value(shape, rising) == pytest.approx(found)


def test_a_surge_is_looked_for_on_each_data_set():
    shape = Shape(kind="surge", metric="accuracy", of=("a",), margin=-0.5, quantifier="some")
    groups = [each.group for each in shape.contrasts(Grid(data=("d", "e"), xs=(1.0, 2.0)))]
    assert groups == ["d", "e"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "wave"}, "increasing"),
        ({"kind": "widening"}, "two"),
        ({"kind": "alike"}, "two"),
        ({"kind": "surge"}, "negative"),
        ({"kind": "clearer", "of": ("a", "b")}, "another metric"),
        ({"other": "objective"}, "another metric"),
        ({"of": "a"}, "labels"),
        ({"data": "adult"}, "names of data sets"),
    ],
)
def test_what_it_refuses(wrong, said):
    with pytest.raises(InputError, match=said):
        Shape(**{"kind": "flat", "metric": "accuracy", "of": ("a",), **wrong})
