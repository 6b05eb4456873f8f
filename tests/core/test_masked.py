"""Masks are seen wherever numpy would drop them."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from dpverify.core.masked import masked

MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
SEEN = np.ma.masked_array([1.0, 2.0])


class Wrapped:
    """Gives an array when it is asked for one."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        if self.array is None:
            raise TypeError("not here")
        return self.array


def structured(*, hidden):
    array = np.ma.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    if hidden:
        array["b"][1] = np.ma.masked
    return array


def of_objects(*parts):
    array = np.empty(len(parts), dtype=object)
    array[:] = parts
    return array


@pytest.mark.parametrize(
    ("some", "none"),
    [
        (MASKED, SEEN),
        (np.ma.masked, 1.0),
        ([1.0, np.ma.masked], [1.0, 2.0]),
        ([[MASKED], [MASKED]], [[SEEN], [SEEN]]),
        (([SEEN, MASKED], [SEEN, SEEN]), ([SEEN, SEEN], [SEEN, SEEN])),
        (deque([MASKED, MASKED]), deque([SEEN, SEEN])),
        ({"sum": {"of": MASKED}}, {"sum": {"of": SEEN}}),
        (Wrapped(MASKED), Wrapped(SEEN)),
        (structured(hidden=True), structured(hidden=False)),
        (structured(hidden=True)[1], structured(hidden=True)[0]),
        (of_objects(1.0, [MASKED]), of_objects(1.0, [SEEN])),
        (np.ma.masked_array(of_objects(1.0, [MASKED])), np.ma.masked_array(of_objects(1.0, [SEEN]))),
        ([SEEN, "ab", MASKED], [SEEN, "ab", b"c", None, object(), Wrapped(None)]),
    ],
)
def test_at_any_depth(some, none):
    assert masked(some)
    assert not masked(none)


def test_what_holds_itself_is_looked_at_once():
    inside = [1.0, MASKED]
    inside.append(inside)
    array = of_objects(1.0, 2.0)
    array[1] = array
    assert masked(inside)
    assert not masked(array)
    assert not masked([*inside[:1], array])
