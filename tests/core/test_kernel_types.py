"""Types of arguments as text: numba's own words, read back to the same types."""

import numpy as np
import pytest
from numba import typeof, types

from dpverify.core.kernel_types import text_of, types_of

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
