"""The index of kernels lists what is there, and enough to compile every kernel before it is called."""

import numpy as np
import pytest
from numba import typeof, types

from dpverify.core.kernel_index import calls, dispatcher, text_of, types_of
from tests.kernel_index import kernels_of, modules, still_there


def test_every_kernel_is_listed_or_called_by_one_that_is():
    """After a new kernel: ``make test``, which compiles it, and then ``make kernels``."""
    listed = [each.dispatcher() for each in calls(every=True)]
    reached = set()
    while listed:
        kernel = listed.pop()
        if id(kernel) not in reached:
            reached.add(id(kernel))
            named = [dispatcher(kernel.py_func.__globals__.get(name)) for name in kernel.py_func.__code__.co_names]
            listed += [each for each in named if hasattr(each, "py_func")]
    missing = [
        f"{each.__name__}:{name}"
        for each in modules()
        for name, kernel in kernels_of(each)
        if id(kernel) not in reached
    ]
    assert missing == []


def test_what_is_listed_is_there_and_takes_so_many_arguments():
    listed = calls(every=True)
    assert sum(map(len, still_there(listed).values())) == len(listed) == len(set(listed))


def test_what_audits_need_is_a_part_of_all():
    audits = calls(every=False)
    assert set(audits) < set(calls(every=True))


def test_a_kernel_that_another_calls_is_less_deep():
    depth = {each.kernel: each.depth() for each in calls(every=False)}
    assert depth["next_uint64"] < depth["uniform"]
    assert depth["_agreed"] < depth["integrate"]


def test_types_can_be_read():
    assert all(types_of(each.types) for each in calls(every=True))


FIXED = np.zeros(2)
FIXED.flags.writeable = False
VALUES = [
    1.0,
    1,
    True,
    np.uint64(1),
    np.zeros(1, dtype=np.uint8),
    np.zeros((2, 2), dtype=np.int32),
    np.zeros((3, 2)).T,
    np.zeros((4, 4))[::2, ::2],
    FIXED,
    (1.0, 2.0),
    (1.0, np.zeros(1), (True, FIXED)),
    (),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(typeof(value)))
def test_a_type_is_read_back(value):
    found = (typeof(value), typeof(1.0))
    assert types_of(text_of(found)) == found


def test_no_argument_is_an_empty_text():
    assert types_of("") == ()


@pytest.mark.parametrize("text", ["float63", "array(float64, 1d)", "list(int64)", "__import__('os')", "Tuple(x)"])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="no type of a kernel's argument"):
        types_of(text)


def test_what_cannot_be_read_back_has_no_text():
    assert text_of((types.literal(1),)) == ""
    assert text_of((types.unicode_type,)) == ""
